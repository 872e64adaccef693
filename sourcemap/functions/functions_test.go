package functions

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// findMarked requires that the function at each §name§ of a source has that name. The marks are removed from the text first.
func findMarked(t *testing.T, source, file string) {
	t.Helper()
	var text bytes.Buffer
	type mark struct {
		number string
		at     place
	}
	var marks []mark
	s := scanner{}
	for {
		before, after, isMarked := strings.Cut(source, "§")
		text.WriteString(before)
		if !isMarked {
			break
		}
		s.text = text.Bytes()
		number, rest, _ := strings.Cut(after, "§")
		marks = append(marks, mark{number, s.placeOf(text.Len())})
		source = rest
	}
	table := Scan(text.Bytes(), file)
	for _, m := range marks {
		f := table.Find(m.at.line, m.at.column)
		require.Equal(t, m.number, f.Name, "%s\nat line %d, column %d; class %q", text.String(), m.at.line+1, m.at.column+1, f.Class)
	}
	require.NotEmpty(t, marks)
}

// In components with markup only the script tags contain code.
func TestScanComponents(t *testing.T) {
	t.Parallel()
	const source = "<template>\n  <p @click=\"a => b\">it's {{ x ? '}' : y }}</p>§§\n</template>\n<script lang=\"ts\">\n" +
		"export default { methods: { save() {§save§ } } }\n</script>\n<style>a { b: c }§§</style>\n<script setup>const f = () => {§f§ }</script>"
	findMarked(t, source, "src/Page.vue?vue&type=script")
	findMarked(t, source, "Page.svelte")
}

func TestFindInNothing(t *testing.T) {
	t.Parallel()
	require.Zero(t, Table(nil).Find(1, 1))
	require.Zero(t, Scan(nil, "a.js").Find(0, 0))
}

func TestClassesOfMethods(t *testing.T) {
	t.Parallel()
	table := Scan([]byte("class Cart { add() { } }\nconst api = { get() { } }"), "a.js")
	require.Equal(t, Function{Name: "add", Class: "Cart"}, table.Find(0, 20))
	require.Equal(t, Function{Name: "get"}, table.Find(1, 22))
}

// readCases returns the sources of a file of testdata by their names.
func readCases(t testing.TB, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	cases := map[string]string{}
	for part := range strings.SplitSeq("\n"+string(text), "\n=== ") {
		if name, source, isCase := strings.Cut(part, "\n"); isCase {
			cases[name] = source
		}
	}
	return cases
}

func TestScan(t *testing.T) {
	t.Parallel()
	for file, cases := range map[string]string{
		"a.js": "javascript.txt", "b.ts": "javascript.txt", "a.ts": "typescript.txt", "a.jsx": "jsx.txt", "a.tsx": "jsx.txt",
	} {
		for name, source := range readCases(t, cases) {
			t.Run(file+"/"+name, func(t *testing.T) {
				t.Parallel()
				findMarked(t, source, file)
			})
		}
	}
}
