package app_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

// projectPages are the pages of a project that everybody sees who sees the project.
var projectPages = []string{"", "/settings", "/scrubbing", "/source-maps", "/members"}

// TestProjectPagesByRole opens each page as each kind of person, and sends each form.
func TestProjectPagesByRole(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	key := s.makeProject(t)
	for _, role := range []core.TeamRole{core.RoleAdmin, core.RoleViewer} {
		addMember(t, databaseURL, string(role)+"@example.com", role)
	}
	addUser(t, databaseURL, "other@example.com", adminPassword)
	forms := map[string][]string{
		"/keys": nil, "/keys/revoke": {"key", key}, "/settings": {"daily_quota", "5"},
		"/scrubbing": {"action", "try", "text", "x"}, "/delete": nil, "/source-maps/delete": {"id", "1"},
	}
	for email, want := range map[string]struct {
		sees           bool
		manages, sites int // the status of the pages for those who manage the project, and for site admins
	}{
		adminEmail: {true, 200, 200}, "admin@example.com": {true, 200, 403}, "viewer@example.com": {true, 403, 403},
		"other@example.com": {false, 404, 403},
	} {
		b := s.openAs(t, email)
		list := b.get("/projects").body
		require.Equal(t, want.sees, strings.Contains(list, `href="/projects/web-shop"`), email)
		require.Equal(t, want.sites == 200, strings.Contains(list, `action="/projects"`), email)
		require.Equal(t, want.sites, b.get("/projects/setup").status, email)
		for _, page := range projectPages {
			shown := b.get("/projects/web-shop" + page)
			require.Equal(t, map[bool]int{true: 200, false: 404}[want.sees], shown.status, "%s %s", email, page)
			requireHarmless(t, shown.body)
			if page != "/source-maps" && page != "/members" {
				require.Equal(t, want.manages == 200, strings.Contains(shown.body, `method="post" action="/projects/web-shop`), "%s %s", email, page)
			}
		}
		if !want.sees {
			continue
		}
		require.Equal(t, want.sites == 200, strings.Contains(b.get("/projects/web-shop/settings").body, "/delete"), email)
		require.Equal(t, want.sites, b.get("/projects/web-shop/delete").status, email)
		if email == adminEmail {
			continue // its forms have tests of their own
		}
		for path, fields := range forms {
			sent := b.post("/projects/web-shop"+path, fields...)
			switch {
			case want.manages == 200 && path == "/source-maps/delete":
				require.Equal(t, http.StatusNotFound, sent.status, "there is none")
			case want.manages == 200 && path != "/delete":
				require.Less(t, sent.status, 400, "%s %s: %s", email, path, sent.body)
			default:
				require.Equal(t, http.StatusForbidden, sent.status, "%s %s", email, path)
				require.Contains(t, sent.body, map[bool]string{true: "This needs a site admin", false: "at least the role admin"}[path == "/delete"])
			}
		}
		for _, path := range []string{"/projects", "/projects/setup", "/projects/setup/revoke"} {
			require.Equal(t, http.StatusForbidden, b.post(path, "name", "Mine", "id", "1").status, "%s %s", email, path)
		}
	}
}

// TestProjectByForms makes a project, and changes its keys and settings by forms alone.
func TestProjectByForms(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	b := s.openAs(t, adminEmail)
	require.Contains(t, b.get("/projects").body, "No application is connected yet")
	refused := b.post("/projects", "name", " ", "platform", "go")
	require.Equal(t, http.StatusUnprocessableEntity, refused.status)
	require.Contains(t, refused.body, "The field name must")
	require.Contains(t, refused.body, `value="go" selected`)

	page := b.follow("/projects", "name", hostileName, "platform", "go")

	requireHarmless(t, page)
	require.Contains(t, page, "sentry.CaptureException(err)")
	require.Contains(t, page, "waiting</span> for the first event")
	require.NotContains(t, page, "/keys/revoke", "the only key stays")
	path := regexp.MustCompile(`href="(/projects/[^"/]+)/settings"`).FindStringSubmatch(page)[1]
	first := keysOn(t, page)[0]
	require.Equal(t, http.StatusSeeOther, b.post(path+"/keys/revoke", "key", first).status)
	require.Contains(t, b.get(path).body, "the only key of the project")
	for _, p := range append(projectPages, "/delete") {
		requireHarmless(t, b.get(path+p).body)
	}
	requireHarmless(t, b.get("/projects").body)

	page = b.follow(path + "/keys")
	require.Len(t, keysOn(t, page), 2)
	revoke := b.get(path + "/keys/revoke?key=" + first[:8]).body
	require.Contains(t, revoke, "cannot be used again")
	require.Contains(t, revoke, first)
	require.Equal(t, http.StatusNotFound, b.get(path+"/keys/revoke?key=00000000").status)
	require.Equal(t, http.StatusNotFound, b.get(path+"/keys/revoke").status)
	page = b.follow(path+"/keys/revoke", "key", first)
	require.NotContains(t, keysOn(t, page), first)

	settings := path + "/settings"
	page = b.follow(settings, "daily_quota", "1200")
	require.Contains(t, page, "0 of 1,200 events today")
	undoPath, fields := readUndo(t, page)
	undone := b.send(http.MethodPost, undoPath, "application/x-www-form-urlencoded", fields)
	require.Contains(t, b.get(undone.header.Get("Location")).body, "There is no quota")
	require.Contains(t, b.follow(settings, "trust", "low"), "Somebody set it to low")
	require.Contains(t, b.follow(settings, "trust", ""), "No event came in 30 days")
	require.Contains(t, b.follow(settings, "repository", "Acme/Shop"), `value="acme/shop"`)
	origins := b.follow(settings, "allowed_origins", " https://a.example \r\n\r\nhttps://b.example")
	require.Contains(t, origins, "https://a.example\nhttps://b.example<")
	for field, sent := range map[string][2]string{
		"allowed_origins": {"https://a.example\nhttps://b.example/path", "Line 2 of the origins must be"},
		"repository":      {`"><img src=x>`, "The field repository must be"}, "daily_quota": {"0", "The field daily quota must"},
		"other": {"x", "must name at least one of"},
	} {
		refused := b.post(settings, field, sent[0])
		require.Equal(t, http.StatusUnprocessableEntity, refused.status, field)
		require.Contains(t, refused.body, sent[1], field)
		requireHarmless(t, refused.body)
	}
	require.Equal(t, http.StatusNotFound, b.get("/projects/nowhere").status)
}

// keysOn returns the public keys of the DSNs on the page of a project.
func keysOn(t *testing.T, page string) (keys []string) {
	t.Helper()
	for _, found := range regexp.MustCompile(`<div class="dsn"><pre class="copy"><code>([^<]*)<`).FindAllStringSubmatch(page, -1) {
		dsn, err := url.Parse(html.UnescapeString(found[1]))
		require.NoError(t, err)
		keys = append(keys, dsn.User.Username())
	}
	require.NotEmpty(t, keys)
	return keys
}

// TestProjectThatIsCalledSetup has a slug that another page has.
func TestProjectThatIsCalledSetup(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	made := s.postAsAdmin(t, "/v1/projects", `{"name": "Setup"}`)
	b := s.openAs(t, adminEmail)
	path := fmt.Sprintf("/projects/%.0f", made["id"])

	require.Contains(t, b.get("/projects").body, `href="`+path+`"`)
	require.Contains(t, b.get(path).body, "<h1>Setup</h1>")
	require.Contains(t, b.get("/projects/setup").body, "<h1>Setup keys</h1>")
}

// TestScrubbingByForms tries rules before they are saved.
func TestScrubbingByForms(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	s.makeProject(t)
	b := s.openAs(t, adminEmail)
	path := "/projects/web-shop/scrubbing"
	rules := []string{"scrub_keys", "iban\r\n tax_id ", "scrub_patterns", `CUST-\d{6}`}

	tried := b.post(path, append(rules, "action", "try", "text", "iban=DE02120300000000202051 of CUST-204711 <img src=x>")...)

	require.Equal(t, http.StatusOK, tried.status, tried.body)
	require.Contains(t, tried.body, "iban=[Filtered] of [Filtered] &lt;img src=x&gt;")
	require.Contains(t, tried.body, "iban\r\n tax_id </textarea>", "what was typed stays")
	require.NotContains(t, b.get(path).body, `CUST-\d{6}</textarea>`, "nothing is saved")
	require.NotContains(t, s.log.String(), "DE0212")
	require.Contains(t, b.post(path, append(rules, "action", "try", "text", "hello")...).body, "Nothing in it is masked")

	saved := b.follow(path, append(rules, "action", "save", "text", "")...)
	require.Contains(t, saved, `CUST-\d{6}</textarea>`)
	require.Contains(t, saved, "Saved.")
	refused := b.post(path, "action", "try", "text", "x", "scrub_keys", "", "scrub_patterns", "fine\n(a+)+$")
	require.Equal(t, http.StatusUnprocessableEntity, refused.status)
	require.Contains(t, refused.body, "Line 2 of the patterns: ")
}

// TestSourceMapsOfAProject shows what is there, what was mapped, and why not.
func TestSourceMapsOfAProject(t *testing.T) {
	t.Parallel()
	c := peopleConfigOn(storetest.NewURL(t))
	c.Blobs = core.Secret("file://" + t.TempDir())
	s := startServer(t, c)
	require.Equal(t, http.StatusSeeOther, s.newBrowser(t).signUp(s.SignUpLink.Reveal()).status)
	key := s.makeProject(t)
	b := s.openAs(t, adminEmail)
	path := "/projects/web-shop/source-maps"
	require.Contains(t, b.get(path).body, "No source map is here")
	require.Equal(t, http.StatusCreated, s.uploadMap(t, "1.4.0", "~/app.js", shopMap).status)
	s.mapCrash(t, key, "1.4.0")
	s.sendCrash(t, key, "<img src=x onerror=alert(1)>")

	page := b.get(path).body

	requireHarmless(t, page)
	require.Contains(t, page, "all mapped")
	require.Contains(t, page, "nothing mapped")
	require.Contains(t, page, "no source map was uploaded for the release")
	require.Contains(t, page, "<code>https://shop.example/app.js</code>")
	require.Contains(t, page, "<code>~/app.js</code>")
	deletion := regexp.MustCompile(`href="(/projects/web-shop/source-maps/delete\?id=(\d+))"`).FindStringSubmatch(page)
	require.Contains(t, b.get(deletion[1]).body, "<code>~/app.js</code>")
	require.Contains(t, b.follow("/projects/web-shop/source-maps/delete", "id", deletion[2]), "The source map is deleted.")
	require.Equal(t, http.StatusNotFound, b.get(deletion[1]).status)
	require.Contains(t, b.get(path).body, "No source map is here")
}

// TestMembersOfAProject shows who sees a project, to whom.
func TestMembersOfAProject(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	s.makeProject(t)
	b := s.openAs(t, adminEmail)
	require.Contains(t, b.get("/projects/web-shop/members").body, "No team has the project")
	addMember(t, databaseURL, "viewer@example.com", core.RoleViewer)
	addMember(t, databaseURL, "member@example.com", core.RoleMember)

	all := b.get("/projects/web-shop/members").body
	own := s.openAs(t, "viewer@example.com").get("/projects/web-shop/members").body

	require.Regexp(t, `<h2><a href="/settings/teams/\d+">Team of viewer@example.com</a></h2>`, all)
	require.Contains(t, all, "member@example.com</th><td>member</td>")
	require.Contains(t, own, "viewer@example.com</th><td>viewer</td>")
	require.NotContains(t, own, "member@example.com")
	require.Contains(t, own, "<h2>Team of viewer@example.com</h2>", "the settings of teams are for site admins")
	require.Contains(t, own, "Site admins alone change who is in a team")
	require.Contains(t, own, "1 other team sees it too")
}

// TestSetupKeysByForms makes a setup key, which is shown once, and revokes it.
func TestSetupKeysByForms(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	b := s.openAs(t, adminEmail)
	require.Contains(t, b.get("/projects/setup").body, "No setup key was made yet")

	made := b.post("/projects/setup")

	require.Equal(t, http.StatusOK, made.status, made.body)
	key := regexp.MustCompile(`cks_\w{30,}`).FindString(made.body)
	require.NotEmpty(t, key, made.body)
	page := b.get("/projects/setup").body
	require.NotContains(t, page, key, "it is shown once")
	require.NotContains(t, s.log.String(), key)
	require.Contains(t, page, key[:10]+"…")
	require.Contains(t, page, "min left")
	require.Contains(t, b.get(b.readLive(page, "steps")).body, "1 setup key is valid now.")

	b.header.Set("Authorization", "Bearer "+key)
	name, err := core.MarshalPlain(map[string]string{"name": hostileName})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, b.send(http.MethodPost, "/v1/setup/apps", "application/json", string(name)).status)
	b.header.Del("Authorization")
	page = b.get("/projects/setup").body
	requireHarmless(t, page)
	require.Contains(t, page, "1 application, 0 tokens")
	require.Contains(t, page, "<h3>"+html.EscapeString(hostileName)+"</h3>")

	revoke := regexp.MustCompile(`href="(/projects/setup/revoke\?id=(\d+))"`).FindStringSubmatch(page)
	require.Contains(t, b.get(revoke[1]).body, "It cannot be undone.")
	require.Contains(t, b.follow("/projects/setup/revoke", "id", revoke[2]), "The key and its tokens are revoked.")
	require.NotContains(t, b.get("/projects/setup").body, "/projects/setup/revoke?")
	require.Equal(t, http.StatusNotFound, b.get(revoke[1]).status)
	require.Equal(t, http.StatusNotFound, b.post("/projects/setup/revoke", "id", "x").status)
}

// TestProjectDeletionByForms deletes a project, and asks for it where deletions are held.
func TestProjectDeletionByForms(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	s.makeProject(t)
	b := s.openAs(t, adminEmail)
	page := b.get("/projects/web-shop/delete").body
	require.Contains(t, page, "It cannot be undone.")
	require.NotContains(t, page, "second site admin")
	require.Contains(t, b.follow("/projects/web-shop/delete"), "The project Web shop is deleted.")
	require.Equal(t, http.StatusNotFound, b.get("/projects/web-shop").status)

	c := peopleConfigOn(storetest.NewURL(t))
	c.RequireApproval = "delete_project"
	held := startServer(t, c)
	require.Equal(t, http.StatusSeeOther, held.newBrowser(t).signUp(held.SignUpLink.Reveal()).status)
	held.makeProject(t)
	b = held.openAs(t, adminEmail)
	require.Contains(t, b.get("/projects/web-shop/delete").body, "nothing happens until a second site admin approves it")
	require.Contains(t, b.follow("/projects/web-shop/delete"), "It waits for the approval of a second admin.")
	require.Contains(t, b.get("/projects/web-shop/settings").body, "<h1>Web shop</h1>")
}
