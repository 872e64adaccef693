package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// hostileTitle is a message that an app may send.
const hostileTitle = "\"><script>alert(1)</script><img src=x onerror=alert(1)> pay\u202egnp.exe a\u200bb"

// openIssues starts a server with the first site admin, a project, and issues with the messages. It returns their ids.
func openIssues(t *testing.T, messages ...string) (s *server, databaseURL string, ids []int64) {
	t.Helper()
	s, databaseURL = openSite(t)
	key := s.makeProject(t)
	for _, message := range messages {
		ids = append(ids, s.sendMessage(t, key, message))
	}
	return s, databaseURL, ids
}

// sendMessage sends an error with a message, and returns the id of its issue.
func (s *server) sendMessage(t *testing.T, key, message string) int64 {
	t.Helper()
	body, err := core.MarshalPlain(map[string]string{"message": message, "level": "error"})
	require.NoError(t, err)
	return s.sendBody(t, key, body)
}

// sendBody sends an event as JSON, and returns the id of its issue.
func (s *server) sendBody(t *testing.T, key string, event []byte) int64 {
	t.Helper()
	got := s.sendRequest(t.Context(), http.MethodPost, "/v1/ingest", key, bytes.NewReader(event))
	require.Equal(t, http.StatusOK, got.status, got.body)
	var receipt core.Data[struct {
		IssueID int64 `json:"issue_id"`
	}]
	require.NoError(t, json.Unmarshal([]byte(got.body), &receipt))
	return receipt.Data.IssueID
}

// addMember adds a user with a role in a team that has the project web-shop.
func addMember(t *testing.T, databaseURL, email string, role core.TeamRole) {
	t.Helper()
	rows := storetest.Open(t, databaseURL, time.Now)
	user := addUser(t, databaseURL, email, adminPassword)
	owner := addUser(t, databaseURL, "owner-of-"+email, "")
	by := core.NewBootstrapActor()
	team, err := rows.CreateTeam(t.Context(), by, "Team of "+email, owner.ID)
	require.NoError(t, err)
	projects, err := rows.ListProjects(t.Context())
	require.NoError(t, err)
	require.NoError(t, rows.AssignProject(t.Context(), by, team.ID, projects[0].ID))
	_, err = rows.AddTeamMember(t.Context(), by, store.NewTeamMember{TeamID: team.ID, UserID: user.ID, Role: role})
	require.NoError(t, err)
}

// openAs opens a browser that a user is signed in to.
func (s *server) openAs(t *testing.T, email string) *browser {
	t.Helper()
	b := s.newBrowser(t)
	b.signIn(email, adminPassword)
	return b
}

// follow sends a form, which must redirect, and returns the next page.
func (b *browser) follow(path string, fields ...string) string {
	b.Helper()
	sent := b.post(path, fields...)
	require.Equal(b, http.StatusSeeOther, sent.status, sent.body)
	page := b.get(sent.header.Get("Location"))
	require.Equal(b, http.StatusOK, page.status, page.body)
	return page.body
}

// TestFirstPage opens / signed out, and as people who see nothing yet.
func TestFirstPage(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	nobody := s.newBrowser(t).get("/")
	require.Equal(t, http.StatusOK, nobody.status)
	require.Contains(t, nobody.body, `action="/sign-in"`)
	require.Contains(t, nobody.body, `href="/docs"`)
	require.Equal(t, "/sign-in?return_to=%2F%3Fstatus%3Dresolved", s.newBrowser(t).get("/?status=resolved").header.Get("Location"))

	first := s.openAs(t, adminEmail).get("/").body
	require.Contains(t, first, "No application is connected yet")
	require.Contains(t, first, `href="/welcome"`)
	addUser(t, databaseURL, "bob@example.com", adminPassword)
	bob := s.openAs(t, "bob@example.com").get("/").body
	require.Contains(t, bob, "You see no project yet")
	require.NotContains(t, bob, "/web/gallery")
	key := s.makeProject(t)
	waiting := s.openAs(t, adminEmail).get("/").body
	require.Contains(t, waiting, "No event has come in yet")
	require.Contains(t, waiting, `href="/welcome"`)
	for status, text := range map[string]string{
		"regressed": "Nothing came back", "fix_pending": "No fix waits", "verified": "No fix is verified yet", "resolved": "Nothing is resolved",
		"ignored": "Nothing is ignored", "open&project=web-shop": "No issue passes these filters",
	} {
		require.Contains(t, s.openAs(t, adminEmail).get("/?status="+status).body, text, status)
	}
	id := s.sendMessage(t, key, "cart cannot be loaded")
	require.Contains(t, s.openAs(t, adminEmail).follow("/issues/change", "action", "ignore", "id", fmt.Sprint(id)), "Nothing is broken")
}

// TestIssuesPageByRole shows what each role sees and may do.
func TestIssuesPageByRole(t *testing.T) {
	t.Parallel()
	s, databaseURL, ids := openIssues(t, "cart cannot be loaded")
	addMember(t, databaseURL, "viewer@example.com", core.RoleViewer)
	addMember(t, databaseURL, "member@example.com", core.RoleMember)
	addUser(t, databaseURL, "other@example.com", adminPassword)
	row := fmt.Sprintf(`href="/issues/%d"`, ids[0])
	for email, want := range map[string]struct{ sees, changes bool }{
		adminEmail: {true, true}, "member@example.com": {true, true}, "viewer@example.com": {true, false}, "other@example.com": {false, false},
	} {
		b := s.openAs(t, email)
		page := b.get("/")
		require.Equal(t, http.StatusOK, page.status, page.body)
		require.Equal(t, want.sees, strings.Contains(page.body, row), email)
		require.Equal(t, want.changes, strings.Contains(page.body, `value="resolve"`), email)
		require.Equal(t, want.changes, strings.Contains(page.body, `type="checkbox"`), email)

		sent := b.post("/issues/change", "action", "claim", "id", fmt.Sprint(ids[0]), "return_to", "/")
		switch {
		case want.changes:
			require.Equal(t, http.StatusSeeOther, sent.status, sent.body)
		case want.sees:
			require.Equal(t, http.StatusForbidden, sent.status, sent.body)
			require.Contains(t, sent.body, "at least the role member")
			require.Contains(t, sent.body, "A site admin can give it to you")
		}
		gallery := b.get("/web/gallery")
		if email != adminEmail {
			require.Equal(t, http.StatusForbidden, gallery.status)
			require.Contains(t, gallery.body, "This needs a site admin")
			require.Equal(t, want.sees, b.get(fmt.Sprintf("/issues/%d/brief", ids[0])).status == http.StatusOK, email)
			continue
		}
		require.Equal(t, http.StatusOK, gallery.status, gallery.body)
		requireHarmless(t, gallery.body)
	}
}

// requireHarmless requires that others' text in a page makes no markup and changes no direction of text.
func requireHarmless(t *testing.T, page string) {
	t.Helper()
	require.Equal(t, 1, strings.Count(page, "<script"), "there is ours alone")
	for _, made := range []string{"<img", "<svg onload", "javascript:alert", "ZgotmplZ", " style="} {
		require.NotContains(t, page, made)
	}
	seen := regexp.MustCompile(` value="[^"]*"`).ReplaceAllString(page, "") // a form must send it unchanged
	for _, hidden := range []string{"\u202e", "\u2066", "\u200b"} {
		require.NotContains(t, seen, hidden)
	}
	for _, tag := range regexp.MustCompile(`<[^>]*>`).FindAllString(page, -1) {
		require.NotRegexp(t, `(?i)^<[^"]*("[^"]*"[^"]*)* on\w+=`, tag)
	}
}

// TestHostileTextOnPages looks at text from an app.
func TestHostileTextOnPages(t *testing.T) {
	t.Parallel()
	s, _, ids := openIssues(t, hostileTitle, strings.Repeat("x", 10_000))
	b := s.openAs(t, adminEmail)
	for _, path := range []string{
		"/", "/?search=" + `%22%3E%3Cimg+src%3Dx%3E`, fmt.Sprintf("/issues/%d", ids[0]), fmt.Sprintf("/issues/merge?id=%d&id=%d", ids[0], ids[1]),
		"/?environment=%3Cimg+src%3Dx%3E", "/issues/merge?return_to=javascript:alert(1)",
	} {
		page := b.get(path)
		require.Equal(t, http.StatusOK, page.status, path)
		requireHarmless(t, page.body)
		require.Contains(t, page.header.Get("Content-Security-Policy"), "default-src 'none'; style-src 'self'; script-src 'self'")
	}
	require.Contains(t, b.get("/web/gallery").body, `<span class="marked">U+202E</span>`)
	refused := b.get("/?since=%3Cimg%3E")
	require.Equal(t, http.StatusBadRequest, refused.status)
	require.Contains(t, refused.body, "The field since must be a duration")
	requireHarmless(t, refused.body)
	require.Contains(t, b.get(fmt.Sprintf("/issues/%d/brief", ids[1])).header.Get("Content-Type"), "text/plain")
}
