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

// hostileName is what an agent or a person may call an application: names have no characters that cannot be seen.
const hostileName = `<img src=x onerror=alert(1)> "shop"`

// TestWelcomeAfterSignUp looks at the three doors, signed out and after the first sign-up.
func TestWelcomeAfterSignUp(t *testing.T) {
	t.Parallel()
	s := startServer(t, peopleConfigOn(storetest.NewURL(t)))
	require.Equal(t, "/sign-in?return_to=%2Fwelcome", s.newBrowser(t).get("/welcome").header.Get("Location"))
	b := s.newBrowser(t)

	signedUp := b.signUp(s.SignUpLink.Reveal())

	require.Equal(t, "/welcome", signedUp.header.Get("Location"), signedUp.body)
	page := b.get("/welcome").body
	for _, text := range []string{
		"Connect the first application", "Let an agent do it", "Do it by hand", "Look around first", "<code>errand demo</code>",
		"<b>Connected</b>", "<b>First deploy</b>", `<option value="django">Django</option>`,
	} {
		require.Contains(t, page, text)
	}
	require.NotContains(t, page, "waiting", "nobody is at work")
	require.NotContains(t, page, "cks_", "no key is made unasked")
	requireHarmless(t, page)
	require.Equal(t, http.StatusBadRequest, b.post("/welcome", "action", "deploy").status)
	require.Equal(t, http.StatusNotFound, b.get("/welcome?fragment=nothing").status)
	require.Equal(t, http.StatusNotFound, b.get("/welcome?project=nowhere").status)
	b.header.Set("Sec-Fetch-Site", "cross-site")
	require.Equal(t, http.StatusForbidden, b.post("/welcome", "action", "key").status)
}

// TestWelcomeOfAnAgent makes the prompt, and follows the agent's steps until the first deploy.
func TestWelcomeOfAnAgent(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	b := s.openAs(t, adminEmail)

	made := b.post("/welcome", "action", "key")

	require.Equal(t, http.StatusOK, made.status, made.body)
	require.Equal(t, "no-store", made.header.Get("Cache-Control"))
	key := regexp.MustCompile(`cks_\w{30,}`).FindString(made.body)
	require.NotEmpty(t, key, made.body)
	require.Contains(t, made.body, "Connect this application to Errand, an error tracker: "+s.URL())
	requireHarmless(t, made.body)
	require.NotContains(t, b.get("/welcome").body, key, "it is shown once")
	require.NotContains(t, s.log.String(), key)
	live := b.readLive(made.body, "steps")
	require.Contains(t, b.get(live).body, "1 setup key is valid now.")

	b.header.Set("Authorization", "Bearer "+key)
	agent := func(path, body string) {
		got := b.send(http.MethodPost, path, "application/json", body)
		require.Less(t, got.status, http.StatusMultipleChoices, got.body)
	}
	name, err := core.MarshalPlain(map[string]string{"name": hostileName, "platform": "node"})
	require.NoError(t, err)
	agent("/v1/setup/apps", string(name))
	projects := s.sendRequest(t.Context(), http.MethodGet, "/v1/projects", "", nil).body
	slug := regexp.MustCompile(`"slug":"([^"]*)"`).FindStringSubmatch(projects)[1]
	shown := b.get(live).body
	require.Contains(t, shown, "<h3>"+html.EscapeString(hostileName)+"</h3>")
	require.NotContains(t, shown, "<img")

	agent("/v1/setup/apps/"+slug+"/report", `{"step": "sdk_installed"}`)
	require.Regexp(t, `<li class="done"><b>SDK installed</b>`, b.get(live).body)
	require.Regexp(t, `<li class="now"><b>Test event</b><span>waiting`, b.get(live).body)
	agent("/v1/setup/apps/"+slug+"/test-event", `{}`)
	before := b.get(live)
	require.Regexp(t, `<li class="now"><b>First error of the app</b>`, before.body)
	b.header.Set("If-None-Match", before.header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, b.get(live).status)

	dsn, err := url.Parse(regexp.MustCompile(`"dsns":\["([^"]*)"`).FindStringSubmatch(projects)[1])
	require.NoError(t, err)
	s.sendMessage(t, dsn.User.Username(), "cart cannot be loaded")
	require.Regexp(t, `<li class="done"><b>First error of the app</b>`, b.get(live).body)
	deploy := `{"project": %q, "commit": "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432", "environment": "production"}`
	s.postAsAdmin(t, "/v1/deploys", fmt.Sprintf(deploy, slug))
	require.Regexp(t, `<li class="done"><b>First deploy</b>`, b.get(live).body)
	require.Contains(t, b.get("/welcome").body, "Events have come in")
}

// readLive returns the address of a live part of a page.
func (b *browser) readLive(page, part string) string {
	b.Helper()
	for _, found := range regexp.MustCompile(`data-live="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if address := html.UnescapeString(found[1]); strings.Contains(address, "fragment="+part) {
			return address
		}
	}
	require.Fail(b, "there is no such live part", "%s in %s", part, page)
	return ""
}

// TestWelcomeByHand makes a project with a form, and reads what its application needs.
func TestWelcomeByHand(t *testing.T) {
	t.Parallel()
	s, _ := openSite(t)
	b := s.openAs(t, adminEmail)
	refused := b.post("/welcome", "action", "project", "name", " \u202e", "platform", "go").body
	require.Contains(t, refused, "The field name must")
	require.Contains(t, refused, `value="go" selected`)
	requireHarmless(t, refused)

	page := b.follow("/welcome", "action", "project", "name", hostileName, "platform", "go")

	requireHarmless(t, page)
	require.Contains(t, page, "The project &lt;img")
	require.Contains(t, page, "<h2>Connect &lt;img")
	require.Contains(t, page, "go get github.com/getsentry/sentry-go")
	require.Contains(t, page, "<code>sentry.CaptureException(err)</code>")
	dsn, err := url.Parse(html.UnescapeString(regexp.MustCompile(`<code>(http://[^<]*@[^<]*)</code>`).FindStringSubmatch(page)[1]))
	require.NoError(t, err)
	require.Contains(t, page, "Dsn:              &#34;"+dsn.String())
	require.Contains(t, page, "Waiting for its first event")
	live := b.readLive(page, "arrived")
	require.Contains(t, b.get(live).body, "waiting")

	s.sendMessage(t, dsn.User.Username(), "cart cannot be loaded")

	require.Contains(t, b.get(live).body, "its last event came")
	slug := regexp.MustCompile(`name="project" value="([^"]*)"`).FindStringSubmatch(page)[1]
	for _, platform := range core.GuidePlatforms {
		guide := b.get("/welcome?project=" + slug + "&platform=" + string(platform))
		require.Equal(t, http.StatusOK, guide.status, "%s: %s", platform, guide.body)
		require.Contains(t, guide.body, fmt.Sprintf(`value="%s" selected`, platform))
		for _, mark := range []string{"```", "**", "U+00"} {
			require.NotContains(t, guide.body, mark, platform)
		}
	}
	require.Equal(t, http.StatusBadRequest, b.get("/welcome?project="+slug+"&platform=abacus").status)
}

// TestWelcomeByRole shows what people may do who are no site admins.
func TestWelcomeByRole(t *testing.T) {
	t.Parallel()
	s, databaseURL := openSite(t)
	s.makeProject(t)
	addMember(t, databaseURL, "viewer@example.com", core.RoleViewer)
	addUser(t, databaseURL, "other@example.com", adminPassword)

	viewer := s.openAs(t, "viewer@example.com")
	page := viewer.get("/welcome").body
	require.NotContains(t, page, `method="post"`)
	require.NotContains(t, page, "fragment=steps")
	require.Contains(t, page, "only a site admin can make")
	require.Contains(t, page, `<a href="/welcome?project=web-shop">Web shop</a>`)
	chosen := viewer.get("/welcome?project=web-shop")
	require.Equal(t, http.StatusOK, chosen.status, chosen.body)
	require.Contains(t, chosen.body, "<h3>DSN</h3>")
	other := s.openAs(t, "other@example.com")
	require.Contains(t, other.get("/welcome").body, "You see none yet")
	require.Equal(t, http.StatusNotFound, other.get("/welcome?project=web-shop").status, "the same as an unknown one")
	require.Equal(t, http.StatusNotFound, other.get("/welcome?fragment=arrived&project=web-shop").status)
	for _, b := range []*browser{viewer, other} {
		require.NotContains(t, b.get("/welcome?fragment=steps").body, "<li")
		for _, action := range []string{"key", "project"} {
			sent := b.post("/welcome", "action", action, "name", "Mine")
			require.Equal(t, http.StatusForbidden, sent.status, sent.body)
			require.Contains(t, sent.body, "A site admin can make you one")
		}
	}
}
