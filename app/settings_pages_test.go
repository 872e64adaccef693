package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// madeValue reads the secret in the green frame of a page.
var madeValue = regexp.MustCompile(`(?s)class="sheet made".*?<code>([^<]*)</code>`)

func readMade(t *testing.T, page answer) string {
	t.Helper()
	require.Equal(t, http.StatusOK, page.status, page.body)
	found := madeValue.FindStringSubmatch(page.body)
	require.NotNil(t, found, page.body)
	require.Empty(t, page.header.Get("Set-Cookie"), "a secret stands in no cookie")
	return found[1]
}

// sendForm is post for a form with several values of one field.
func (b *browser) sendForm(path string, fields url.Values) answer {
	b.Helper()
	return b.send(http.MethodPost, path, "application/x-www-form-urlencoded", fields.Encode())
}

// sendWith asks for a path with a header.
func (s *server) sendWith(t *testing.T, path, header, value string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr()+path, http.NoBody)
	require.NoError(t, err)
	request.Header.Set(header, value)
	return s.doRequest(request)
}

// TestPageOfTokens makes tokens, sees each once, uses one, and revokes it.
func TestPageOfTokens(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	s.makeProject(t)
	b := s.openAs(t, adminEmail)
	require.Contains(t, b.get("/settings/tokens").body, "No token is valid")

	made := b.sendForm("/settings/tokens", url.Values{"name": {hostileName}, "scopes": {"issues:read", "issues:write"},
		"project": {"web-shop"}, "only_project": {"true"}})

	value := readMade(t, made)
	requireHarmless(t, made.body)
	require.Contains(t, made.body, "read and change issues")
	require.Contains(t, made.body, "Web shop only")
	require.Contains(t, made.body, "claude mcp add --transport http errand "+s.URL()+"/mcp")
	require.Equal(t, http.StatusOK, s.sendWith(t, "/v1/issues", "Authorization", "Bearer "+value).status)
	page := b.get("/settings/tokens").body
	require.NotContains(t, page, value)
	require.Contains(t, page, value[:10]+"…")
	require.NotContains(t, s.log.String(), value)

	for _, refused := range []struct {
		fields url.Values
		text   string
	}{
		{url.Values{"name": {"ci"}}, "must have at least 1 item"},
		{url.Values{"scopes": {"releases:write"}}, "must have at least 1 character"},
		{url.Values{"name": {"ci <i>"}, "scopes": {"releases:write"}, "only_project": {"true"}}, "needs project"},
	} {
		got := b.sendForm("/settings/tokens", refused.fields)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, refused)
		require.Contains(t, got.body, refused.text)
		require.Contains(t, got.body, `value="`+strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(refused.fields.Get("name"))+`"`)
		require.NotContains(t, got.body, `class="sheet made"`)
	}
	admin := b.sendForm("/settings/tokens", url.Values{"name": {"root"}, "scopes": {"admin"}})
	require.Equal(t, http.StatusBadRequest, admin.status)

	revoke := regexp.MustCompile(`href="(/settings/tokens/\d+/revoke)"`).FindStringSubmatch(page)
	require.NotNil(t, revoke)
	asked := b.get(revoke[1]).body
	require.Contains(t, asked, "It cannot be undone")
	require.Equal(t, 1, strings.Count(asked, `class="first"`))
	requireHarmless(t, asked)
	after := b.follow(revoke[1])
	require.Contains(t, after, "The token is revoked.")
	require.Contains(t, after, "1 revoked token</summary>")
	require.Equal(t, http.StatusUnauthorized, s.sendWith(t, "/v1/issues", "Authorization", "Bearer "+value).status)
	require.Equal(t, http.StatusNotFound, b.get(revoke[1]).status, "it is revoked already")
}

// TestPageOfAPIKeys makes a key, uses it, and revokes it.
func TestPageOfAPIKeys(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	b := s.openAs(t, adminEmail)
	require.Contains(t, b.get("/settings/keys").body, "No key is valid")
	none := b.post("/settings/keys", "name", "dashboard")
	require.Equal(t, http.StatusUnprocessableEntity, none.status)
	require.Contains(t, none.body, "must have at least 1 item")

	made := b.sendForm("/settings/keys", url.Values{"name": {hostileName}, "permissions": {"apps:read", "tags:write"}})

	value := readMade(t, made)
	requireHarmless(t, made.body)
	require.Contains(t, made.body, "read apps; change tags")
	ask := func() int { return s.sendWith(t, "/api/v1/apps", "Service-API-Key", value).status }
	require.Equal(t, http.StatusOK, ask())
	page := b.get("/settings/keys").body
	require.NotContains(t, page, value)
	revoke := regexp.MustCompile(`href="(/settings/keys/\d+/revoke)"`).FindStringSubmatch(page)
	require.NotNil(t, revoke)
	require.Contains(t, b.get(revoke[1]).body, "It cannot be undone")
	require.Contains(t, b.follow(revoke[1]), "The key is revoked.")
	require.Equal(t, http.StatusUnauthorized, ask())
}

// TestPageOfTheServer shows what an operator asks, and no secret.
func TestPageOfTheServer(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	s.sendMessage(t, s.makeProject(t), "cart cannot be loaded")
	b := s.openAs(t, adminEmail)

	page := b.get("/settings/server")

	require.Equal(t, http.StatusOK, page.status, page.body)
	for _, text := range []string{"external", "1 event since midnight UTC", "they come in",
		"STORED_EVENTS_PER_ISSUE", "verify fixes", "ADMIN_TOKEN"} {
		require.Contains(t, page.body, text)
	}
	require.NotContains(t, page.body, adminToken)
	require.NotContains(t, page.body, databaseURL)
	requireHarmless(t, page.body)
	got := s.sendRequest(t.Context(), http.MethodGet, "/v1/server", "", nil)
	require.Equal(t, http.StatusOK, got.status, got.body)
	require.NotContains(t, got.body, adminToken)
	require.Contains(t, got.body, `"private":false`)

	require.NotContains(t, page.body, "errand backup")
	examined := b.get("/settings/server?examine=1").body
	requireOrder(t, examined, ">database<", ">ok</span>", "the database of DATABASE_URL", ">backup<", ">look at it</span>",
		"errand backup has never run", "run errand backup FILE every day")
	requireHarmless(t, examined)
	require.NotContains(t, examined, databaseURL)

	_, err := openConnection(t, databaseURL).Exec(t.Context(), `
		INSERT INTO river_job (kind, args, state, attempted_at, finalized_at, max_attempts)
		VALUES ('verify_fixes', '{}', 'discarded', now() + interval '1 hour', now() + interval '1 hour', 1)`)
	require.NoError(t, err)
	require.Contains(t, b.get("/settings/server").body, "The last run of the job verify_fixes failed; the log says why.")
}

// TestSettingsOfMachinesByRole opens each page as people who may and may not.
func TestSettingsOfMachinesByRole(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	s.makeProject(t)
	people := map[string]core.TeamRole{"team-admin@example.com": core.RoleAdmin, "viewer@example.com": core.RoleViewer}
	for email, role := range people {
		addMember(t, databaseURL, email, role)
	}
	addUser(t, databaseURL, "stranger@example.com", adminPassword)
	const ok, no = http.StatusOK, http.StatusForbidden
	for _, c := range []struct {
		path                                string
		siteAdmin, teamAdmin, viewer, other int
	}{
		{"/settings/tokens", ok, no, no, no},
		{"/settings/keys", ok, no, no, no},
		{"/settings/server", ok, no, no, no},
		{"/settings/webhooks", ok, ok, ok, ok},
		{"/settings/webhooks/new", ok, ok, no, no},
		{"/settings/webhooks/999", http.StatusNotFound, http.StatusNotFound, no, no},
	} {
		for email, status := range map[string]int{
			adminEmail: c.siteAdmin, "team-admin@example.com": c.teamAdmin, "viewer@example.com": c.viewer, "stranger@example.com": c.other,
		} {
			got := s.openAs(t, email).get(c.path)
			require.Equal(t, status, got.status, "%s as %s", c.path, email)
			if status == no {
				require.Contains(t, got.body, "This needs", "%s as %s", c.path, email)
			}
		}
	}
	viewer := s.openAs(t, "viewer@example.com")
	require.NotContains(t, viewer.get("/settings/webhooks").body, "New webhook")
	for _, form := range []string{"/settings/tokens", "/settings/keys", "/settings/tokens/1/revoke", "/settings/keys/1/revoke",
		"/settings/webhooks/1", "/settings/webhooks/1/secret", "/settings/webhooks/1/delete"} {
		got := viewer.post(form, "name", "x", "scopes", "issues:read", "permissions", "apps:read", "action", "test")
		require.Equal(t, no, got.status, form)
	}
	require.Equal(t, "/sign-in?return_to="+url.QueryEscape("/settings/tokens"), s.newBrowser(t).get("/settings/tokens").header.Get("Location"))
	require.Equal(t, http.StatusNotFound, viewer.get(fmt.Sprintf("/settings/webhooks/%s", "x")).status)
}
