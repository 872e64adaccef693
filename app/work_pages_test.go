package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

// postWithToken makes a POST with a token.
func (s *server) postWithToken(t *testing.T, path string, token any, body string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Addr()+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Authorization", fmt.Sprint("Bearer ", token))
	return s.doRequest(request)
}

// TestAgentsPage looks for claims, outcomes and the lines that connect an agent.
func TestAgentsPage(t *testing.T) {
	t.Parallel()
	s, databaseURL, ids := openIssues(t, hostileTitle, "another one")
	addMember(t, databaseURL, "viewer@example.org", core.RoleViewer)
	b := s.openAs(t, adminEmail)
	require.Contains(t, b.get("/agents").body, "No agent has taken an issue yet")
	made := s.postAsAdmin(t, "/v1/tokens", `{"name": "fixer <b>", "scopes": ["issues:read", "issues:write"]}`)
	call := func(path, body string) {
		got := s.postWithToken(t, path, made["token"], body)
		require.Less(t, got.status, http.StatusMultipleChoices, got.body)
	}
	call(fmt.Sprintf("/v1/issues/%d/claim", ids[0]), `{"worker": "ann <i>", "minutes": 30}`)
	call(fmt.Sprintf("/v1/issues/%d/notes", ids[0]), `{"text": "reading <script>alert(2)</script>"}`)
	call(fmt.Sprintf("/v1/issues/%d/fix", ids[1]), `{"commit": "abcdef1", "worker": "ann <i>"}`)

	page := b.get("/agents")

	require.Equal(t, http.StatusOK, page.status, page.body)
	requireHarmless(t, page.body)
	requireOrder(t, page.body, "<dd>1</dd><dt>fixes linked in 30 days", "At work now", "ann &lt;i&gt;", "token fixer &lt;b&gt;",
		"&lt;script&gt;alert(1)", "reading &lt;script&gt;", "1 note", "29 min left", "30 days", "fixer &lt;b&gt;", "Connect an agent",
		"claude mcp add --transport http errand "+s.URL()+"/mcp", "Codex", "Cursor", "VS Code", "Gemini")
	live := b.get("/agents?fragment=work")
	require.Contains(t, live.body, "29 min left")
	require.NotContains(t, live.body, "<h1>")
	require.Equal(t, http.StatusOK, s.openAs(t, "viewer@example.org").get("/agents").status)
	require.Equal(t, http.StatusNotFound, b.get("/agents?project=no-such-app").status)
}

// TestApprovalsPage decides about requests: one person approves what another asked for, and a second decision comes too late.
func TestApprovalsPage(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	c := peopleConfigOn(databaseURL)
	c.RequireApproval = "ignore,merge"
	s := startServer(t, c)
	require.Equal(t, http.StatusSeeOther, s.newBrowser(t).signUp(s.SignUpLink.Reveal()).status)
	key := s.makeProject(t)
	var ids []int64
	for _, message := range []string{hostileTitle, "kept", "merged", "late"} {
		ids = append(ids, s.sendMessage(t, key, message))
	}
	addMember(t, databaseURL, "member@example.org", core.RoleMember)
	addMember(t, databaseURL, "lead@example.org", core.RoleAdmin)
	b := s.openAs(t, adminEmail)
	require.Contains(t, b.get("/approvals").body, "Nothing waits")
	made := s.postAsAdmin(t, "/v1/tokens", `{"name": "fixer", "scopes": ["issues:read", "issues:write"]}`)
	ask := func(path, body string) {
		got := s.postWithToken(t, path, made["token"], body)
		require.Equal(t, http.StatusAccepted, got.status, got.body)
	}
	ask(fmt.Sprintf("/v1/issues/%d/ignore", ids[0]), `{"until": "30d", "after_users": 10}`)
	ask(fmt.Sprintf("/v1/issues/%d/merge", ids[1]), fmt.Sprintf(`{"source_ids": [%d]}`, ids[2]))

	ask(fmt.Sprintf("/v1/issues/%d/ignore", ids[3]), `{"until": "2100-01-02T03:04:05+02:00", "after_events": 5}`)

	page := b.get("/approvals").body

	requireHarmless(t, page)
	requireOrder(t, page, `Approvals<span class="number">3`, "Ignore", "late",
		`It returns on <time datetime="2100-01-02T01:04:05Z" title="2100-01-02 01:04:05 UTC" data-date>Jan 2 2100, 01:04</time> `+
			"or with 5 more events. It can be reopened", "Merge 1 issue into", "kept", "1 event and 0 users move to it",
		"It can be undone only event by event.", "Ignore", "&lt;script&gt;alert(1)",
		"It returns 30 days after the approval or with 10 more users.")
	lead := s.openAs(t, "lead@example.org")
	require.Contains(t, lead.get("/").body, `Approvals<span class="number">3`)
	require.NotContains(t, s.openAs(t, "member@example.org").get("/").body, "Approvals")
	refused := s.openAs(t, "member@example.org").get("/approvals")
	require.Equal(t, http.StatusForbidden, refused.status)
	require.Contains(t, refused.body, "admin")

	require.Contains(t, b.follow("/approvals/1", "decision", "approve"), "Approved, and done.")
	late := lead.follow("/approvals/1", "decision", "reject")
	require.Contains(t, late, "The request is decided already, or expired.")
	decided := lead.follow("/approvals/2", "decision", "reject")
	requireOrder(t, decided, "Rejected. Nothing was changed.", "late", "Decided", "rejected", "by lead@example.org", "approved",
		"by "+adminEmail)
	require.Equal(t, http.StatusNotFound, b.post("/approvals/999", "decision", "approve").status)
}

// TestReleasePages shows what a release brought and what it did.
func TestReleasePages(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	id := s.sendCrashes(t, "", "1.4.3<b>")
	addMember(t, databaseURL, "stranger@example.org", core.RoleViewer)
	s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/fix", id), `{"commit": "abcdef1"}`)
	s.postAsAdmin(t, "/v1/deploys", `{"project": "shop", "commit": "abcdef1", "release": "1.4.3<b>", "environment": "production"}`)
	b := s.openAs(t, adminEmail)

	list := b.get("/releases?project=shop").body

	requireHarmless(t, list)
	requireOrder(t, list, "1.4.3&lt;b&gt;", "Shop", "abcdef1", "production")
	require.NotContains(t, b.get("/releases?environment=staging").body, "1.4.3")
	address := "/releases/one?" + url.Values{"project": {"shop"}, "version": {"1.4.3<b>"}}.Encode()
	page := b.get(address)
	require.Equal(t, http.StatusOK, page.status, page.body)
	requireHarmless(t, page.body)
	requireOrder(t, page.body, "<h1>1.4.3&lt;b&gt;</h1>", "first deployed", "1 new issue", "1 fix in it", "New in this release", "TypeError",
		"Fixes in it", "commit abcdef1 by", "Deploys", "production", "Events around the deploy")
	require.Equal(t, http.StatusNotFound, b.get("/releases/one?project=shop&version=2").status)
}
