package sourcemap_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/sourcemap"
)

// cutContext returns the lines around the mapped line, for a map with these contents whose mapping
// leads to the last source.
func cutContext(t *testing.T, contents []string, line, lines int) (sourcemap.Context, bool) {
	encoded, err := json.Marshal(contents)
	require.NoError(t, err)
	sources, err := json.Marshal(make([]string, len(contents)))
	require.NoError(t, err)
	mappings := "A" + encodeNumber(len(contents)-1) + encodeNumber(line-1) + "A"
	x := openMap(t, fmt.Sprintf(`{"version":3,"sourcesContent":%s,"sources":%s,"mappings":%q}`, encoded, sources, mappings))
	p, found, err := x.LookUp(1, 1)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, line, p.Line)
	c, found, err := x.CutContext(&p, lines)
	require.NoError(t, err)
	return c, found
}

func TestCutContext(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, content string
		line, lines   int
		before        []string
		text          string
		after         []string
	}{
		{"in the middle", "a\nb\nc\nd\ne", 3, 1, []string{"b"}, "c", []string{"d"}},
		{"at the start", "a\nb\nc", 1, 2, []string{}, "a", []string{"b", "c"}},
		{"at the end", "a\nb\nc", 3, 2, []string{"a", "b"}, "c", []string{}},
		{"a newline at the end", "a\nb\n", 2, 2, []string{"a"}, "b", []string{}},
		{"no lines around", "a\nb\nc", 2, 0, []string{}, "b", []string{}},
		{"fewer than none", "a\nb\nc", 2, -1, []string{}, "b", []string{}},
		{"empty lines", "\n\nx\n\n", 3, 2, []string{"", ""}, "x", []string{""}},
		{"Windows", "a\r\nb\r\nc", 2, 1, []string{"a"}, "b", []string{"c"}},
		{"old Macs", "a\rb\rc", 2, 1, []string{"a"}, "b", []string{"c"}},
		{"both", "a\r\r\nb", 3, 2, []string{"a", ""}, "b", []string{}},
		{"characters", "é\n😀\nü", 2, 1, []string{"é"}, "😀", []string{"ü"}},
		{"a long line", strings.Repeat("é", 600) + "\nb", 1, 1, []string{}, strings.Repeat("é", 512), []string{"b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			// The other sources around it must not show.
			c, found := cutContext(t, []string{"x\ny\n", "", test.content}, test.line, test.lines)
			require.True(t, found)
			require.Equal(t, sourcemap.Context{Before: test.before, Line: test.text, After: test.after}, c)
		})
	}
}

// Lines are found in sources that are much longer than a block of contents, also at the borders of
// blocks.
func TestCutContextInLongSources(t *testing.T) {
	t.Parallel()
	const count = 20_000
	var lines []string
	for number := range count {
		lines = append(lines, fmt.Sprintf("line %d %s", number+1, strings.Repeat("x", number%50)))
	}
	contents := []string{strings.Join(lines[:77], "\n"), strings.Join(lines, "\n")}
	for _, line := range []int{1, 2, 6, 7, 700, 5000, 5001, 12_345, 19_994, 19_995, count - 1, count} {
		c, found := cutContext(t, contents, line, 5)
		require.True(t, found)
		require.Equal(t, lines[line-1], c.Line)
		require.Equal(t, lines[max(0, line-6):line-1], c.Before)
		require.Equal(t, lines[line:min(count, line+5)], c.After)
	}
}

func TestCutContextFindsNothing(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "a", "a\nb\n"} {
		_, found := cutContext(t, []string{"x\ny\nz\n", content}, 3, 5)
		require.False(t, found, "%q", content)
	}
	x := openMap(t, `{"version":3,"sources":["a"],"sourcesContent":[null],"mappings":"AAAA"}`)
	p, _, err := x.LookUp(1, 1)
	require.NoError(t, err)
	require.False(t, p.HasContent())
	_, found, err := x.CutContext(&p, 5)
	require.NoError(t, err)
	require.False(t, found)
}

// A line of megabytes is cut, and its end is not searched for.
func TestCutContextOfMinifiedSources(t *testing.T) {
	t.Parallel()
	c, found := cutContext(t, []string{"first\n" + strings.Repeat("minified;", 200_000) + "\nlast"}, 2, 5)
	require.True(t, found)
	require.Equal(t, []string{"first"}, c.Before)
	require.Equal(t, strings.Repeat("minified;", 200)[:1024], c.Line[:1024])
	require.Empty(t, c.After)

	c, found = cutContext(t, []string{"first\n" + strings.Repeat("minified;", 200_000) + "\nlast"}, 3, 0)
	require.True(t, found)
	require.Equal(t, "last", c.Line)
}
