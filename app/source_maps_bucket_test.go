package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/blob"
	"errand/blob/blobtest"
	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

const shopMap = `{"version":3,"sources":["../src/pay.js"],"sourcesContent":["pay()"],"names":[],"mappings":"AAAA"}`

// uploadMap uploads the map of a file.
func (s *server) uploadMap(t *testing.T, release, name, text string) answer {
	t.Helper()
	query := url.Values{"project": {"web-shop"}, "release": {release}, "name": {name}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Addr()+"/v1/sourcemaps?"+query.Encode(),
		strings.NewReader(text))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+adminToken)
	request.Header.Set("Content-Type", core.SourceMapJSON)
	return s.doRequest(request)
}

// sendCrash sends an event with one frame of a minified file, and returns it as the API shows it.
func (s *server) sendCrash(t *testing.T, key, release string) core.Event {
	t.Helper()
	body := fmt.Sprintf(`{"platform": "javascript", "release": %q,
		"exception": {"type": "Error", "value": "no cart", "stacktrace": {"frames": [
		{"function": "a", "abs_path": "https://shop.example/app.js", "lineno": 1, "colno": 1, "in_app": true}]}}}`, release)
	got := s.sendRequest(t.Context(), http.MethodPost, "/v1/ingest", key, strings.NewReader(body))
	require.NoError(t, got.err)
	require.Equal(t, http.StatusOK, got.status, got.body)
	var receipt core.Data[struct{ ID int64 }]
	require.NoError(t, json.Unmarshal([]byte(got.body), &receipt))
	var shown struct{ Event core.Event }
	s.getJSON(t, fmt.Sprintf("/v1/events/%d", receipt.Data.ID), &shown)
	return shown.Event
}

// mapCrash sends crashes until one is mapped, and returns the place in the source: on a busy machine the first one
// may come too early for the map.
func (s *server) mapCrash(t *testing.T, key, release string) (source *core.SourcePosition) {
	t.Helper()
	require.Eventually(t, func() bool {
		source = s.sendCrash(t, key, release).Exceptions[0].Frames[0].Source
		return source != nil
	}, atMost, every)
	return source
}

// TestSourceMapsInABucket takes a server through the life of its maps in a bucket. The maps outlive the server, and
// the server outlives the bucket.
func TestSourceMapsInABucket(t *testing.T) {
	t.Parallel()
	bucket := blobtest.RunServer(t)
	c := configWithJobs(storetest.NewURL(t))
	c.Blobs = core.Secret(bucket.URL(bucket.MakeBucket(t), bucket.Addr))
	blobs, err := blob.OpenStore(c.Blobs.Reveal(), os.Getenv)
	require.NoError(t, err)
	countBlobs := func() (count int) {
		for _, err := range blobs.List(t.Context(), store.SourceMapPrefix) {
			require.NoError(t, err)
			count++
		}
		return count
	}
	s := startServer(t, c)
	key := s.makeProject(t)

	require.Equal(t, http.StatusCreated, s.uploadMap(t, "1.0", "~/app.js", shopMap).status)
	require.Equal(t, http.StatusCreated, s.uploadMap(t, "1.0", "~/app.js", strings.Replace(shopMap, "pay.js", "till.js", 1)).status)
	require.Equal(t, 1, countBlobs(), "the old one is replaced")
	require.Equal(t, core.Untrusted("src/till.js"), s.mapCrash(t, key, "1.0").Path)
	s.stopServer(t)
	s = startServer(t, c)
	require.Equal(t, core.Untrusted("src/till.js"), s.mapCrash(t, key, "1.0").Path, "after a restart")

	bucket.Stop()
	refused := s.uploadMap(t, "2.0", "~/app.js", shopMap)
	require.Equal(t, http.StatusServiceUnavailable, refused.status, refused.body)
	require.NotEmpty(t, refused.header.Get("Retry-After"))
	s.stopServer(t)
	s = startServer(t, c) // without its bucket
	require.Contains(t, s.log.String(), "BLOBS cannot be reached")
	away := s.sendCrash(t, key, "1.0")
	require.Regexp(t, "^the (storage of source maps could not be read|source map was not read within 200 ms)",
		away.FindMapProblem("exceptions", 0, 0), "taken in, and marked")
	var maps []core.SourceMap
	s.getJSON(t, "/v1/sourcemaps?project=web-shop", &maps)
	require.Len(t, maps, 1, "what was refused is not recorded")

	require.NoError(t, bucket.Start())
	require.Equal(t, http.StatusCreated, s.uploadMap(t, "2.0", "~/app.js", shopMap).status)
	require.Equal(t, core.Untrusted("src/pay.js"), s.mapCrash(t, key, "2.0").Path)
	deleted := s.sendRequest(t.Context(), http.MethodDelete, fmt.Sprintf("/v1/sourcemaps/%d", maps[0].ID), "", nil)
	require.Equal(t, http.StatusOK, deleted.status, deleted.body)
	require.Equal(t, 1, countBlobs())
	require.NotContains(t, s.log.String(), blobtest.Secret)
}

func TestSourceMapsWithoutStorage(t *testing.T) {
	t.Parallel()
	s := startServer(t, configWithJobs(storetest.NewURL(t)))
	key := s.makeProject(t)

	refused := s.uploadMap(t, "1.0", "~/app.js", shopMap)
	event := s.sendCrash(t, key, "1.0")

	require.Equal(t, http.StatusBadRequest, refused.status)
	require.Contains(t, refused.body, "storage_not_configured")
	require.Contains(t, event.FindMapProblem("exceptions", 0, 0), "set BLOBS")
}
