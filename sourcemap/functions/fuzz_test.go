package functions

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var fuzzFiles = []string{"a.js", "a.ts", "a.tsx", "a.vue"}

// In every text, functions are nested or side by side, and end within the text.
func FuzzScan(f *testing.F) {
	for _, cases := range []string{"javascript.txt", "typescript.txt", "jsx.txt"} {
		for _, source := range readCases(f, cases) {
			for i := range fuzzFiles {
				f.Add(strings.ReplaceAll(source, "§", ""), i)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string, file int) {
		table := Scan([]byte(text), fuzzFiles[uint(file)%uint(len(fuzzFiles))])
		s := scanner{lexer: lexer{text: []byte(text)}}
		for i := range len(text) + 1 {
			at := s.placeOf(i)
			found := table.Find(at.line, at.column)
			require.True(t, strings.Contains(text, found.Name) && strings.Contains(text, found.Class), "%v", found)
		}
	})
}

// Hostile texts end in a table of a bounded size. A text that took quadratic time would run into the time limit of the tests.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	const times = 1 << 17
	for _, piece := range []string{
		"(", "{", "}", ")", "[", "]", "<", "a<", "< ", "</", "/", "/[", "`${", "`", "x=>", "=>", "a:", "?", "a?", "?b:", "(a):", "class ",
		"class a{", "function(", "function a(){", "() => ", "const a=", "const a:", "type a=", "{a(", "\"", "'", "\\", "/*", "//", "\n",
		"@a(", "a\n", "<a>", "<a b={", "<script>", "((a)=>", "x=function(){}", "interface a{", "case a:", "a=>{", "#", "é", "...",
		"a.b=", "<T,>(", "if(", "{[",
	} {
		for _, file := range fuzzFiles {
			table := Scan([]byte(strings.Repeat(piece, times)), file)

			require.LessOrEqual(t, len(table), countSize+maxFunctions*(entrySize+maxName+1)+1, "%q in %s", piece, file)
			table.Find(0, times)
			table.Find(times, 0)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	const function = `/** Adds up what the items cost. */
export async function total(items: Item[], rate = 1.5): Promise<number> {
  const prices = items.filter((item) => item.price !== null).map((item) => ` + "`${item.name}: ${item.price * rate}`" + `);
  if (prices.length === 0) throw new Error('nothing to pay for: ' + items.length);
  return prices.reduce((sum, price) => sum + parse(price), 0);
}

`
	source := []byte(strings.Repeat(function, 2000))
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		Scan(source, "total.ts")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(source))*1024, "ns/KB")
}
