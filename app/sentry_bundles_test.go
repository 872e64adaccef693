package app_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

const (
	chunkPath    = "/organizations/any/chunk-upload/"
	assemblePath = "/organizations/any/artifactbundle/assemble/"
	goodMap      = `{"version": 3, "sources": ["cart.js"], "names": [], "mappings": "AAAA"}`
	brokenMap    = `{"version": 2}`
	manifestText = `{"files": {
		"files/_/_/js/app.js": {"type": "minified_source", "url": "~/js/app.js", "headers": {"sourcemap": "app.js.map"}},
		"files/_/_/js/app.js.map": {"type": "source_map", "url": "~/js/app.js.map"},
		"files/_/_/js/more.js.map": {"type": "source_map", "url": "~/js/more.js.map"}}}`
)

func startBundleServer(t *testing.T) *sentryServer {
	t.Helper()
	c := configOn(storetest.NewURL(t))
	c.Blobs = core.Secret((&url.URL{Scheme: "file", Path: t.TempDir()}).String())
	s := startServer(t, c)
	s.makeProject(t)
	return &sentryServer{s, t}
}

// makeBundle makes a bundle with two source maps.
func makeBundle(t *testing.T, first, second string) []byte {
	t.Helper()
	bundle := bytes.NewBufferString("SYSB\x02\x00\x00\x00")
	w := zip.NewWriter(bundle)
	for name, text := range map[string]string{
		"manifest.json": manifestText, "files/_/_/js/app.js.map": first, "files/_/_/js/more.js.map": second,
	} {
		file, err := w.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(file, text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return bundle.Bytes()
}

func hashChunk(data []byte) string {
	sum := sha1.Sum(data) //nolint:gosec // the protocol names pieces with it
	return hex.EncodeToString(sum[:])
}

// sendChunk uploads a piece under a name, which should be its SHA-1.
func (s *sentryServer) sendChunk(token, name string, data []byte) (status int, decoded any) {
	s.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file_gzip", name)
	require.NoError(s, err)
	packed := gzip.NewWriter(part)
	_, err = packed.Write(data)
	require.NoError(s, err)
	require.NoError(s, packed.Close())
	require.NoError(s, form.Close())
	request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, "http://"+s.Addr()+"/api/0"+chunkPath, &body)
	require.NoError(s, err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", form.FormDataContentType())
	return s.readSentry(request)
}

// assembleOne asks to assemble a bundle of one piece, under a checksum.
func (s *sentryServer) assembleOne(token, checksum, chunk string) map[string]any {
	s.Helper()
	return s.mustAsk(http.StatusOK, token, http.MethodPost, assemblePath,
		fmt.Sprintf(`{"checksum": %q, "chunks": [%q], "projects": ["web-shop"], "version": "1.0"}`, checksum, chunk))
}

func TestSentryBundle(t *testing.T) {
	t.Parallel()
	s := startBundleServer(t)
	token := s.makeToken("web-shop", "releases:write")
	data := makeBundle(t, goodMap, goodMap)
	sum := hashChunk(data)

	require.EqualValues(t, 4<<20, s.mustAsk(http.StatusOK, token, "GET", chunkPath, "")["chunkSize"])
	require.Equal(t, map[string]any{"state": "not_found", "missingChunks": []any{sum}, "detail": nil}, s.assembleOne(token, sum, sum))
	status, decoded := s.sendChunk(token, sum, data)
	require.Equal(t, http.StatusOK, status, decoded)
	require.Equal(t, "not_found", s.assembleOne(adminToken, sum, sum)["state"], "pieces are their owner's")
	require.Equal(t, map[string]any{"state": "ok", "missingChunks": []any{}, "detail": nil}, s.assembleOne(token, sum, sum))

	listed := s.sendRequest(t.Context(), "GET", "/v1/sourcemaps?project=web-shop&release=1.0", "", nil).body
	require.Contains(t, listed, `"path":"/js/app.js"`)
	require.Contains(t, listed, `"path":"/js/more.js"`)
	require.Equal(t, "ok", s.assembleOne(token, sum, sum)["state"], "it was just put together")
	other := fmt.Sprintf(`{"checksum": %q, "chunks": [%q], "projects": ["web-shop"], "version": "2.0"}`, sum, sum)
	require.Equal(t, "not_found", s.mustAsk(http.StatusOK, token, "POST", assemblePath, other)["state"], "its pieces are deleted")
}

// TestSentryBundlesTogether uploads the same bundle from several jobs in parallel.
func TestSentryBundlesTogether(t *testing.T) {
	t.Parallel()
	s := startBundleServer(t)
	data := makeBundle(t, goodMap, goodMap)
	sum := hashChunk(data)
	const jobs = 6

	states := make([]any, jobs)
	errs := storetest.RunTogether(jobs, func(i int) error {
		if status, decoded := s.sendChunk(adminToken, sum, data); status != http.StatusOK {
			return fmt.Errorf("%d: %v", status, decoded)
		}
		states[i] = s.assembleOne(adminToken, sum, sum)["state"]
		return nil
	})

	storetest.RequireNoErrors(t, errs)
	for i, state := range states {
		require.Equal(t, "ok", state, i)
	}
	listed := s.sendRequest(t.Context(), "GET", "/v1/sourcemaps?project=web-shop", "", nil).body
	require.Equal(t, 2, strings.Count(listed, `"path":`))
}

func TestSentryBundleRefused(t *testing.T) {
	t.Parallel()
	s := startBundleServer(t)
	for name, test := range map[string]struct {
		bundle   []byte
		checksum string
		says     string
	}{
		"one map":        {makeBundle(t, goodMap, brokenMap), "", "1 of 2 source maps were refused, the others are stored: ~/js/more.js"},
		"no archive":     {[]byte("SYSB\x02\x00\x00\x00 and nothing"), "", "not a zip archive"},
		"wrong checksum": {makeBundle(t, goodMap, goodMap), hashChunk(nil), "checksum"},
	} {
		t.Run(name, func(t *testing.T) {
			sum := hashChunk(test.bundle)
			if test.checksum == "" {
				test.checksum = sum
			}
			status, decoded := s.sendChunk(adminToken, sum, test.bundle)
			require.Equal(t, http.StatusOK, status, decoded)

			answer := s.assembleOne(adminToken, test.checksum, sum)

			require.Equal(t, "error", answer["state"])
			require.Contains(t, answer["detail"], test.says)
		})
	}
	require.Contains(t, s.sendRequest(t.Context(), "GET", "/v1/sourcemaps?project=web-shop&release=1.0", "", nil).body, `"path":"/js/app.js"`)
}

func TestSentryChunksRefused(t *testing.T) {
	t.Parallel()
	s := startBundleServer(t)

	status, decoded := s.sendChunk(adminToken, hashChunk(nil), []byte("something else"))
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, decoded.(map[string]any)["detail"], "must be what their SHA-1 says")
	bomb := make([]byte, 5<<20)
	status, _ = s.sendChunk(adminToken, hashChunk(bomb), bomb)
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	status, decoded = s.askSentry(adminToken, http.MethodPost, chunkPath, "no form")
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, decoded.(map[string]any)["detail"], "multipart form")
}

func TestSentryBundlesNeedStorage(t *testing.T) {
	t.Parallel()
	s := startSentryServer(t)

	refused := s.mustAsk(http.StatusBadRequest, adminToken, "GET", chunkPath, "")

	require.Contains(t, refused["detail"], "BLOBS")
}
