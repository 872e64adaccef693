package sourcemap_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/sourcemap"
)

func buildFlat(t testing.TB, text string) *sourcemap.Built {
	t.Helper()
	built, err := sourcemap.BuildFlatIndex(strings.NewReader(text))
	require.NoError(t, err)
	return built
}

func withSections(sections ...string) string {
	return `{"version":3,"sources":[],"sections":[` + strings.Join(sections, ",") + `]}`
}

func section(line, column int, text string) string {
	return fmt.Sprintf(`{"offset":{"line":%d,"column":%d},"map":%s}`, line, column, text)
}

// twoSources has a mapping for each of its two sources, the second with a name.
const twoSources = `{"version":3,"sourceRoot":"src","sources":["a.js","b.js"],"sourcesContent":["first\na","b"],"names":["n"],` +
	`"mappings":"AAAA,ECCAA","ignoreList":[1]}`

func TestSectionsAreOneMap(t *testing.T) {
	t.Parallel()
	late := `{"map":{"version":3,"sources":["c.js"],"mappings":"AAAA;CAAA"},"offset":{"line":9,"column":3}}`
	x := openBuilt(t, buildFlat(t, withSections(section(0, 10, twoSources), section(0, 20, withMappings("A")),
		section(4, 0, `{"version":3,"mappings":"AAAA;AACA","sources":["d.js"],"sourcesContent":[null,"too many"]}`), late)))

	for _, want := range []struct {
		line, column int
		source, name string
		original     int
		content      string
		ignored      bool
	}{
		{1, 11, "src/a.js", "", 1, "first", false}, {1, 13, "src/b.js", "n", 2, "", true},
		{5, 1, "d.js", "", 1, "", false}, {6, 1, "d.js", "", 2, "", false},
		{10, 4, "c.js", "", 1, "", false}, {11, 2, "c.js", "", 1, "", false},
	} {
		p, found, err := x.LookUp(want.line, want.column)
		require.NoError(t, err)
		require.True(t, found, want)
		require.Equal(t, []any{want.source, want.name, want.original, want.ignored}, []any{p.Source, p.Name, p.Line, p.Ignored})
		context, _, err := x.CutContext(&p, 0)
		require.NoError(t, err)
		require.Equal(t, want.content, context.Line)
	}
	for _, none := range [][2]int{{1, 1}, {1, 10}, {1, 21}, {2, 11}, {4, 1}, {10, 3}} {
		_, found, err := x.LookUp(none[0], none[1])
		require.NoError(t, err)
		require.False(t, found, none)
	}
}

// A map cut into sections has the same index as the whole map. The fields of a section may be in
// either order.
func TestSectionsOfAMapAreTheMap(t *testing.T) {
	t.Parallel()
	const debugID = `"debugId":"1aad9d9e-2b50-454f-a5f2-0dd5e95c154c"`
	only := withMappings("AAAA,IAAIA;CACA,CAAC;;EAEA")
	whole := withFields(debugID + `,"mappings":"AAAA,IAAIA;CACA,CAAC;;EAEA"`)
	for _, cut := range []string{
		`[{"offset":{"line":0,"column":0},"map":` + only + `}]`,
		`[{"map":` + only + `,"offset":{"column":0,"line":0}}]`,
	} {
		flat := `{` + debugID + `,"sections":` + cut + `,"version":3,"mappings":"","names":[]}`

		require.Equal(t, buildMap(t, whole).Summary(), buildFlat(t, flat).Summary())
	}
	require.Equal(t, buildMap(t, whole).Summary(), buildFlat(t, whole).Summary(), "a map without sections")
}

func TestBrokenSections(t *testing.T) {
	t.Parallel()
	good, far := withMappings("AAAA;AAAA"), 1<<31-1
	late := `{"map":` + good + `,"offset":{"line":%d,"column":0}}`
	for name, test := range map[string]struct{ text, reason, detail string }{
		"overlap":         {withSections(section(0, 0, good), section(1, 0, good)), sourcemap.HasSections, "section 2 begins before the end"},
		"wrong order":     {withSections(section(5, 0, good), section(1, 0, good)), sourcemap.HasSections, "section 2 begins before the end"},
		"order, no maps":  {withSections(section(5, 1, withMappings("")), section(5, 0, good)), sourcemap.HasSections, "section 2 begins"},
		"offset at last":  {withSections(fmt.Sprintf(late, 0), section(1, 0, good)), sourcemap.HasSections, "section 2 begins"},
		"nested":          {withSections(section(0, 0, withSections(section(0, 0, good)))), sourcemap.HasSections, "has sections itself"},
		"url":             {withSections(`{"offset":{"line":0,"column":0},"url":"a.map"}`), sourcemap.HasSections, "URL of its map"},
		"no map":          {withSections(`{"offset":{"line":0,"column":0}}`), sourcemap.HasSections, "section 1 has no map"},
		"no offset":       {withSections(`{"map":` + good + `}`), sourcemap.HasSections, "section 1 has no offset"},
		"no column":       {withSections(`{"offset":{"line":0},"map":` + good + `}`), sourcemap.HasSections, "without line or column"},
		"two maps":        {withSections(`{"map":` + good + `,"map":` + good + `}`), sourcemap.HasSections, "two of map"},
		"below zero":      {withSections(section(-1, 0, good)), sourcemap.HasSections, "out of range"},
		"a huge offset":   {withSections(section(far+1, 0, good)), sourcemap.HasSections, "out of range"},
		"infinity":        {withSections(`{"offset":{"line":1e999,"column":0},"map":` + good + `}`), sourcemap.HasSections, "out of range"},
		"half a line":     {withSections(`{"offset":{"line":0.5,"column":0},"map":` + good + `}`), sourcemap.HasSections, "out of range"},
		"beyond lines":    {withSections(section(far, 0, good)), sourcemap.BrokenMappings, "beyond what can be looked up"},
		"beyond columns":  {withSections(section(0, far, withMappings("CAAA"))), sourcemap.BrokenMappings, "beyond what can be looked up"},
		"beyond, waiting": {withSections(fmt.Sprintf(late, far)), sourcemap.HasSections, "beyond"},
		"own mappings":    {`{"version":3,"sources":["a"],"mappings":"AAAA","sections":[]}`, sourcemap.HasSections, "beside mappings"},
		"own sources":     {`{"version":3,"sections":[],"sources":["a"]}`, sourcemap.HasSections, "beside mappings"},
		"a broken map":    {withSections(section(0, 0, `{"version":2}`)), sourcemap.NotVersion3, "not the number 3"},
		"another's source": {withSections(section(0, 0, good), section(9, 0, `{"version":3,"sources":[],"mappings":"AAAA"}`)),
			sourcemap.BrokenMappings, "source 1 of 0"},
		"another's name": {withSections(section(0, 0, withMappings("AAAAA")), section(9, 0, `{"version":3,"sources":["a"],"mappings":"AAAAA"}`)),
			sourcemap.BrokenMappings, "name 1 of 0"},
		"ignored": {withSections(section(0, 0, good), section(9, 0, withFields(`"mappings":"","ignoreList":[1]`))),
			sourcemap.BrokenMappings, "source 2 of 1"},
		"an object": {`{"version":3,"sections":{}}`, sourcemap.BrokenMappings, "not a list"},
		"cut off":   {`{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":` + good, sourcemap.NotJSON, "expected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := sourcemap.BuildFlatIndex(strings.NewReader(test.text))

			invalid, ok := errors.AsType[*sourcemap.Invalid](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, test.reason, invalid.Reason, invalid.Detail)
			require.Contains(t, invalid.Detail, test.detail)
		})
	}
}

// TestManySections reads a map of 30 MB that consists of the smallest possible sections.
func TestManySections(t *testing.T) {
	text := `{"version":3,"sources":[],"mappings":"A"}`
	var b strings.Builder
	b.WriteString(`{"version":3,"sections":[`)
	count := 0
	for ; b.Len() < 30<<20; count++ {
		if count > 0 {
			b.WriteByte(',')
		}
		b.WriteString(section(count, 0, text))
	}
	b.WriteString("]}")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)

	built := buildFlat(t, b.String())

	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Equal(t, count, built.Summary().Mappings)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(16<<20))
	t.Logf("%d sections: an index of %d KB, %d MB kept", count, built.Summary().Size>>10, (after.HeapAlloc-before.HeapAlloc)>>20)
	runtime.KeepAlive(built)
}
