package sourcemap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/sourcemap"
)

func lookUp(t testing.TB, x *sourcemap.Index, line, column int) (source string, at [2]int, name string) {
	p, found, err := x.LookUp(line, column)
	require.NoError(t, err)
	if !found {
		return "", at, ""
	}
	return p.Source, [2]int{p.Line, p.Column}, p.Name
}

// Every column of a map with many blocks is found, also at the borders of blocks and pages.
func TestLookUpFindsEveryMapping(t *testing.T) {
	t.Parallel()
	const lines, mappings = 3, 2000
	x := openMap(t, generateMap(lines, mappings))
	for line := range lines {
		for number := range mappings {
			for _, column := range []int{number * 10, number*10 + 9} {
				source, at, name := lookUp(t, x, line+1, column+1)
				require.Equal(t, fmt.Sprintf("src/%d.ts", line), source)
				require.Equal(t, [2]int{number + 1, 1}, at)
				require.Equal(t, fmt.Sprintf("name%d", number), name)
			}
		}
	}
	for _, outside := range [][2]int{{0, 1}, {1, 0}, {-1, -1}, {lines + 1, 1}, {1 << 40, 1}, {1, 1 << 40}} {
		_, found, err := x.LookUp(outside[0], outside[1])
		require.NoError(t, err)
		require.False(t, found)
	}
}

func TestLookUp(t *testing.T) {
	t.Parallel()
	const base = `{"version":3,"sources":["a.js","b.js"],"names":["n","m"],"mappings":`
	for _, test := range []struct {
		name, text   string
		line, column int
		source       string
		at           [2]int
		identifier   string
	}{
		{"before the first mapping of the line", base + `"EAAA"}`, 1, 2, "", [2]int{}, ""},
		{"a line without mappings", base + `"AAAA;;AAAA"}`, 2, 5, "", [2]int{}, ""},
		{"a mapping without a source", base + `"AAAA,E"}`, 1, 4, "", [2]int{}, ""},
		{"mappings out of order", base + `"UAAAA,LCACC,IDCD"}`, 1, 6, "b.js", [2]int{1, 2}, "m"},
		{"mappings out of order, the last", base + `"UAAAA,LCACC,IDCD"}`, 1, 12, "a.js", [2]int{1, 1}, "n"},
		{"two for one position", base + `"AAAAA,ACAAC"}`, 1, 1, "a.js", [2]int{1, 1}, "n"},
		{"two for one position, the first without a source", base + `"A,ACAAC"}`, 1, 1, "b.js", [2]int{1, 1}, "m"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			source, at, name := lookUp(t, openMap(t, test.text), test.line, test.column)
			require.Equal(t, test.source, source)
			require.Equal(t, test.at, at)
			require.Equal(t, test.identifier, name)
		})
	}
}

// Unsorted long lines are sorted, including mappings that are already in blocks.
func TestLookUpInUnsortedLines(t *testing.T) {
	t.Parallel()
	const mappings = 500
	var segments []string
	column := 0
	for number := range mappings {
		next := number * 10
		if number%7 == 6 {
			next -= 35
		}
		segments = append(segments, encodeNumber(next-column)+"AC"+encodeNumber(0))
		column = next
	}
	line := strings.Join(segments, ",")
	x := openMap(t, `{"version":3,"sources":["a.js"],"mappings":"A;A;`+line+";"+line+`"}`)
	for number := range mappings {
		next := number * 10
		if number%7 == 6 {
			next -= 35
		}
		for _, generated := range []int{3, 4} {
			_, at, _ := lookUp(t, x, generated, next+1)
			require.Equal(t, number+2+(generated-3)*mappings, at[0], "column %d", next)
		}
	}
}

func TestSourceNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ root, source, wanted string }{
		{"", "a.js", "a.js"},
		{"src", "a.js", "src/a.js"},
		{"src/", "a.js", "src/a.js"},
		{"https://cdn.example/src", "a.js", "https://cdn.example/src/a.js"},
		{"src", "webpack://shop/./a.js", "webpack://shop/./a.js"},
		{"", `caf\u00e9/\ud83d\ude00.js`, "café/😀.js"},
		{"", `half \ud83d pair.js`, "half \ufffd pair.js"},
		{"", "bad \xff byte.js", "bad \ufffd byte.js"},
		{"", strings.Repeat("é", 3000), strings.Repeat("é", 2048)},
		{"", "a" + strings.Repeat("é", 3000), "a" + strings.Repeat("é", 2047)},
	} {
		x := openMap(t, fmt.Sprintf(`{"version":3,"sourceRoot":"%s","sources":["%s"],"mappings":"AAAA"}`, test.root, test.source))
		source, _, _ := lookUp(t, x, 1, 1)
		require.Equal(t, test.wanted, source)
	}
}

func TestIgnoreListAndDebugID(t *testing.T) {
	t.Parallel()
	const id = "1aad9d9e-2b50-454f-a5f2-0dd5e95c154c"
	for _, list := range []string{`"ignoreList"`, `"x_google_ignoreList"`} {
		for _, field := range []string{`"debugId":"1AAD9D9E-2b50-454f-a5f2-0dd5e95c154c"`, `"debug_id":"1aad9d9e2b50454fa5f20dd5e95c154c"`} {
			x := openMap(t, `{"version":3,`+list+`:[1],"sources":["a.js","vendor.js"],"mappings":"AAAA,CCAA",`+field+`}`)
			require.Equal(t, id, x.Summary().DebugID)
			require.Equal(t, []string{"vendor.js"}, ignoredSources(t, x))
			own, _, err := x.LookUp(1, 1)
			require.NoError(t, err)
			vendor, _, err := x.LookUp(1, 2)
			require.NoError(t, err)
			require.False(t, own.Ignored)
			require.True(t, vendor.Ignored)
		}
	}
}

// An idle cache holds nothing, and a small one still answers.
func TestCacheForgets(t *testing.T) {
	t.Parallel()
	data := encodeBuilt(t, buildMap(t, generateMap(2, 3000)))
	for _, limit := range []int{0, 40 << 10, 1 << 20} {
		cache := sourcemap.NewCache(limit)
		x := openIndex(t, data, cache)
		for round := range 3 {
			for column := 1; column < 30_000; column += 997 {
				p, found, err := x.LookUp(2, column)
				require.NoError(t, err)
				require.True(t, found)
				c, found, err := x.CutContext(&p, 1)
				require.NoError(t, err)
				require.True(t, found)
				require.Equal(t, fmt.Sprintf("line %d of source 1", p.Line-1), c.Line)
			}
			require.LessOrEqual(t, cache.Size(), max(limit, 2*32<<10))
			if round == 1 {
				cache.DropIdle()
				cache.DropIdle()
				require.Zero(t, cache.Size())
			}
		}
	}
}
