package app_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// sectionsMap is a map in the form that Turbopack writes.
const sectionsMap = `{"version": 3, "sources": [], "sections": [` +
	`{"offset": {"line": 0, "column": 5}, "map": ` + goodMap + `}, {"offset": {"line": 2, "column": 0}, "map": ` + goodMap + `}]}`

// uploadBundle uploads files and a manifest as one bundle, and returns the result.
func (s *sentryServer) uploadBundle(upload, manifest string, files map[string]string) map[string]any {
	s.Helper()
	bundle := bytes.NewBufferString("SYSB\x02\x00\x00\x00")
	w := zip.NewWriter(bundle)
	files["manifest.json"] = manifest
	for name, text := range files {
		file, err := w.Create(name)
		require.NoError(s, err)
		_, err = io.WriteString(file, text)
		require.NoError(s, err)
	}
	require.NoError(s, w.Close())
	sum := hashChunk(bundle.Bytes())
	status, decoded := s.sendChunk(adminToken, sum, bundle.Bytes())
	require.Equal(s, http.StatusOK, status, decoded)
	return s.mustAsk(http.StatusOK, adminToken, http.MethodPost, assemblePath,
		fmt.Sprintf(`{"checksum": %q, "chunks": [%q], "projects": ["web-shop"]%s}`, sum, sum, upload))
}

func (s *sentryServer) listMaps() string {
	s.Helper()
	return s.sendRequest(s.Context(), "GET", "/v1/sourcemaps?project=web-shop", "", nil).body
}

// TestSentryBundleOfSections uploads a map with sections, which POST /v1/sourcemaps refuses.
func TestSentryBundleOfSections(t *testing.T) {
	t.Parallel()
	s := startBundleServer(t)
	manifest := `{"files": {"a.map": {"type": "source_map", "url": "~/app.js.map"}}}`

	require.Equal(t, "ok", s.uploadBundle(`, "version": "1.0"`, manifest, map[string]string{"a.map": sectionsMap})["state"])
	require.Contains(t, s.listMaps(), `"path":"/app.js","size":`)
	require.Contains(t, s.listMaps(), `"sources":2,`)

	nested := `{"version": 3, "sections": [{"offset": {"line": 0, "column": 0}, "map": ` + sectionsMap + `}]}`
	refused := s.uploadBundle(`, "version": "2.0"`, manifest, map[string]string{"a.map": nested})
	require.Contains(t, refused["detail"], "(section 1 has sections itself)")
}

// TestSentryBundleOfAnInlineMap uploads a file that contains its map, as a data: URL.
func TestSentryBundleOfAnInlineMap(t *testing.T) {
	t.Parallel()
	s := startBundleServer(t)
	url := "data:application/json,%7B%22version%22:3,%22sources%22:[%22cart.js%22],%22mappings%22:%22AAAA%22%7D"
	manifest := fmt.Sprintf(`{"files": {"a.js": {"type": "minified_source", "url": "~/app.js", "headers": {"sourcemap": %q}}}}`, url)

	answer := s.uploadBundle(`, "version": "1.0", "dist": "7"`, manifest, map[string]string{"a.js": "a()\n//# sourceMappingURL=" + url + "\n"})

	require.Equal(t, "ok", answer["state"], answer)
	require.Contains(t, s.listMaps(), `"release":"1.0","dist":"7","name":"~/app.js","path":"/app.js"`)
	empty := s.uploadBundle(`, "version": "2.0"`, manifest, map[string]string{"a.js": "a()\n"})
	require.Contains(t, empty["detail"], "~/app.js: it says that its source map is in it, but has none")
}

// TestSentryBundleOfADebugID uploads a map that belongs to its file only by debug id, which only the manifest names.
func TestSentryBundleOfADebugID(t *testing.T) {
	t.Parallel()
	s := startBundleServer(t)
	const id = "0f1e2d3c-4b5a-4678-89ab-cdef01234567"
	manifest := `{"files": {"a.map": {"type": "source_map", "url": "", "headers": {"debug-id": "` + id + `"}}}}`

	answer := s.uploadBundle("", manifest, map[string]string{"a.map": goodMap})

	require.Equal(t, "ok", answer["state"], answer)
	require.Contains(t, s.listMaps(), `"release":"`+id+`"`)
	require.Contains(t, s.listMaps(), `"path":"/`+id+`.js"`)
}
