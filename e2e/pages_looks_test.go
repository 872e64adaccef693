//go:build e2e

package e2e

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"errand/web"
)

// mostShift is how much a page may move while it is loaded, as Chromium scores it: 0.001 is the whole window by 1.4 px, or one line of it
// by its height. A page that jumps by a line has 0.015. On a busy machine a form or a list now and then has up to 0.0003.
const mostShift = 0.001

// lookedAt is a page in one state.
type lookedAt struct {
	name   string // of its pictures
	path   string
	route  string // of web.Site that it shows; empty for one whose path is the route
	person string // empty for somebody who is not signed in
	act    func(*person)
}

// listPages are the pages that checkLooks opens: a new page is a line here. The issues are paths of the demo project's, by status.
func listPages(issues map[string]string) []lookedAt {
	regressed, open, verified := issues["regressed"], issues["unresolved"], issues["verified"]
	const issue, split, triage, agent = "/issues/{id}", "/issues/{id}/split", "/issues/{id}/triage", "/issues/{id}/agent"
	return []lookedAt{
		{"sign-in", "/sign-in", "", "", nil},
		{"sign-in-refused", "/sign-in", "", "", refuseSignIn},
		{"sign-up-refused", "/sign-up?code=x", "", "", nil},
		{"forgot-password", "/forgot-password", "", "", nil},
		{"reset-password-refused", "/reset-password?code=x", "", "", nil},
		{"issues", "/", "", ann, nil},
		{"issues-selected", "/?status=unresolved", "/", ann, selectRows},
		{"issues-empty", "/?search=qqqqqqqq", "/", ann, nil},
		{"issues-nothing", "/", "", cleo, nil},
		{"issue", regressed, issue, ann, nil},
		{"issue-verified", verified, issue, ann, nil},
		{"issue-everything", regressed + "?frames=all&raw=1", issue, ann, nil},
		{"issue-link-fix", open, issue, ann, openMenu("link-fix")},
		{"issue-ignore", open, issue, ann, openMenu("ignore")},
		{"issue-more", open, issue, ann, openMenu("more")},
		{"issue-agent", open + "/agent", agent, ann, nil},
		{"issue-triage", open + "/triage", triage, ann, nil},
		{"issue-split", open + "/split", split, ann, nil},
		{"issue-merge", "/issues/merge?id=" + strings.TrimPrefix(open, "/issues/") + "&id=" + strings.TrimPrefix(regressed, "/issues/"),
			"/issues/merge", ann, nil},
		{"keys", "/?status=resolved", "/", ann, func(p *person) { p.press("?") }},
		{"welcome", "/welcome", "", ann, nil},
		{"welcome-by-hand", "/welcome?project=demo-shop&platform=python", "/welcome", ann, nil},
		{"account", "/account", "", ann, nil},
		{"agents", "/agents", "", ann, nil},
		{"agents-nobody", "/agents", "", cleo, nil},
		{"approvals", "/approvals", "", ann, nil},
		{"releases", "/releases", "", ann, nil},
		{"release", "/releases/one?project=demo-shop&version=demo-shop%402.4.0", "/releases/one", ann, nil},
		{"gallery", "/web/gallery", "", ann, nil},
		{"gallery-forbidden", "/web/gallery", "", cleo, nil},
		{"not-found", "/nothing", "-", ann, nil},
		{"not-found-signed-out", "/nothing", "-", "", nil},
	}
}

// listOpenPages are the pages that no route of web.Site shows: they need nobody to be signed in. /setup is text for agents and no page.
func (s *pagesSite) listOpenPages(t *testing.T) []lookedAt {
	t.Helper()
	consent := s.askConsent(t)
	return []lookedAt{
		{"docs", "/docs", "-", "", nil},
		{"docs-issues", "/docs/issues", "-", "", nil},
		{"docs-errors", "/docs/errors", "-", "", nil},
		{"docs-management", "/docs/management", "-", "", nil},
		{"consent", consent, "-", ann, nil},
		{"consent-no-admin", consent, "-", cleo, nil},
		{"consent-signed-out", consent, "-", "", nil},
		{"consent-refused", "/oauth/authorize", "-", "", nil},
	}
}

// askConsent registers a client of MCP, and returns the path of the page that asks for its consent.
func (s *pagesSite) askConsent(t *testing.T) string {
	t.Helper()
	const redirect = "http://127.0.0.1:33418/callback"
	answer, err := http.Post(s.url+"/oauth/register", "application/json",
		strings.NewReader(`{"client_name": "Claude Code <b>", "redirect_uris": ["`+redirect+`"]}`))
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusCreated, answer.StatusCode)
	var client struct {
		ID string `json:"client_id"`
	}
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&client))
	challenge := sha256.Sum256([]byte(strings.Repeat("v", 43)))
	return "/oauth/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {redirect}, "state": {"x"}, "resource": {s.url + "/mcp"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
		"scope": {"issues:read issues:write"},
	}.Encode()
}

// textRoutes answer with text, which is copied or read by a script, and not with a page.
var textRoutes = []string{"/issues/{id}/brief", "/issues/{id}/copy", "/settings/activity.csv"}

func refuseSignIn(p *person) {
	p.fillForm("/sign-in", "email", ann, "password", "wrong")
	p.waitForText("the password is wrong")
}

func selectRows(p *person) {
	for _, row := range []string{"1", "2"} {
		p.click(`tr[data-row]:nth-child(` + row + `) input[type="checkbox"]`)
	}
}

// openMenu opens a menu of an issue.
func openMenu(id string) func(*person) {
	return func(p *person) {
		p.click(`button[popovertarget="` + id + `"]`)
		p.waitFor(`document.getElementById("` + id + `").matches(":popover-open")`)
	}
}

// checkLooks opens every page in a wide window and a narrow one, light and dark. The pictures and an index of them are in bin/pages.
func (s *pagesSite) checkLooks(t *testing.T) {
	issues := s.fillDemo(t)
	pages := slices.Concat(listPages(issues), listSettingsPages(s.makeSettings(t)), s.listOpenPages(t))
	s.requireEveryRoute(t, pages, issues["unresolved"])
	folder := filepath.Join("..", "bin", "pages")
	require.NoError(t, os.RemoveAll(folder))
	require.NoError(t, os.MkdirAll(folder, 0o755))
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	require.NoError(t, err)
	t.Run("windows", func(t *testing.T) {
		for _, width := range []int64{1400, 360} {
			t.Run(fmt.Sprint(width), func(t *testing.T) {
				t.Parallel()
				l := &looker{s, width, string(axe), folder, map[string]*person{"": s.browser.openPerson(t, s.url)}}
				for _, email := range []string{ann, cleo} {
					l.people[email] = s.openAs(t, email)
				}
				for _, each := range pages {
					t.Run(each.name, func(t *testing.T) { l.lookAt(t, each) })
				}
			})
		}
	})
	writeIndex(t, folder, pages)
}

// fillDemo fills the demo project, and returns the path of an issue of it by each status.
func (s *pagesSite) fillDemo(t *testing.T) map[string]string {
	t.Helper()
	text, err := errandCommand(t, s.dataDir, []string{"BASE_URL=" + s.url}, "demo").CombinedOutput()
	require.NoError(t, err, string(text))
	issues := map[string]string{}
	for _, status := range []string{"unresolved", "regressed", "verified"} {
		var list struct{ Data []struct{ ID int64 } }
		path := "/v1/issues?project=demo-shop&limit=1&sort=priority&status=" + status
		require.Equal(t, http.StatusOK, s.callAPI(adminToken, "GET", path, "", &list))
		require.NotEmpty(t, list.Data, status)
		issues[status] = fmt.Sprint("/issues/", list.Data[0].ID)
	}
	return issues
}

// requireEveryRoute holds that each page of web.Site is among those that are looked at. A server says which routes answer GET.
func (s *pagesSite) requireEveryRoute(t *testing.T, pages []lookedAt, issue string) {
	t.Helper()
	seen := slices.Clone(textRoutes)
	for _, each := range pages {
		route, _, _ := strings.Cut(each.path, "?")
		if each.route != "" {
			route = each.route
		}
		seen = append(seen, route)
	}
	for route := range web.New(web.Options{}).Routes() {
		path := strings.Replace(route, "/issues/{id}", issue, 1)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.url+path, http.NoBody)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		_ = answer.Body.Close()
		require.Equal(t, http.StatusMethodNotAllowed, answer.StatusCode, route)
		if strings.Contains(answer.Header.Get("Allow"), http.MethodGet) {
			require.Contains(t, seen, route, "listPages lacks a page")
		}
	}
}

// looker opens pages in one width, as several people.
type looker struct {
	*pagesSite
	width  int64
	axe    string
	folder string
	people map[string]*person
}

// lookAt opens a page and looks at it, light and dark.
func (l *looker) lookAt(t *testing.T, each lookedAt) {
	p := l.people[each.person]
	p.t = t
	p.setSize(l.width)
	p.setScheme("light")
	p.open(each.path)
	if each.act != nil {
		each.act(p)
	}
	p.waitFor("true")
	// Two frames later everything has moved that is going to.
	moved := evaluateIn[[]string](p.tab, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() =>
		setTimeout(() => done(watched.shift > %v ? [String(watched.shift), ...watched.moved] : [])))))`, mostShift)
	require.Empty(t, moved, "the layout has moved")
	sideways := evaluateIn[[]int](p.tab, "[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
	require.LessOrEqual(t, sideways[0], sideways[1], "the page scrolls sideways")
	for _, scheme := range []string{"light", "dark"} {
		p.setScheme(scheme)
		p.takePicture(filepath.Join(l.folder, pictureName(each.name, l.width, scheme)))
		require.Empty(t, p.findViolations(l.axe), scheme)
	}
	problems := slices.DeleteFunc(p.takeProblems(), func(problem string) bool { // a page of an error is one
		return strings.Contains(problem, "the server responded with a status of 4") && strings.HasSuffix(problem, p.site+each.path)
	})
	require.Empty(t, problems)
}

// setScheme has the page light or dark.
func (p *person) setScheme(scheme string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// findViolations returns what axe-core finds on the page, each with the elements.
func (p *person) findViolations(axe string) []string {
	p.t.Helper()
	_, err := chromedp.Run(p.ctx, chromedp.Evaluate[any]("window.axe === undefined ? (() => {"+axe+"; return null})() : null"))
	require.NoError(p.t, err)
	return evaluateIn[[]string](p.tab, `axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
		resultTypes: ["violations"]}).then(found => found.violations.map(rule => rule.id + ": " +
			rule.nodes.slice(0, 5).map(node => node.target.join(" ") + " " + node.failureSummary).join("; ")))`)
}

// takePicture writes a picture of the whole page, or of the window where a menu or a dialog lies over it.
func (p *person) takePicture(file string) {
	p.t.Helper()
	picture := chromedp.FullScreenshot(100)
	if evaluateIn[bool](p.tab, `document.querySelector("dialog[open], :popover-open") !== null || document.body.scrollHeight > 8000`) {
		picture = chromedp.CaptureScreenshot()
	}
	image, err := chromedp.Run(p.ctx, picture)
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(file, image, 0o600))
}

func pictureName(page string, width int64, scheme string) string {
	return fmt.Sprintf("%s-%d-%s.png", page, width, scheme)
}

// indexPage shows all pictures side by side.
var indexPage = template.Must(template.New("index").Funcs(template.FuncMap{"picture": pictureName}).Parse(`<!doctype html>
<meta charset="utf-8"><title>Pages</title>
<style>
body { font: 14px system-ui; background: #888 }
div { display: flex; gap: 1rem; align-items: flex-start }
img { max-width: 35vw }
img.narrow { max-width: 12vw }
</style>
{{range .}}<h2>{{.}}</h2><div><img src="{{picture . 1400 "light"}}"><img src="{{picture . 1400 "dark"}}"><img class="narrow"
 src="{{picture . 360 "light"}}"><img class="narrow" src="{{picture . 360 "dark"}}"></div>
{{end}}`))

func writeIndex(t *testing.T, folder string, pages []lookedAt) {
	t.Helper()
	file, err := os.Create(filepath.Join(folder, "index.html"))
	require.NoError(t, err)
	names := make([]string, len(pages))
	for i, each := range pages {
		names[i] = each.name
	}
	require.NoError(t, indexPage.Execute(file, names))
	require.NoError(t, file.Close())
}
