package sentryapi

import (
	"encoding/base64"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

const inlineMark = "//# sourceMappingURL=data:application/json;base64,"

// openFirst opens the only map of a bundle with one minified file.
func openFirst(t *testing.T, code string, reference string) (bundledMap, string, error) {
	t.Helper()
	archive := writeArchive(t, map[string]string{"files/_/_/app.js": code, "manifest.json": writeManifest(t, map[string]manifestFile{
		"files/_/_/app.js": {Type: typeMinified, URL: "~/app.js", Headers: map[string]string{"Sourcemap": reference, "debug-id": debugID}},
	})})
	opened, err := openBytes(archive)
	require.NoError(t, err)
	require.Len(t, opened.maps, 1)
	m := opened.maps[0]
	file, err := m.openMap()
	if err != nil {
		return m, "", err
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	return m, string(text), err
}

// TestInlineMaps uses a map of 12 MB, in its file and also in the manifest: more than is kept of a manifest.
func TestInlineMaps(t *testing.T) {
	t.Parallel()
	text := `{"sourcesContent":["` + strings.Repeat("abcdefgh", 12<<17) + `"]}`
	url := "data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte(text))

	m, got, err := openFirst(t, "a()\n//# sourceMappingURL="+url+"\n//# debugId="+debugID+"\n", url)

	require.NoError(t, err)
	require.Equal(t, []any{"~/app.js", debugID, true}, []any{m.name, m.debugID, m.isInline})
	require.True(t, text == got, "%d bytes of %d", len(got), len(text))
}

func TestBrokenInlineMaps(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"no comment": "a()", "no base64": "a()\n" + inlineMark + "e30*!", "no JSON": "a()\n//# sourceMappingURL=data:text/css,x",
	} {
		_, _, err := openFirst(t, code, "data:application/json;base64,e30")

		require.Error(t, err, name)
		require.Contains(t, err.Error(), "source map", name)
	}
}

// A map whose URL cannot be the name of a file is named by its debug id.
func TestMapsWithADebugIDAlone(t *testing.T) {
	t.Parallel()
	headers := map[string]string{"debug-id": strings.ToUpper(debugID)}
	for _, url := range []string{"", "webpack-internal:///app.js.map", "~/../app.js.map"} {
		opened, err := openBytes(writeArchive(t, map[string]string{"a": "{}", "manifest.json": writeManifest(t, map[string]manifestFile{
			"a": {Type: typeMap, URL: url, Headers: headers},
		})}))

		require.NoError(t, err)
		require.Equal(t, []string{"~/" + debugID + ".js", debugID}, []string{opened.maps[0].name, opened.maps[0].debugID}, url)
	}
}

func TestLongStringsOfAManifestAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", maxManifestText-2)
	for in, want := range map[string]string{
		`{"a":"b\"c","d":[1]}`:       `{"a":"b\"c","d":[1]}`,
		`{"` + long + `\"": "x"}`:    `{"` + long + `\"": "x"}`,
		`{"` + long + `\"bbb": "x"}`: `{"` + long + `\"": "x"}`,
		`["` + long + `bb\\", "y"]`:  `["` + long + `bb", "y"]`,
	} {
		got, err := io.ReadAll(&stringCutter{json: iotest.HalfReader(strings.NewReader(in))})
		require.NoError(t, err)
		require.True(t, want == string(got), "%.40s: %.60s", in, string(got[max(0, len(got)-60):]))
	}
}

// All maps of a bundle that have only debug ids are accepted, even beside a script that contains its own map.
func TestMapsWithDebugIDsAloneStandBesideEachOther(t *testing.T) {
	t.Parallel()
	const other = "1f1e2d3c-4b5a-4678-89ab-cdef01234567"
	listed := writeManifest(t, map[string]manifestFile{
		"a.js": {Type: typeMinified, Headers: map[string]string{"sourcemap": "data:application/json;base64,e30=", "debug-id": debugID}},
		"b":    {Type: typeMap, Headers: map[string]string{"debug-id": other}},
	})
	opened, err := openBytes(writeArchive(t, map[string]string{"a.js": "a()", "b": "{}", "manifest.json": listed}))
	require.NoError(t, err)
	var names []string
	for _, m := range opened.maps {
		names = append(names, m.name)
	}
	require.Equal(t, []string{"~/" + debugID + ".js", "~/" + other + ".js"}, names)
}
