package surfacetest_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api/surfacetest"
	"errand/blob"
	"errand/core"
	"errand/store/storetest"
)

// sourceMapCases are parityCases of source maps.
var sourceMapCases = []parityCase{
	{core.ListSourceMaps.Operation, success, "reader", `{"project": $project}`},
	{core.ListSourceMaps.Operation, success, "reader", `{"project": "web-shop", "release": "shop@1", "limit": "1"}`},
	{core.ListSourceMaps.Operation, core.ProjectNotFound, "reader", `{"project": "no-such-app"}`},
	{core.ListSourceMaps.Operation, core.InvalidRequest, "reader", `{"project": $project, "cursor": "$issuecursor"}`},

	{core.DeleteSourceMap.Operation, success, "deployer", `{"id": $map}`},
	{core.DeleteSourceMap.Operation, core.NotFound, "deployer", `{"id": $missing}`},
	{core.DeleteSourceMap.Operation, core.ForbiddenProject, "bound", `{"id": $map}`},
}

// smallMap maps one position.
const smallMap = `{"version":3,"sources":["src/pay.js"],"names":[],"mappings":"AAAA"}`

// newMapSurface serves the surfaces with a folder for source maps and a project.
func newMapSurface(t *testing.T) (*surfacetest.Surface, int64) {
	t.Helper()
	blobs, err := blob.OpenStore("file://"+t.TempDir(), os.Getenv)
	require.NoError(t, err)
	s := surfacetest.ServeSurfaces(t, surfacetest.Options{Store: storetest.New(t), Blobs: blobs})
	return s, s.CreateProject(t)
}

// uploadMap uploads a body as a map of /app.js.
func uploadMap(t *testing.T, s *surfacetest.Surface, token, query, kind string, body string) surfacetest.Answer {
	t.Helper()
	header := map[string]string{}
	if kind != "" {
		header["Content-Type"] = kind
	}
	return s.SendRequest(t, surfacetest.Request{
		Method: http.MethodPost, Path: "/v1/sourcemaps" + query, Token: token, Header: header, Body: strings.NewReader(body),
	})
}

func TestUploadSourceMapOverREST(t *testing.T) {
	t.Parallel()
	s, project := newMapSurface(t)
	query := fmt.Sprintf("?project=%d&release=1.0&name=https://shop.example/app.js?v=2", project)

	answer := uploadMap(t, s, surfacetest.AdminToken, query, "application/json; charset=utf-8", smallMap)

	require.Equal(t, http.StatusCreated, answer.Status, answer.Body)
	data, _ := objectOf(t, answer.Body)["data"].(map[string]any)
	require.Equal(t, "/app.js", data["path"])
	require.Equal(t, "https://shop.example/app.js?v=2", data["name"])
	require.EqualValues(t, 1, data["sources"])
	require.Equal(t, "ADMIN_TOKEN", data["uploaded_by"])
}

func TestUploadSourceMapRefusals(t *testing.T) {
	t.Parallel()
	s, project := newMapSurface(t)
	token, reader := s.CreateToken(t, core.ReleasesWrite), s.CreateToken(t, core.IssuesRead)
	bound := s.CreateBoundToken(t, s.CreateProject(t), core.ReleasesWrite)
	good := fmt.Sprintf("?project=%d&release=1.0&name=app.js", project)
	tooLarge := fmt.Sprintf(`{"error":"payload_too_large","max_bytes":%d}`, 30<<20)
	const asJSON, asIndex = "application/json", "application/x-service-sourcemap-index"
	for name, c := range map[string]struct {
		token, query, kind, body string
		status                   int
		answer                   string // a part of it
	}{
		"no token":     {"", good, asJSON, smallMap, http.StatusUnauthorized, "unauthorized"},
		"no scope":     {reader, good, asJSON, smallMap, http.StatusForbidden, `"required_scope":"releases:write"`},
		"another type": {token, good, "text/plain", smallMap, http.StatusUnsupportedMediaType, `"supported":["application/json"`},
		"no type":      {token, good, "", smallMap, http.StatusUnsupportedMediaType, "unsupported_media_type"},
		"no name": {token, fmt.Sprintf("?project=%d&release=1.0", project), asJSON, smallMap, http.StatusBadRequest,
			`"path":"name"`},
		"nothing":          {token, "", asJSON, smallMap, http.StatusBadRequest, `"path":"release"`},
		"a field too many": {token, good + "&bundle=1", asJSON, smallMap, http.StatusBadRequest, `"path":"bundle"`},
		"a path that climbs": {token, fmt.Sprintf("?project=%d&release=1.0&name=a/../app.js", project), asJSON, smallMap,
			http.StatusBadRequest, `"path":"name"`},
		"no such project": {token, "?project=no-such-app&release=1.0&name=app.js", asJSON, smallMap, http.StatusNotFound,
			"project_not_found"},
		"a token of another app": {bound, good, asJSON, smallMap, http.StatusForbidden, "forbidden_project"},
		"not JSON":               {token, good, asJSON, "<html>", http.StatusBadRequest, `"reason":"not JSON"`},
		"version 2": {token, good, asJSON, `{"version":2,"sources":[],"mappings":""}`, http.StatusBadRequest,
			`"reason":"not version 3"`},
		"sections": {token, good, asJSON, `{"version":3,"sections":[]}`, http.StatusBadRequest, `"reason":"a map with sections"`},
		"broken mappings": {token, good, asJSON, `{"version":3,"sources":[],"mappings":"!"}`, http.StatusBadRequest,
			`"reason":"broken mappings"`},
		"no index":                {token, good, asIndex, smallMap, http.StatusBadRequest, `"reason":"broken index"`},
		"too large":               {token, good, asJSON, smallMap + strings.Repeat(" ", 30<<20), http.StatusRequestEntityTooLarge, tooLarge},
		"too large without blobs": {token, good, asIndex, strings.Repeat(" ", 30<<20+1), http.StatusRequestEntityTooLarge, tooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := uploadMap(t, s, c.token, c.query, c.kind, c.body)
			require.Equal(t, c.status, answer.Status, answer.Body)
			require.Contains(t, answer.Body, c.answer)
		})
	}
}

// A body of unknown length is cut off at the limit.
func TestUploadOfUnknownLengthIsLimited(t *testing.T) {
	t.Parallel()
	s, project := newMapSurface(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		fmt.Sprintf("%s/v1/sourcemaps?project=%d&release=1.0&name=app.js", s.URL, project),
		struct{ *strings.Reader }{strings.NewReader(smallMap + strings.Repeat(" ", 30<<20))})
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+surfacetest.AdminToken)
	request.Header.Set("Content-Type", "application/json")
	request.ContentLength = -1

	response, err := http.DefaultClient.Do(request)

	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusRequestEntityTooLarge, response.StatusCode)
}

func TestUploadWithoutStorage(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)

	answer := uploadMap(t, s, surfacetest.AdminToken, fmt.Sprintf("?project=%d&release=1.0&name=app.js", s.CreateProject(t)),
		"application/json", smallMap)

	require.Equal(t, http.StatusBadRequest, answer.Status)
	require.JSONEq(t, `{"error":"storage_not_configured"}`, answer.Body)
}
