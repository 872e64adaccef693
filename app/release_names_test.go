package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

// releaseNames are names from builds, and from hostile or careless scripts.
var releaseNames = []string{
	"9.8", "9.9 ", " 9.9", "\t9.9", "9.9\n", "9.9\r\n", "9.9\u00a0", "9.9\u200b", "9.\u202e9", "\u20669.9\u2069",
	"1.4.0", "v1.4.0-rc.1+build.5", "shop@1.4.0", "shop@1.4.0+20261123.1", "app@1.0+378282246310005", "app 4111 1111 1111 1111",
	"app@5555555555554444", "2026.20261123", "2026-11-23T10:00:00Z", "release-20261123-101500", "build 123456", "build #1234567",
	"api_key_rotator=1.4", "token: 1.4", "password=hunter2", "auth-service/1.0", "session-store@2", "https://user:pass@host/1.0",
	"secret_santa=2026", "Bearer abcdefghijklmnop", "0123456789abcdef0123456789abcdef01234567", "abcdef1", "12345678",
	"feature/cart", `C:\build\7`, "version 1.0 (42)", "日本語 1.0", "café-1.0", "1.0\u0301", "a%20b", "a b  c", "\"1.0\"", "(1.0)", "null",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U", "[Filtered]", "1.0 [Filtered]",
}

// namesShop is a server with a project that masks runs of digits.
type namesShop struct {
	*server
	*testing.T
	databaseURL, key string
}

func openNamesShop(t *testing.T) *namesShop {
	t.Helper()
	h := &namesShop{T: t, databaseURL: storetest.NewURL(t)}
	h.server = startServer(t, configOn(h.databaseURL))
	h.key = h.makeProject(t)
	h.setPatterns(`\d{6,}`)
	return h
}

func (h *namesShop) setPatterns(patterns ...string) {
	h.Helper()
	body, _ := json.Marshal(map[string]any{"scrub_patterns": patterns})
	got := h.sendRequest(h.Context(), http.MethodPatch, "/v1/projects/web-shop", "", strings.NewReader(string(body)))
	require.Equal(h, http.StatusOK, got.status, got.body)
}

func (h *namesShop) sendErrorOf(message, release string) (issue int64) {
	h.Helper()
	body, _ := json.Marshal(map[string]any{"message": message, "release": release})
	got := h.sendRequest(h.Context(), http.MethodPost, "/v1/ingest", h.key, strings.NewReader(string(body)))
	require.Equal(h, http.StatusOK, got.status, got.body)
	var receipt core.Data[struct {
		IssueID int64 `json:"issue_id"`
	}]
	require.NoError(h, json.Unmarshal([]byte(got.body), &receipt))
	return receipt.Data.IssueID
}

// brokenCart is a message that makes its own issue.
func brokenCart(n int) string { return fmt.Sprintf("cart %c%c is broken", 'a'+n/26, 'a'+n%26) }

// fixIssue links a fix to a new issue and deploys it as a release.
func (h *namesShop) fixIssue(n int, release string) (issue int64, deployed map[string]any) {
	h.Helper()
	issue = h.sendErrorOf(brokenCart(n), "before")
	commit := fmt.Sprintf("%040x", 0xabcdef000+n)
	h.postAsAdmin(h.T, fmt.Sprintf("/v1/issues/%d/fix", issue), fmt.Sprintf(`{"commit": %q}`, commit))
	body, _ := json.Marshal(map[string]any{"project": "web-shop", "commit": commit, "release": release})
	return issue, h.postAsAdmin(h.T, "/v1/deploys", string(body))
}

// verifyAWeekLater verifies fixes as if the present quiet had lasted for a week.
func (h *namesShop) verifyAWeekLater() {
	h.Helper()
	later := storetest.Open(h, h.databaseURL, func() time.Time { return time.Now().AddDate(0, 0, 8) })
	require.NoError(h, later.VerifyFixes(h.Context()))
}

func (h *namesShop) requireStatus(want core.Status, issue int64, why string) {
	h.Helper()
	require.Contains(h, h.get(fmt.Sprintf("/v1/issues/%d", issue)), fmt.Sprintf(`"status":%q`, want), why)
}

// get returns the body of an answer. It must not show how names are stored.
func (h *namesShop) get(path string) string {
	h.Helper()
	got := h.sendRequest(h.Context(), http.MethodGet, path, "", nil)
	require.Equal(h, http.StatusOK, got.status, got.body)
	require.NotContains(h, got.body, `\u001f`)
	return got.body
}

func TestDeployedReleasesMeetTheirEvents(t *testing.T) {
	t.Parallel()
	h := openNamesShop(t)
	for n, name := range releaseNames {
		t.Run(fmt.Sprintf("%+q", name), func(t *testing.T) {
			h := &namesShop{h.server, t, h.databaseURL, h.key}
			h.setPatterns(`\d{6,}`)
			issue, _ := h.fixIssue(2*n, name)
			control, deployed := h.fixIssue(2*n+1, name)
			h.sendErrorOf("something else", name) // a sign of life

			h.sendErrorOf(brokenCart(2*n), name)

			h.requireStatus(core.Regressed, issue, "the error goes on")
			h.verifyAWeekLater()
			h.requireStatus(core.Verified, control, "its error stayed away")
			shown := h.get("/v1/releases/" + url.PathEscape(name) + "?project=web-shop")
			require.Contains(t, shown, fmt.Sprintf(`"regressed_issue_ids":[%d`, issue), "found by the name with which it was deployed")
			version, _ := json.Marshal(deployed["release"])
			require.Contains(t, shown, `"version":`+string(version))
			require.Contains(t, h.get(fmt.Sprintf("/v1/issues/%d", issue)), `"last_release":`+string(version), "shown as the deploy")
			listed := h.get("/v1/issues?release=" + url.QueryEscape(name))
			require.Contains(t, listed, fmt.Sprintf(`"id":%d,`, issue))
		})
	}
}

func TestReleasesThatAreMaskedAlikeStayTwo(t *testing.T) {
	t.Parallel()
	h := openNamesShop(t)
	issue, first := h.fixIssue(1, "app@1.0+123456")
	other, second := h.fixIssue(2, "app@1.0+654321")
	require.Equal(t, first["release"], second["release"])
	require.Equal(t, "app@1.0+[Filtered]", first["release"])

	h.sendErrorOf(brokenCart(2), "app@1.0+123456") // in the release before its fix

	h.requireStatus(core.FixPending, other, "the first of the two has not its fix")
	h.verifyAWeekLater()
	h.requireStatus(core.Verified, issue, "nothing came of it")
	require.NotContains(t, h.get("/v1/issues?release=app@1.0%2B654321"), fmt.Sprintf(`"id":%d,`, other))
	require.Contains(t, h.get("/v1/issues?release=app@1.0%2B123456"), fmt.Sprintf(`"id":%d,`, other))
	require.Contains(t, h.get("/v1/issues?release=app@1.0%2B%5BFiltered%5D"), fmt.Sprintf(`"id":%d,`, other), "by what an agent is shown")
}

// TestReleaseMeetsItsEventsWhenTheRulesChange adds a pattern between the deploy and the event, and removes it.
func TestReleaseMeetsItsEventsWhenTheRulesChange(t *testing.T) {
	t.Parallel()
	h := openNamesShop(t)
	for n, patterns := range [][2][]string{{{}, {`\d{6,}`}}, {{`\d{6,}`}, {}}, {{`\d{6,}`}, {`2026`}}} {
		h.setPatterns(patterns[0]...)
		name := fmt.Sprint("build-", 20261120+n)
		issue, _ := h.fixIssue(n, name)
		h.setPatterns(patterns[1]...)
		h.restart() // ingest reads the rules within a minute

		h.sendErrorOf(brokenCart(n), name)

		h.requireStatus(core.Regressed, issue, name)
	}
}

// restart makes the server forget what it knows about projects.
func (h *namesShop) restart() {
	h.Helper()
	h.stopServer(h.T)
	h.server = startServer(h.T, configOn(h.databaseURL))
}

// TestSentryCLIAndEventsNameOneRelease makes, extends and deploys a release with a masked name through sentry-cli.
func TestSentryCLIAndEventsNameOneRelease(t *testing.T) {
	t.Parallel()
	s := startSentryServer(t)
	h := &namesShop{s.server, t, "", s.makeKiosk()}
	issue := h.sendErrorOf("boom", "before")
	s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/fix", issue), fmt.Sprintf(`{"commit": %q}`, someCommit))
	token := s.makeToken("kiosk", "releases:write", "issues:read")
	path := "/organizations/any/releases/" + url.PathEscape("app@1.0+378282246310005")
	s.mustAsk(201, token, "POST", "/organizations/any/releases/", `{"version": "app@1.0+378282246310005 ", "projects": ["kiosk"]}`)
	s.mustAsk(200, token, "PUT", path+"/", twoCommits)

	s.mustAsk(201, token, "POST", path+"/deploys/", `{"environment": "production"}`)
	h.sendErrorOf("boom", "app@1.0+378282246310005\t")

	h.requireStatus(core.Regressed, issue, "")
	require.Len(t, s.mustList(token, "/projects/any/kiosk/releases/"), 1, "it is one release")
	require.Equal(t, "app@1.0+[Filtered]", s.mustAsk(200, token, "GET", path+"/", "")["version"])
	before := s.mustAsk(200, token, "GET", "/organizations/any/releases/1.1/previous-with-commits/", "")
	require.Equal(t, "app@1.0+[Filtered]", before["version"])
}

// TestDeploymentOfSourceControlMeetsMaskedCommits uses a pattern that masks a part of most SHAs, which are the names of releases.
func TestDeploymentOfSourceControlMeetsMaskedCommits(t *testing.T) {
	t.Parallel()
	s := openSCMShop(t)
	h := &namesShop{s.server, t, s.databaseURL, ""}
	h.setPatterns(`\d{4,}`)
	h.key = s.postAsAdmin(t, "/v1/projects/web-shop/keys", `{}`)["public_key"].(string)
	for n, release := range []string{headCommit, headCommit[:20], strings.ToUpper(headCommit)} {
		issue := h.sendErrorOf(brokenCart(n), "before")
		s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/fix", issue), fmt.Sprintf(`{"commit": %q}`, headCommit))
		s.sendReport("deployment_status", deploymentOf("success", headCommit, "production"))

		h.sendErrorOf(brokenCart(n), release)

		h.requireStatus(core.Regressed, issue, release)
	}
}
