package sentryapi

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

const debugID = "0f1e2d3c-4b5a-4678-89ab-cdef01234567"

// writeArchive writes files into a zip archive.
func writeArchive(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		file, err := w.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(file, text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// writeManifest writes a manifest.json.
func writeManifest(t *testing.T, files map[string]manifestFile) string {
	t.Helper()
	text, err := json.Marshal(manifest{Release: "1.0", Files: files})
	require.NoError(t, err)
	return string(text)
}

func openBytes(data []byte) (*bundle, error) {
	return openBundle(bytes.NewReader(data), int64(len(data)))
}

func TestBundleWithAndWithoutHeader(t *testing.T) {
	t.Parallel()
	archive := writeArchive(t, map[string]string{"files/_/_/app.js.map": "{}", "manifest.json": writeManifest(t, map[string]manifestFile{
		"files/_/_/app.js":     {Type: typeMinified, URL: "~/app.js", Headers: map[string]string{"Sourcemap": "app.js.map"}},
		"files/_/_/app.js.map": {Type: typeMap, URL: "~/app.js.map"},
	})})
	for name, data := range map[string][]byte{"with": append([]byte("SYSB\x02\x00\x00\x00"), archive...), "without": archive} {
		t.Run(name, func(t *testing.T) {
			opened, err := openBytes(data)

			require.NoError(t, err)
			require.Equal(t, "1.0", opened.release)
			require.Len(t, opened.maps, 1)
			file, err := opened.maps[0].openMap()
			require.NoError(t, err)
			text, err := io.ReadAll(file)
			require.NoError(t, err)
			require.Equal(t, "{}", string(text))
		})
	}
}

func TestNamesOfBundledMaps(t *testing.T) {
	t.Parallel()
	sourcemap := func(reference string) map[string]string { return map[string]string{"sourcemap": reference} }
	for name, test := range map[string]struct {
		minified manifestFile
		mapURL   string
		want     string
	}{
		"beside it":    {manifestFile{URL: "~/js/app.js", Headers: sourcemap("app.js.map")}, "~/js/app.js.map", "~/js/app.js"},
		"another name": {manifestFile{URL: "~/js/app.js", Headers: sourcemap("other.map")}, "~/js/other.map", "~/js/app.js"},
		"in a folder":  {manifestFile{URL: "~/js/app.js", Headers: sourcemap("maps/app.map")}, "~/js/maps/app.map", "~/js/app.js"},
		"above":        {manifestFile{URL: "~/js/app.js", Headers: sourcemap("../maps/app.map")}, "~/maps/app.map", "~/js/app.js"},
		"from the root": {manifestFile{URL: "https://a.b/js/a.js", Headers: sourcemap("/m/a.map")}, "https://a.b/m/a.map",
			"https://a.b/js/a.js"},
		"absolute":         {manifestFile{URL: "~/app.js", Headers: sourcemap("https://a.b/app.map")}, "https://a.b/app.map", "~/app.js"},
		"by debug id":      {manifestFile{URL: "~/x.js", Headers: map[string]string{"Debug-Id": strings.ToUpper(debugID)}}, "~/y.map", "~/x.js"},
		"by its own name":  {manifestFile{URL: "~/x.js"}, "~/y.js.map", "~/y.js"},
		"inline elsewhere": {manifestFile{URL: "~/x.js", Headers: sourcemap("data:application/json,{}")}, "~/y.js.map", "~/y.js"},
	} {
		t.Run(name, func(t *testing.T) {
			test.minified.Type = typeMinified
			listed := manifest{Files: map[string]manifestFile{
				"a": test.minified, "b": {Type: typeMap, URL: test.mapURL, Headers: map[string]string{"debug-id": debugID}},
			}}

			maps := listMaps(listed, map[string]*zip.File{"b": {}})

			require.Len(t, maps, 1)
			require.Equal(t, []string{test.want, debugID}, []string{maps[0].name, maps[0].debugID})
		})
	}
}

func TestBrokenBundles(t *testing.T) {
	t.Parallel()
	oneMap := map[string]manifestFile{"m": {Type: typeMap, URL: "~/m.map"}}
	manyMaps, manyFiles := map[string]manifestFile{}, map[string]string{}
	for n := range maxMaps + 1 {
		name := fmt.Sprint(n)
		manyMaps[name], manyFiles[name] = manifestFile{Type: typeMap, URL: "~/" + name}, ""
	}
	manyFiles["manifest.json"] = writeManifest(t, manyMaps)
	wide := map[string]string{}
	for n := range 70 {
		wide[fmt.Sprint(n)+strings.Repeat("x", 1<<16-10)] = ""
	}
	spaces := strings.Repeat(" ", core.MaxSourceMap+1)
	whole := writeArchive(t, map[string]string{"m": "{}", "manifest.json": writeManifest(t, oneMap)})
	for name, test := range map[string]struct {
		data []byte
		says string
	}{
		"empty":            {nil, "not a zip"},
		"text":             {[]byte("not a bundle, but long enough for one"), "not a zip"},
		"cut off":          {whole[:len(whole)-30], "not a zip"},
		"version 3":        {append([]byte("SYSB\x03\x00\x00\x00"), whole...), "has version 3"},
		"no manifest":      {writeArchive(t, map[string]string{"m": "{}"}), "no manifest.json"},
		"broken manifest":  {writeArchive(t, map[string]string{"manifest.json": "{"}), "cannot be read"},
		"manifest bomb":    {writeArchive(t, map[string]string{"manifest.json": strings.Repeat(" ", maxManifest+1)}), "too large"},
		"map bomb":         {writeArchive(t, map[string]string{"m": spaces, "manifest.json": writeManifest(t, oneMap)}), "is larger than"},
		"too many maps":    {writeArchive(t, manyFiles), "source maps, at most"},
		"a huge directory": {writeArchive(t, wide), "too many files"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openBytes(test.data)

			var refused *refusedBundle
			require.True(t, errors.As(err, &refused), err)
			require.Contains(t, refused.reason, test.says)
		})
	}
}

// TestLyingSizes unpacks a map that is larger than the archive says.
func TestLyingSizes(t *testing.T) {
	t.Parallel()
	archive, err := zip.NewReader(openedArchive(t, strings.Repeat(" ", core.MaxSourceMap+100)))
	require.NoError(t, err)
	archive.File[0].UncompressedSize64 = 10

	file, err := openFile(archive.File[0], core.MaxSourceMap)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, file)

	require.True(t, core.HasCode(err, core.InvalidRequest), err)
}

func openedArchive(t *testing.T, text string) (io.ReaderAt, int64) {
	t.Helper()
	data := writeArchive(t, map[string]string{"m": text})
	return bytes.NewReader(data), int64(len(data))
}

func FuzzBundle(f *testing.F) {
	f.Add([]byte("SYSB\x02\x00\x00\x00PK\x05\x06"))
	f.Fuzz(func(t *testing.T, data []byte) {
		opened, err := openBytes(data)
		var refused *refusedBundle
		if err != nil && !errors.As(err, &refused) {
			t.Fatal("it is not refused as broken: ", err)
		}
		if err != nil {
			return
		}
		for _, m := range opened.maps {
			if file, err := m.openMap(); err == nil {
				_, _ = io.Copy(io.Discard, io.LimitReader(file, 1<<20))
			}
		}
	})
}
