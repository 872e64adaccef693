package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

const (
	someCommit   = "aaaaaaa1111111111111111111111111111111aa"
	newestCommit = "bbbbbbb2222222222222222222222222222222bb"
	twoCommits   = `{"commits": [{"id": "` + newestCommit + `", "patch_set": []}, {"id": "` + someCommit + `"}]}`
)

// sentryServer is a server with the project web-shop, for tests of its Sentry API.
type sentryServer struct {
	*server
	*testing.T
}

func startSentryServer(t *testing.T) *sentryServer {
	t.Helper()
	s := startServer(t, configOn(storetest.NewURL(t)))
	s.makeProject(t)
	return &sentryServer{s, t}
}

// makeKiosk makes a second project, and returns the key of its DSN.
func (s *sentryServer) makeKiosk() string {
	s.Helper()
	dsn, err := url.Parse(s.postAsAdmin(s.T, "/v1/projects", `{"name": "Kiosk"}`)["dsn"].(string))
	require.NoError(s, err)
	return dsn.User.Username()
}

// makeToken makes a token, bound to the project if one is named.
func (s *sentryServer) makeToken(project string, scopes ...string) string {
	s.Helper()
	body := map[string]any{"name": "CI", "scopes": scopes}
	if project != "" {
		body["project"] = project
	}
	text, err := json.Marshal(body)
	require.NoError(s, err)
	return s.postAsAdmin(s.T, "/v1/tokens", string(text))["token"].(string)
}

// askSentry makes a request below /api/0 and decodes the answer, which is always JSON.
func (s *sentryServer) askSentry(token, method, path, body string) (status int, decoded any) {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), method, "http://"+s.Addr()+"/api/0"+path, strings.NewReader(body))
	require.NoError(s, err)
	request.Header.Set("Authorization", "Bearer "+token)
	return s.readSentry(request)
}

func (s *sentryServer) readSentry(request *http.Request) (status int, decoded any) {
	s.Helper()
	got := s.doRequest(request)
	require.NoError(s, got.err)
	require.Equal(s, "application/json", got.header.Get("Content-Type"), got.body)
	decoder := json.NewDecoder(bytes.NewReader([]byte(got.body)))
	require.NoError(s, decoder.Decode(&decoded), got.body)
	return got.status, decoded
}

// mustAsk makes a request that must have the status, and returns the object in the answer.
func (s *sentryServer) mustAsk(want int, token, method, path, body string) map[string]any {
	s.Helper()
	status, decoded := s.askSentry(token, method, path, body)
	require.Equal(s, want, status, "%s %s: %v", method, path, decoded)
	object, _ := decoded.(map[string]any)
	return object
}

// mustList makes a request that must be answered with a list.
func (s *sentryServer) mustList(token, path string) []any {
	s.Helper()
	status, decoded := s.askSentry(token, http.MethodGet, path, "")
	require.Equal(s, http.StatusOK, status, decoded)
	return decoded.([]any)
}

func TestSentryReleasesAndDeploys(t *testing.T) {
	t.Parallel()
	s := startSentryServer(t)
	token := s.makeToken("web-shop", "releases:write", "issues:read")
	releases := "/organizations/any/releases/"

	created := s.mustAsk(201, token, "POST", releases,
		`{"version": "shop@1.0/a", "projects": ["whatever-it-was"], "dateStarted": "2026-11-22T22:13:09.686413671Z"}`)
	s.mustAsk(200, token, "PUT", releases+"shop@1.0%2Fa/", `{"projects": ["web-shop"], "dateReleased": "2026-11-22T22:13:09Z"}`)
	require.Empty(t, s.mustAsk(200, token, "GET", releases+"shop@1.0%2Fa/previous-with-commits/", ""))
	s.mustAsk(200, token, "PUT", releases+"shop@1.0%2Fa/", twoCommits)
	deployed := s.mustAsk(201, token, "POST", releases+"shop@1.0%2Fa/deploys/",
		`{"environment": "staging", "name": null, "dateFinished": "2026-11-22T22:13:09Z"}`)

	require.Equal(t, "shop@1.0/a", created["version"])
	require.Equal(t, []any{"1", "staging"}, []any{deployed["id"], deployed["environment"]})
	require.Equal(t, "shop@1.0/a", s.mustList(token, "/projects/any/web-shop/releases/")[0].(map[string]any)["version"])
	require.Equal(t, "staging", s.mustList(token, releases+"shop@1.0%2Fa/deploys/")[0].(map[string]any)["environment"])
	before := s.mustAsk(200, token, "GET", releases+"1.1/previous-with-commits/", "")
	require.Equal(t, []any{"shop@1.0/a", map[string]any{"id": newestCommit}}, []any{before["version"], before["lastCommit"]})
	shown := s.sendRequest(t.Context(), "GET", "/v1/releases/shop@1.0%2Fa?project=web-shop", "", nil)
	require.Contains(t, shown.body, `"source":"sentry"`)
	require.Contains(t, shown.body, `"commit":"`+newestCommit+`"`)
}

// TestSentryDeployBringsFixes links a fix by a commit other than the newest.
func TestSentryDeployBringsFixes(t *testing.T) {
	t.Parallel()
	s := startSentryServer(t)
	key := s.makeKiosk()
	issue := s.sendEvent(t, key)
	s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/fix", issue), fmt.Sprintf(`{"commit": %q}`, someCommit))
	token := s.makeToken("", "releases:write")
	s.mustAsk(201, token, "POST", "/organizations/any/releases/", `{"version": "1.0", "projects": ["kiosk"]}`)
	s.mustAsk(200, token, "PUT", "/organizations/any/releases/1.0/", twoCommits)

	s.mustAsk(201, token, "POST", "/organizations/any/releases/1.0/deploys/", `{"environment": "production"}`)

	shown := s.sendRequest(t.Context(), "GET", fmt.Sprintf("/v1/issues/%d", issue), "", nil)
	require.Contains(t, shown.body, `"status":"fix_pending"`)
	require.Contains(t, shown.body, `"release":"1.0"`)
}

// sentry-cli sends the commits of set-commits --commit as refs of a repository.
func TestSentryCommitsAsRefs(t *testing.T) {
	t.Parallel()
	s := startSentryServer(t)
	token := s.makeToken("web-shop", "releases:write")
	refs := `{"refs": [{"repository": "acme/shop", "commit": "` + newestCommit + `", "previousCommit": "` + someCommit + `"}]}`

	s.mustAsk(http.StatusCreated, token, http.MethodPost, "/organizations/any/releases/", `{"version": "1.0", "projects": ["web-shop"]}`)
	s.mustAsk(http.StatusOK, token, http.MethodPut, "/organizations/any/releases/1.0/", refs)
	s.mustAsk(http.StatusCreated, token, http.MethodPost, "/organizations/any/releases/1.0/deploys/", `{"environment": "production"}`)

	shown := s.sendRequest(t.Context(), http.MethodGet, "/v1/releases/1.0?project=web-shop", "", nil).body
	require.Contains(t, shown, `"commit":"`+newestCommit+`"`)
}

func TestSentryDeployNamesNoCommit(t *testing.T) {
	t.Parallel()
	s := startSentryServer(t)
	for _, version := range []string{"1.0", someCommit} {
		s.mustAsk(201, adminToken, "POST", "/organizations/any/releases/", fmt.Sprintf(`{"version": %q, "projects": ["web-shop"]}`, version))
	}

	refused := s.mustAsk(400, adminToken, "POST", "/organizations/any/releases/1.0/deploys/", `{"environment": "production"}`)
	s.mustAsk(201, adminToken, "POST", "/organizations/any/releases/"+someCommit+"/deploys/", `{"environment": "production"}`)

	require.Contains(t, refused["detail"], "run sentry-cli releases set-commits 1.0 --auto first")
}

func TestSentryReleaseOfSeveralProjects(t *testing.T) {
	t.Parallel()
	s := startSentryServer(t)
	s.makeKiosk()
	for _, slug := range []string{"web-shop", "kiosk"} {
		s.mustAsk(201, adminToken, "POST", "/organizations/any/releases/", fmt.Sprintf(`{"version": %q, "projects": [%q]}`, someCommit, slug))
	}
	deploys := "/releases/" + someCommit + "/deploys/"

	refused := s.mustAsk(400, adminToken, "POST", "/organizations/any"+deploys, `{"environment": "production"}`)
	s.mustAsk(201, adminToken, "POST", "/organizations/kiosk"+deploys, `{"environment": "production"}`)

	require.Contains(t, refused["detail"], "2 projects have this release, which was not made for all of them in one call")
	require.Empty(t, s.mustList(adminToken, "/organizations/web-shop"+deploys))
	require.Len(t, s.mustList(adminToken, "/organizations/kiosk"+deploys), 1)
}

func TestSentryInfoAndLists(t *testing.T) {
	t.Parallel()
	s := startSentryServer(t)
	s.makeKiosk()
	bound := s.makeToken("web-shop", "releases:write", "issues:read")

	info := s.mustAsk(200, bound, "GET", "/", "")

	require.Equal(t, []any{"releases:write", "issues:read"}, info["auth"].(map[string]any)["scopes"])
	require.Equal(t, "0.0.0", info["version"])
	require.Len(t, s.mustList(bound, "/organizations/any/projects/?cursor="), 1)
	require.Len(t, s.mustList(adminToken, "/organizations/any/projects/?cursor="), 2)
	require.Equal(t, "errand", s.mustList(bound, "/organizations/?cursor=")[0].(map[string]any)["slug"])
	require.Empty(t, s.mustList(bound, "/organizations/any/repos/?cursor="))
}

func TestSentryRefuses(t *testing.T) {
	t.Parallel()
	s := startSentryServer(t)
	s.makeKiosk()
	reader, bound := s.makeToken("", "issues:read"), s.makeToken("web-shop", "releases:write")
	releases := "/organizations/any/releases/"
	longVersion := strings.Repeat("x", 201)
	for name, test := range map[string]struct {
		token, method, path, body string
		status                    int
		detail                    string
	}{
		"no token":           {"", "GET", "/", "", 401, "SENTRY_AUTH_TOKEN must be a token of Errand"},
		"wrong token":        {"ck_wrong", "POST", releases, "{}", 401, "SENTRY_AUTH_TOKEN"},
		"wrong scope":        {reader, "POST", releases, "{}", 403, "lacks the scope releases:write"},
		"reading scope":      {bound, "GET", "/organizations/any/projects/", "", 403, "lacks the scope issues:read"},
		"another project":    {bound, "POST", releases, `{"version": "1", "projects": ["kiosk"]}`, 403, "another project than that of the token"},
		"unknown project":    {adminToken, "POST", releases, `{"version": "1", "projects": ["nope"]}`, 404, "No project has this slug"},
		"no project":         {adminToken, "POST", releases, `{"projects": []}`, 400, "projects must name a project"},
		"unknown release":    {adminToken, "POST", releases + "9/deploys/", `{"environment": "e"}`, 404, `There is no release "9"`},
		"no such release":    {bound, "GET", releases + "9/", ``, 403, "issues:read"},
		"blank version":      {adminToken, "POST", releases, `{"version": " ", "projects": ["web-shop"]}`, 400, "version must not be blank"},
		"long version":       {adminToken, "POST", releases, `{"version": "` + longVersion + `", "projects": ["web-shop"]}`, 400, "at most 200"},
		"wrong commit":       {bound, "PUT", releases + "1/", `{"commits": [{"id": "main"}]}`, 400, "commits.0.id"},
		"archive":            {bound, "POST", releases, `{"version": "1", "projects": [], "status": "archived"}`, 400, "not archived here"},
		"not JSON":           {bound, "POST", releases, `version=1`, 400, "must be JSON"},
		"long environment":   {bound, "POST", releases + someCommit + "/deploys/", `{"environment": "` + longVersion + `"}`, 400, "environment"},
		"unknown part":       {bound, "GET", "/organizations/any/monitors/", "", 400, "With sentry-cli there are: info,"},
		"issues":             {bound, "GET", "/projects/any/web-shop/issues/?query=&cursor=", "", 400, "With sentry-cli there are"},
		"debug files":        {bound, "POST", "/projects/any/web-shop/files/difs/assemble/", "{}", 400, "With sentry-cli there are"},
		"deletion":           {bound, "DELETE", releases + "1/", "", 400, "releases are not deleted here"},
		"an ingest endpoint": {bound, "POST", "/envelope/", "{}", 404, "With sentry-cli there are"},
	} {
		t.Run(name, func(t *testing.T) {
			status, decoded := s.askSentry(test.token, test.method, test.path, test.body)

			require.Equal(t, test.status, status, decoded)
			require.Contains(t, decoded.(map[string]any)["detail"], test.detail)
		})
	}
}

func TestSentryRefusesBeforeTheBody(t *testing.T) {
	t.Parallel()
	s := startSentryServer(t)
	body, end := io.Pipe()
	t.Cleanup(func() { _ = end.Close() })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Addr()+"/api/0/organizations/any/chunk-upload/", body)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer ck_wrong")

	status, _ := s.readSentry(request)

	require.Equal(t, http.StatusUnauthorized, status)
}
