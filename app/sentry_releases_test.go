package app_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const sentryReleases = "/organizations/any/releases/"

// TestSentryReleaseMadeForSeveralProjects makes the calls for a release of two projects. Only the first call names them.
func TestSentryReleaseMadeForSeveralProjects(t *testing.T) {
	t.Parallel()
	s := startSentryServer(t)
	fixed := s.sendEvent(t, s.makeKiosk())
	s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/fix", fixed), fmt.Sprintf(`{"commit": %q}`, someCommit))
	token := s.makeToken("", "releases:write", "issues:read")

	s.mustAsk(201, token, "POST", sentryReleases, `{"version": "1.0", "projects": ["web-shop", "kiosk"]}`)
	s.mustAsk(201, token, "POST", sentryReleases, `{"version": "1.0", "projects": ["kiosk"]}`)
	s.mustAsk(200, token, "GET", sentryReleases+"1.0/previous-with-commits/", "")
	s.mustAsk(200, token, "PUT", sentryReleases+"1.0/", twoCommits)
	require.Nil(t, s.mustAsk(200, token, "GET", sentryReleases+"1.0/", "")["dateReleased"])
	s.mustAsk(200, token, "PUT", sentryReleases+"1.0/", `{"dateReleased": "2026-11-22T22:13:09Z"}`)
	s.mustAsk(201, token, "POST", sentryReleases+"1.0/deploys/", `{"environment": "production"}`)

	for _, project := range []string{"web-shop", "kiosk"} {
		shown := s.sendRequest(t.Context(), http.MethodGet, "/v1/releases/1.0?project="+project, "", nil).body
		require.Contains(t, shown, `"environment":"production","commit":"`+newestCommit, project)
		require.NotNil(t, s.mustList(token, "/projects/any/"+project+"/releases/")[0].(map[string]any)["dateReleased"])
	}
	require.Contains(t, s.sendRequest(t.Context(), "GET", fmt.Sprintf("/v1/issues/%d", fixed), "", nil).body, `"release":"1.0"`)
	info := s.mustAsk(200, token, "GET", sentryReleases+"1.0/", "")
	require.NotNil(t, info["dateReleased"])
	require.ElementsMatch(t, info["projects"],
		[]any{map[string]any{"slug": "web-shop", "name": "Web shop"}, map[string]any{"slug": "kiosk", "name": "Kiosk"}})
	require.Len(t, s.mustList(token, sentryReleases), 1, "of both projects it is one release")
	require.Len(t, s.mustList(token, sentryReleases+"1.0/deploys/"), 2)
	before := s.mustAsk(200, token, "GET", sentryReleases+"1.0/previous-with-commits/", "")
	require.Empty(t, before)
}

// TestSentryReleasesAreFinalized finalizes a release before it is deployed.
func TestSentryReleasesAreFinalized(t *testing.T) {
	t.Parallel()
	s := startSentryServer(t)
	s.mustAsk(201, adminToken, "POST", sentryReleases, `{"version": "1.0", "projects": ["web-shop"]}`)
	s.mustAsk(201, adminToken, "POST", sentryReleases, `{"version": "1.1", "projects": ["web-shop"], "dateReleased": "2026-11-22T22:13:09Z"}`)
	s.mustAsk(200, adminToken, "PUT", sentryReleases+"1.1/", `{"dateReleased": "2026-11-22T22:13:09Z"}`)

	listed := map[string]bool{}
	for _, one := range s.mustList(adminToken, sentryReleases) {
		listed[one.(map[string]any)["version"].(string)] = one.(map[string]any)["dateReleased"] != nil
	}

	require.Equal(t, map[string]bool{"1.0": false, "1.1": true}, listed)
}
