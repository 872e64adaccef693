//go:build e2e

package e2e

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sentryTool runs Sentry's own tools in a repository, with only their three variables and the URL set.
type sentryTool struct {
	*server
	dir  string
	env  []string
	slug string
	dsn  string
}

// newSentryTool makes a project, a token that is bound to it, and a repository with three commits.
func newSentryTool(t *testing.T, s *server) *sentryTool {
	t.Helper()
	tool := &sentryTool{server: s, dir: t.TempDir()}
	tool.dsn, tool.slug = s.makeProject("Web shop")
	var created struct{ Data struct{ Token string } }
	require.Equal(t, 201, s.callAPI(adminToken, "POST", "/v1/tokens",
		`{"name": "CI", "scopes": ["releases:write", "issues:read"], "project": "`+tool.slug+`"}`, &created))
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "SENTRY_") {
			tool.env = append(tool.env, variable)
		}
	}
	tool.env = append(tool.env, "SENTRY_URL="+s.url, "SENTRY_AUTH_TOKEN="+created.Data.Token, "SENTRY_ORG=acme", "SENTRY_PROJECT="+tool.slug,
		"HOME="+tool.dir, "CI=1")
	tool.mustRun("git", "init", "-q")
	tool.mustRun("git", "remote", "add", "origin", "https://github.com/acme/shop.git")
	for n := range 3 {
		tool.commitChange(fmt.Sprint("change ", n))
	}
	return tool
}

// commitChange makes an empty commit and returns its SHA.
func (s *sentryTool) commitChange(message string) string {
	s.t.Helper()
	s.mustRun("git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", message)
	return strings.TrimSpace(s.mustRun("git", "rev-parse", "HEAD"))
}

// run runs a command in the repository.
func (s *sentryTool) runCommand(name string, args ...string) (string, error) {
	s.t.Helper()
	command := exec.CommandContext(s.t.Context(), name, args...)
	command.Dir, command.Env = s.dir, s.env
	out, err := command.CombinedOutput()
	return string(out), err
}

func (s *sentryTool) mustRun(name string, args ...string) string {
	s.t.Helper()
	out, err := s.runCommand(name, args...)
	require.NoError(s.t, err, "%s %v: %s", name, args, out)
	return out
}

// sentryCLI runs a command of sentry-cli, which must work.
func (s *sentryTool) sentryCLI(args ...string) string {
	s.t.Helper()
	return s.mustRun(s.modulePath(".bin/sentry-cli"), args...)
}

// modulePath returns the path of a file below node_modules.
func (s *sentryTool) modulePath(name string) string {
	s.t.Helper()
	path, err := filepath.Abs("node_modules/" + name)
	require.NoError(s.t, err)
	return path
}

// writeFile writes a file of the repository.
func (s *sentryTool) writeFile(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	require.NoError(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(s.t, os.WriteFile(path, []byte(text), 0o644))
}

// storedMap is what the list of source maps says about one.
type storedMap struct {
	Release, Path string
	Sources       int
}

// listMaps lists the source maps of a release, or all.
func (s *sentryTool) listMaps(release string) []storedMap {
	s.t.Helper()
	path := "/v1/sourcemaps?project=" + s.slug
	if release != "" {
		path += "&release=" + url.QueryEscape(release)
	}
	var list struct{ Data []storedMap }
	require.Equal(s.t, 200, s.callAPI(adminToken, "GET", path, "", &list))
	return list.Data
}

// shopSource is a script of the shop, before it is minified.
const shopSource = `
export function loadCart(customer) {
  if (!customer) throw new Error("cart cannot be loaded: " + customer);
  return customer.cart;
}
globalThis.loadCart = loadCart;
`

func TestSentryCLI(t *testing.T) {
	t.Parallel()
	s := newSentryTool(t, startServer(t))
	head := s.commitChange("last")

	require.Contains(t, s.sentryCLI("info"), "Server: "+s.url)
	require.Contains(t, s.sentryCLI("projects", "list"), s.slug)
	require.Contains(t, s.sentryCLI("organizations", "list"), "errand")
	require.Contains(t, s.sentryCLI("releases", "new", "shop@1.0+a"), "Created release")
	s.sentryCLI("releases", "set-commits", "shop@1.0+a", "--local")
	s.sentryCLI("releases", "finalize", "shop@1.0+a")
	require.Contains(t, s.sentryCLI("releases", "list"), "shop@1.0+a")
	require.Contains(t, s.sentryCLI("releases", "info", "shop@1.0+a"), "shop@1.0+a")
	require.Contains(t, s.sentryCLI("deploys", "new", "-r", "shop@1.0+a", "-e", "staging"), "Created new deploy")
	require.Contains(t, s.sentryCLI("deploys", "list", "-r", "shop@1.0+a"), "staging")

	var shown struct {
		Data struct {
			Commit  string
			Deploys []struct{ Environment, Source string }
		}
	}
	require.Equal(t, 200, s.callAPI(adminToken, "GET", "/v1/releases/"+url.PathEscape("shop@1.0+a")+"?project="+s.slug, "", &shown))
	require.Equal(t, head, shown.Data.Commit)
	require.Equal(t, "staging", shown.Data.Deploys[0].Environment)
	require.Equal(t, "sentry", shown.Data.Deploys[0].Source)
}

// TestSentryCLIBringsFixes deploys two releases; the second has the commit of a fix, which is not its newest.
func TestSentryCLIBringsFixes(t *testing.T) {
	t.Parallel()
	s := newSentryTool(t, startServer(t))
	sendGo(t, s.dsn)
	var issues struct{ Data []struct{ ID int64 } }
	require.Equal(t, 200, s.callAPI(adminToken, "GET", "/v1/issues?project="+s.slug, "", &issues))
	s.sentryCLI("releases", "set-commits", "1.0", "--auto")
	s.sentryCLI("deploys", "new", "-r", "1.0", "-e", "production")
	fix := s.commitChange("the fix")
	s.commitChange("and more")
	require.Equal(t, 200, s.callAPI(adminToken, "POST", fmt.Sprintf("/v1/issues/%d/fix", issues.Data[0].ID), `{"commit": "`+fix+`"}`, nil))

	s.sentryCLI("releases", "set-commits", "1.1", "--auto")
	s.sentryCLI("deploys", "new", "-r", "1.1", "-e", "production")

	var shown struct {
		Data struct {
			FixesDeployed []struct {
				IssueID int64 `json:"issue_id"`
			} `json:"fixes_deployed"`
		}
	}
	require.Equal(t, 200, s.callAPI(adminToken, "GET", "/v1/releases/1.1?project="+s.slug, "", &shown))
	require.Len(t, shown.Data.FixesDeployed, 1)
	require.Equal(t, issues.Data[0].ID, shown.Data.FixesDeployed[0].IssueID)
}

func TestSentryCLIUploadsSourceMaps(t *testing.T) {
	t.Parallel()
	s := newSentryTool(t, startServer(t))
	s.writeFile("src/cart.js", shopSource)
	s.mustRun(s.modulePath(".bin/esbuild"), "src/cart.js", "--minify", "--sourcemap", "--outdir=dist/js")

	s.sentryCLI("sourcemaps", "inject", "dist")
	out := s.sentryCLI("sourcemaps", "upload", "-r", "1.0", "--url-prefix", "~/static", "dist")

	require.Equal(t, []storedMap{{"1.0", "/static/js/cart.js", 1}}, s.listMaps("1.0"), out)
	s.sentryCLI("sourcemaps", "upload", "-r", "1.0", "--url-prefix", "~/static", "dist")
	require.Len(t, s.listMaps("1.0"), 1, "the same upload replaces the map")
	s.sentryCLI("sourcemaps", "upload", "dist")
	require.Len(t, s.listMaps(""), 2, "without a release the debug id names the map")
}

func TestSentryCLIShowsWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newSentryTool(t, startServer(t))
	s.writeFile("dist/app.js", "console.log(1)\n//# sourceMappingURL=app.js.map\n")
	s.writeFile("dist/app.js.map", `{"version": 3, "sources": ["a.js"], "names": [], "mappings": "!!!!"}`)

	for says, args := range map[string][]string{
		`release "9.9" has no commits`:           {"deploys", "new", "-r", "9.9", "-e", "production"},
		"releases are not archived here":         {"releases", "archive", "1.0"},
		"it is not a source map that can be use": {"sourcemaps", "upload", "--no-rewrite", "-r", "1.0", "dist"},
		"run sentry-cli releases set-commits":    {"deploys", "new", "-r", "without-commits", "-e", "production"},
	} {
		s.sentryCLI("releases", "new", "without-commits")
		out, err := s.runCommand(s.modulePath(".bin/sentry-cli"), args...)
		require.Error(t, err, out)
		require.Contains(t, out, says)
	}
}
