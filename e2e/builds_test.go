//go:build e2e

package e2e

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBuilds follows an error of a minified page: from the original source that its issue shows to the fix, the deploy that brings it,
// its verification, and its return in a later release. The return does not depend on the bundler, and webpack is slow.
func TestBuilds(t *testing.T) {
	if os.Getenv("E2E_BROWSER") == "off" {
		t.Skip("E2E_BROWSER=off leaves out what needs Chromium")
	}
	t.Parallel()
	s, b := startServerOn(t, newDir(t), "VERIFY_MIN=1s", "VERIFY_MAX=3s"), &browser{ctx: startChromium(t)}
	t.Run("vite", func(t *testing.T) {
		t.Parallel()
		startShop(t, s, b, "node", "node_modules/vite/bin/vite.js", "build").checkLifeOfFix()
	})
	t.Run("webpack", func(t *testing.T) {
		t.Parallel()
		a := startShop(t, s, b, "node", "webpack.build.cjs")
		a.release("1.0")
		a.checkSource(a.crash(a.openPage()), 12)
	})
}

// shop is a small app with its repository, its build, its live site, and a browser for its pages.
type shop struct {
	*ciJob
	t       *testing.T
	browser *browser
	command []string // makes the build
	live    atomic.Pointer[http.Handler]
	site    string

	deployed string // the live commit
}

func startShop(t *testing.T, s *server, b *browser, command ...string) *shop {
	t.Helper()
	a := &shop{ciJob: newCIJob(t, s), t: t, browser: b, command: command, deployed: "HEAD"}
	require.NoError(t, os.CopyFS(a.dir, os.DirFS("app")))
	require.NoError(t, os.Symlink(a.modulePath(""), filepath.Join(a.dir, "node_modules")))
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*a.live.Load()).ServeHTTP(w, r) }))
	t.Cleanup(site.Close)
	a.site = site.URL
	return a
}

// release builds a release, uploads its maps, publishes it without them, and reports the deploy with its new commits.
func (a *shop) release(version string) {
	a.t.Helper()
	commit, out := a.commitChange(version), "dist-"+version
	a.mustRun("env", append([]string{"RELEASE=" + version, "OUT=" + out}, a.command...)...)
	binary, err := filepath.Abs("../bin/errand")
	require.NoError(a.t, err)
	uploaded := a.mustRun(binary, "sourcemaps", "upload", out, "--project", a.slug, "--release", version)
	require.Contains(a.t, uploaded, "1 source maps uploaded for release "+version+", 0 files skipped, 0 failed")
	a.hideMaps(filepath.Join(a.dir, out))
	files := http.FileServer(http.Dir(filepath.Join(a.dir, out)))
	a.live.Store(&files)
	reported := a.mustRun(binary, "deploy", "--project", a.slug, "--commit", commit, "--release", version, "--commits-from", a.deployed)
	require.Contains(a.t, reported, "Reported: release "+version)
	a.deployed = commit
}

// hideMaps removes the maps of a build, and requires that the build is minified and does not name them.
func (a *shop) hideMaps(dir string) {
	a.t.Helper()
	require.NoError(a.t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		switch filepath.Ext(path) {
		case ".map":
			return os.Remove(path)
		case ".js":
			code, err := os.ReadFile(path)
			require.NotContains(a.t, string(code), "sourceMappingURL")
			require.NotContains(a.t, string(code), "countTotal() {")
			return err
		}
		return err
	}))
}

func (a *shop) openPage() *tab {
	a.t.Helper()
	return a.browser.openURL(a.t, a.site+"/?dsn="+url.QueryEscape(a.dsn))
}

// checkOut clicks the button, and returns when the SDK has sent the result.
func checkOut(page *tab) {
	page.t.Helper()
	page.clickButton()
	require.True(page.t, evaluateIn[bool](page, "flushErrors()"))
}

// crash triggers the error on a page, and returns the issue that counted it.
func (a *shop) crash(page *tab) watchedIssue {
	a.t.Helper()
	before := a.findIssue()
	checkOut(page)
	after := a.findIssue()
	require.Equal(a.t, before.TimesSeen+1, after.TimesSeen, "the event was stored unmapped, on an issue of its own")
	return after
}

// watchedIssue is what the API says about an issue and its fix.
type watchedIssue struct {
	ID             int64
	Title, Culprit string
	Status         string
	TimesSeen      int   `json:"times_seen"`
	LatestEventID  int64 `json:"latest_event_id"`
	Fix            *struct {
		Release, Outcome string
		RegressedIn      string `json:"regressed_in"`
	}
}

// findIssue returns the issue of the mapped error; the zero value when there is none.
func (a *shop) findIssue() watchedIssue {
	a.t.Helper()
	var issues struct{ Data []watchedIssue }
	require.Equal(a.t, 200, a.callAPI(adminToken, "GET", "/v1/issues?project="+a.slug, "", &issues))
	i := slices.IndexFunc(issues.Data, func(issue watchedIssue) bool { return issue.Culprit == "src/cart in findPrice" })
	if i < 0 {
		return watchedIssue{}
	}
	var detail struct{ Data watchedIssue }
	require.Equal(a.t, 200, a.callAPI(adminToken, "GET", fmt.Sprintf("/v1/issues/%d", issues.Data[i].ID), "", &detail))
	return detail.Data
}

func (a *shop) checkLifeOfFix() {
	t := a.t
	a.release("1.0")
	oldTab := a.openPage()
	issue := a.crash(oldTab)
	a.checkSource(issue, 12)

	const buggy = "item.price.amount"
	source, err := os.ReadFile("app/src/cart.js")
	require.NoError(t, err)
	a.writeFile("src/cart.js", strings.Replace(string(source), buggy, "item.price?.amount ?? 0", 1))
	commit := a.commitChange("a price may be missing")
	require.Equal(t, 200, a.callAPI(adminToken, "POST", fmt.Sprintf("/v1/issues/%d/fix", issue.ID), `{"commit": "`+commit+`"}`, nil))
	a.release("1.1")
	checkOut(a.openPage())
	require.Equal(t, issue.TimesSeen, a.findIssue().TimesSeen, "what is live has no error")
	issue = a.crash(oldTab)
	require.Equal(t, "fix_pending", issue.Status)
	require.Equal(t, "1.1", issue.Fix.Release)
	require.Eventually(t, func() bool { return a.findIssue().Status == "verified" }, time.Minute, 50*time.Millisecond)
	require.Equal(t, "verified", a.crash(oldTab).Status)

	a.writeFile("src/cart.js", "// Anybody may change\n// the code.\n"+string(source))
	a.release("1.2")
	require.Equal(t, "verified", a.crash(oldTab).Status)
	issue = a.crash(a.openPage())
	require.Equal(t, "regressed", issue.Status)
	require.Equal(t, []string{"regressed", "1.2"}, []string{issue.Fix.Outcome, issue.Fix.RegressedIn})
	a.checkSource(issue, 14)
}

// checkSource requires the latest event to show the place of the error, at a line of the original file.
func (a *shop) checkSource(issue watchedIssue, line int) {
	t := a.t
	t.Helper()
	var event struct {
		Data struct {
			Event struct {
				Exceptions []struct{ Frames []mappedFrame }
				Problems   []any
			}
		}
	}
	require.Equal(t, 200, a.callAPI(adminToken, "GET", fmt.Sprintf("/v1/events/%d", issue.LatestEventID), "", &event))
	require.Empty(t, event.Data.Event.Problems)
	frames := event.Data.Event.Exceptions[0].Frames
	crash := frames[0]
	require.Contains(t, crash.URL, a.site+"/assets/", "what was sent stays")
	require.NotNil(t, crash.Source)
	require.Equal(t, []any{"src/cart.js", line}, []any{crash.Source.Path, crash.Source.Line})
	require.Equal(t, "\t\treturn item.price.amount;", crash.ContextLine)
	require.Equal(t, "\tfindPrice(item) {", crash.PreContext[len(crash.PreContext)-1])
	require.Equal(t, "\t}", crash.PostContext[0])
	require.True(t, crash.InApp)
	require.Regexp(t, `\bfindPrice$`, crash.Function)
	require.Equal(t, "TypeError: Cannot read properties of undefined (reading 'amount')", issue.Title)
	last := frames[len(frames)-1]
	require.Equal(t, "src/main.js", last.Source.Path, "where the page begins")
}

// mappedFrame is a frame with the place from its source map.
type mappedFrame struct {
	frame
	InApp       bool     `json:"in_app"`
	ContextLine string   `json:"context_line"`
	PreContext  []string `json:"pre_context"`
	PostContext []string `json:"post_context"`
	Source      *struct {
		Name, Path   string
		Line, Column int
	}
}
