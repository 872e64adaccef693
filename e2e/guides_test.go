//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// guideOf is the guide of a platform for an app that a setup key has registered.
type guideOf struct {
	t        *testing.T
	server   *server
	key      string
	project  string
	markdown string
}

// openGuide makes a setup key, registers an app and reads the guide.
func openGuide(t *testing.T, s *server, platform string) guideOf {
	t.Helper()
	g := guideOf{t: t, server: s}
	var made struct{ Data struct{ Key string } }
	require.Equal(t, 201, s.callAPI(adminToken, "POST", "/v1/setup/keys", "", &made))
	g.key = made.Data.Key
	var app struct {
		Data struct{ Project struct{ Slug string } }
	}
	require.Equal(t, 201, s.callAPI(g.key, "POST", "/v1/setup/apps", `{"name": "Guide of `+platform+`"}`, &app))
	g.project = app.Data.Project.Slug
	var guide struct{ Data struct{ Markdown string } }
	require.Equal(t, 200, s.callAPI(g.key, "GET", "/v1/setup/guide?platform="+platform+"&project="+g.project, "", &guide))
	g.markdown = guide.Data.Markdown
	return g
}

// block returns the code block with the name, unchanged.
func (g guideOf) block(name string) string {
	g.t.Helper()
	return g.blocks(name, 1)[0]
}

// blocks returns the n code blocks for one file, unchanged.
func (g guideOf) blocks(name string, n int) (blocks []string) {
	g.t.Helper()
	for _, found := range regexp.MustCompile("(?ms)^```[a-z]+ "+regexp.QuoteMeta(name)+"\n(.*?)^```$").FindAllStringSubmatch(g.markdown, -1) {
		blocks = append(blocks, found[1])
	}
	require.Len(g.t, blocks, n, "blocks that are called %s:\n%s", name, g.markdown)
	return blocks
}

// writeBlocks writes code blocks into files with their names.
func (g guideOf) writeBlocks(dir string, names ...string) {
	g.t.Helper()
	for _, name := range names {
		require.NoError(g.t, os.WriteFile(filepath.Join(dir, name), []byte(g.block(name)), 0o600))
	}
}

// runCommand runs a command of the guide in a folder. The error that it raises may make it fail.
func (g guideOf) runCommand(dir string, command ...string) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SENTRY_RELEASE=1a2b3c4d", "SENTRY_ENVIRONMENT=production")
	out, err := cmd.CombinedOutput()
	g.t.Logf("%s: %v\n%s", strings.Join(command, " "), err, out)
}

// requireFirstError waits until the error of the guide has arrived, with its release.
func (g guideOf) requireFirstError() {
	g.t.Helper()
	var progress struct {
		Data []struct {
			FirstEventAt *time.Time `json:"first_event_at"`
		}
	}
	require.Eventually(g.t, func() bool {
		require.Equal(g.t, 200, g.server.callAPI(g.key, "GET", "/v1/setup/progress", "", &progress))
		return progress.Data[0].FirstEventAt != nil
	}, 20*time.Second, 100*time.Millisecond, "no event arrived")
	var list struct{ Data []struct{ ID int64 } }
	require.Equal(g.t, 200, g.server.callAPI(adminToken, "GET", "/v1/issues?project="+g.project, "", &list))
	require.Len(g.t, list.Data, 1)
	var detail struct{ Data json.RawMessage }
	require.Equal(g.t, 200, g.server.callAPI(adminToken, "GET", "/v1/issues?project="+g.project+"&search=first+error", "", &detail))
	require.Contains(g.t, string(detail.Data), "first error of "+g.project)
	require.Equal(g.t, "1a2b3c4d", g.server.latestEvent(list.Data[0].ID).Release)
}

// tempBeside makes a folder below a parent, where the parent's packages are found.
func tempBeside(t *testing.T, parent string) string {
	t.Helper()
	dir, err := os.MkdirTemp(parent, "guide-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestGuides runs the code of the guides unchanged.
func TestGuides(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	interpreter, err := filepath.Abs(python)
	require.NoError(t, err)
	t.Run("node", func(t *testing.T) {
		t.Parallel()
		g, dir := openGuide(t, s, "node"), tempBeside(t, ".")
		g.writeBlocks(dir, "instrument.mjs", "first-error.mjs")
		g.runCommand(dir, "node", "--import", "./instrument.mjs", "first-error.mjs")
		g.requireFirstError()
	})
	t.Run("python", func(t *testing.T) {
		t.Parallel()
		g, dir := openGuide(t, s, "python"), t.TempDir()
		g.writeBlocks(dir, "errand_setup.py", "first_error.py")
		g.runCommand(dir, interpreter, "first_error.py")
		g.requireFirstError()
	})
	t.Run("opentelemetry", func(t *testing.T) {
		t.Parallel()
		g, dir := openGuide(t, s, "opentelemetry"), t.TempDir()
		g.writeBlocks(dir, "errand.env", "first_error.py")
		g.runCommand(dir, "sh", "-c", ". ./errand.env && exec "+interpreter+" first_error.py")
		g.requireFirstError()
	})
	t.Run("go", func(t *testing.T) {
		t.Parallel()
		g, dir := openGuide(t, s, "go"), t.TempDir()
		g.writeBlocks(dir, "errand.go", "main.go")
		install := regexp.MustCompile(`(?m)^go get (\S+)$`).FindStringSubmatch(g.markdown)
		require.NotNil(t, install)
		g.runCommand(dir, "go", "mod", "init", "example.com/shop")
		g.runCommand(dir, "go", "get", install[1])
		g.runCommand(dir, "go", "run", ".")
		g.requireFirstError()
	})
	t.Run("general", func(t *testing.T) {
		t.Parallel()
		g, dir := openGuide(t, s, "general"), t.TempDir()
		script := strings.ReplaceAll(g.block("send-error.sh"), "COMMIT_SHA", "1a2b3c4d")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "send-error.sh"), []byte(script), 0o600))
		g.runCommand(dir, "sh", "send-error.sh")
		g.requireFirstError()
	})
	t.Run("browser", func(t *testing.T) {
		t.Parallel()
		if os.Getenv("E2E_BROWSER") == "off" {
			t.Skip("E2E_BROWSER=off leaves out what needs Chromium")
		}
		g, dir := openGuide(t, s, "browser"), tempBeside(t, ".")
		g.writeBlocks(dir, "errand.js", "first-error.js")
		entry := "import './errand.js';\n" + g.block("first-error.js")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "entry.js"), []byte(entry), 0o600))
		g.openPage(startBrowser(t), filepath.Join(filepath.Base(dir), "entry.js"))
		g.requireFirstError()
	})
}

// openPage bundles an entry and opens a page with it.
func (g guideOf) openPage(b *browser, entry string) {
	g.t.Helper()
	bundle, err := exec.CommandContext(g.t.Context(), "node_modules/.bin/esbuild", entry, "--bundle", "--format=iife").Output()
	require.NoError(g.t, err)
	page := `<!doctype html><html data-release="1a2b3c4d" data-environment="production"><title>Shop</title>` +
		`<script src="/entry.js"></script></html>`
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/entry.js" {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write(bundle)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(page))
	}))
	g.t.Cleanup(site.Close)
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	g.t.Cleanup(cancel)
	require.NoError(g.t, chromedp.Do(ctx, chromedp.Navigate(site.URL)))
}
