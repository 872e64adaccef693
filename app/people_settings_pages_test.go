package app_test

import (
	"encoding/csv"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// TestPeopleAndTeamsPages invites somebody into a team, who then signs in by the link, sees the team's project and nothing of the settings.
func TestPeopleAndTeamsPages(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	s.sendMessage(t, s.makeProject(t), "boom")
	b := s.openAs(t, adminEmail)
	team := b.post("/settings/teams", "name", hostileTitle, "owner_id", "1")
	require.Contains(t, b.get("/settings/teams").body, "There is no team yet", "control characters are refused")
	require.Equal(t, http.StatusSeeOther, team.status)
	path := b.post("/settings/teams", "name", `Back "<b>office</b>`, "owner_id", "1").header.Get("Location")
	require.Regexp(t, `^/settings/teams/\d+$`, path)
	require.Contains(t, b.follow(path, "action", "assign", "project", "web-shop"), "The team sees the project.")
	id := path[strings.LastIndex(path, "/")+1:]

	made := b.post("/settings/people", "email", "Jo@Example.org", "team", id, "role", "developer")

	require.Equal(t, http.StatusOK, made.status, made.body)
	requireHarmless(t, made.body)
	link := regexp.MustCompile(`/reset-password\?code=link_\w{43}`).FindString(made.body)
	require.NotEmpty(t, link)
	require.NotContains(t, b.get("/settings/people").body, "link_", "it is shown once")
	requireOrder(t, b.get("/settings/people").body, "jo@example.org", "Back &#34;&lt;b&gt;office&lt;/b&gt;, developer", "not yet")
	jo := s.newBrowser(t)
	code := strings.TrimPrefix(link, "/reset-password?code=")
	chosen := jo.post("/reset-password", "code", code, "password", adminPassword, "repeated", adminPassword)
	require.Equal(t, http.StatusSeeOther, chosen.status, chosen.body)
	require.Contains(t, jo.get("/").body, "boom")
	for _, hidden := range []string{"/settings/people", "/settings/teams", path, "/settings/tokens", "/settings/keys", "/settings/server"} {
		refused := jo.get(hidden)
		require.Equal(t, http.StatusForbidden, refused.status, hidden)
		require.NotContains(t, jo.get("/settings").body, `href="`+hidden+`"`)
	}
	require.Equal(t, http.StatusForbidden, jo.post("/settings/people", "email", "eve@example.org").status)
	require.Equal(t, http.StatusForbidden, jo.post(path, "action", "rename", "name", "mine").status)
	require.Equal(t, http.StatusNotFound, jo.get("/reset-password?code="+code).status, "it works once")

	member := regexp.MustCompile(`name="member" value="(\d+)"`).FindAllStringSubmatch(b.get(path).body, -1)
	require.Len(t, member, 4, "two members, with two forms each")
	require.Contains(t, b.follow(path, "action", "rename", "name", "Office"), "<h1>Office</h1>")
	require.Contains(t, b.follow(path, "action", "role", "member", member[0][1], "role", "viewer"), "The member has another role.")
	require.Contains(t, b.follow(path, "action", "unassign", "project", "web-shop"), "no longer sees")
	require.NotContains(t, jo.get("/").body, "boom")
}

// TestPeopleAreChanged disables, enables and deletes people; the last site admin stays.
func TestPeopleAreChanged(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	jo := addUser(t, databaseURL, "jo@example.org", adminPassword)
	b, other := s.openAs(t, adminEmail), s.openAs(t, "jo@example.org")
	person := "/settings/people/" + itoa(jo.ID)

	require.Contains(t, b.follow(person, "action", "disable"), "Disabled: the sessions and claims ended.")
	require.Equal(t, http.StatusOK, other.get("/").status)
	require.Contains(t, other.get("/").body, "Sign in")
	require.Contains(t, b.follow(person, "action", "enable"), "can sign in again")
	require.Contains(t, b.follow(person, "action", "admin"), "a site admin now")
	require.Contains(t, b.follow(person, "action", "undo_site_admin", "value", "false"), "as before")
	last := b.follow("/settings/people/1", "action", "no_admin")
	require.Contains(t, last, "nobody else administers the installation")
	require.Contains(t, b.get(person+"/delete").body, "It cannot be undone")
	require.Contains(t, b.follow(person+"/delete"), "The person is deleted.")
	require.Equal(t, http.StatusNotFound, b.get(person+"/delete").status)
	require.Equal(t, http.StatusNotFound, b.post(person, "action", "link").status)
	refused := b.post("/settings/people", "email", "nobody at all")
	require.Equal(t, http.StatusUnprocessableEntity, refused.status)
	require.Contains(t, refused.body, `value="nobody at all"`, "what was typed stays")
}

// TestActivityPage filters the activity and downloads it.
func TestActivityPage(t *testing.T) {
	t.Parallel()
	s, databaseURL, ids := openIssues(t, "boom")
	addMember(t, databaseURL, "viewer@example.org", core.RoleViewer)
	b := s.openAs(t, adminEmail)
	s.postAsAdmin(t, "/v1/tokens", `{"name": "=HYPERLINK(1) <b>", "scopes": ["issues:read", "issues:write"]}`)
	b.follow("/issues/"+itoa(ids[0])+"/notes", "text", "=1+1 <script>alert(1)</script>", "return_to", "/issues/"+itoa(ids[0]))

	s.postAsAdmin(t, "/v1/issues/"+itoa(ids[0])+"/claim", `{"worker": "jo@example.org", "minutes": 5}`)
	s.postAsAdmin(t, "/v1/projects", `{"name": "Old shop"}`)
	require.Equal(t, http.StatusNoContent, s.sendRequest(t.Context(), http.MethodDelete, "/v1/projects/old-shop", "", nil).status)

	page := b.get("/settings/activity").body

	requireHarmless(t, page)
	requireOrder(t, page, "deleted the project", "jo@example.org (ADMIN_TOKEN)", "claimed it")
	requireOrder(t, page, adminEmail, "wrote", "=1+1 &lt;script&gt;", "issue "+itoa(ids[0]), "ADMIN_TOKEN", "made the token",
		"made the project")
	only := b.get("/settings/activity?action=issue.note&actor=" + adminEmail).body
	require.Contains(t, only, "1 entry")
	require.Equal(t, http.StatusBadRequest, b.get("/settings/activity?action=nonsense").status)
	download := b.get("/settings/activity.csv?action=issue.note")
	require.Contains(t, download.header.Get("Content-Disposition"), "activity.csv")
	rows, err := csv.NewReader(strings.NewReader(download.body)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Equal(t, "issue.note", rows[1][3])
	require.NotContains(t, s.openAs(t, "viewer@example.org").get("/settings/activity").body, "made the token", "it is of no project of theirs")
}

func itoa(id int64) string { return strconv.FormatInt(id, 10) }
