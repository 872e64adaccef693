//go:build e2e

package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSentryCLI(t *testing.T) {
	t.Parallel()
	s := newCIJob(t, startServer(t))
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

// TestSentryCLIBringsFixes deploys two releases. The second one has the commit of a fix, which is not its newest.
func TestSentryCLIBringsFixes(t *testing.T) {
	t.Parallel()
	s := newCIJob(t, startServer(t))
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
	s := newCIJob(t, startServer(t))
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

// TestSentryCLIUploadsInlineMaps uploads a file that contains its map, and a map with sections.
func TestSentryCLIUploadsInlineMaps(t *testing.T) {
	t.Parallel()
	s := newCIJob(t, startServer(t))
	s.writeFile("src/cart.js", shopSource)
	s.mustRun(s.modulePath(".bin/esbuild"), "src/cart.js", "--minify", "--sourcemap=inline", "--outdir=dist/js")
	s.writeFile("dist/js/page.js", "page()\n//# sourceMappingURL=page.js.map\n")
	s.writeFile("dist/js/page.js.map", `{"version": 3, "sources": [], "sections": [{"offset": {"line": 0, "column": 0}, "map":
		{"version": 3, "sources": ["turbopack:///[project]/page.js"], "sourcesContent": ["page()"], "names": [], "mappings": "AAAA"}}]}`)

	out := s.sentryCLI("sourcemaps", "upload", "--no-rewrite", "-r", "1.0", "--dist", "7", "--url-prefix", "~/static", "dist")

	require.ElementsMatch(t, []storedMap{{"1.0", "/static/js/cart.js", 1}, {"1.0", "/static/js/page.js", 1}}, s.listMaps("1.0"), out)
}

// TestSentryCLIReleasesSeveralProjects makes the calls of getsentry/action-release with two projects. Only the first call names them.
func TestSentryCLIReleasesSeveralProjects(t *testing.T) {
	t.Parallel()
	s := newCIJob(t, startServer(t))
	_, other := s.makeProject("Kiosk")
	var made struct{ Data struct{ Token string } }
	require.Equal(t, 201, s.callAPI(adminToken, "POST", "/v1/tokens", `{"name": "CI", "scopes": ["releases:write", "issues:read"]}`, &made))
	s.env = slices.DeleteFunc(s.env, func(variable string) bool { return strings.HasPrefix(variable, "SENTRY_PROJECT=") })
	s.env = append(s.env, "SENTRY_AUTH_TOKEN="+made.Data.Token)
	head := s.commitChange("last")

	s.sentryCLI("releases", "new", "-p", s.slug, "-p", other, "1.0")
	s.sentryCLI("releases", "set-commits", "1.0", "--auto")
	s.sentryCLI("releases", "finalize", "1.0")
	require.NotContains(t, s.sentryCLI("releases", "-p", other, "list"), "unreleased")
	s.sentryCLI("deploys", "new", "-r", "1.0", "-e", "production")

	for _, slug := range []string{s.slug, other} {
		var shown struct {
			Data struct {
				Commit  string
				Deploys []struct{ Environment string }
			}
		}
		require.Equal(t, 200, s.callAPI(adminToken, "GET", "/v1/releases/1.0?project="+slug, "", &shown))
		require.Equal(t, head, shown.Data.Commit, slug)
		require.Len(t, shown.Data.Deploys, 1, slug)
	}
}

func TestSentryCLIShowsWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := newCIJob(t, startServer(t))
	s.writeFile("dist/app.js", "console.log(1)\n//# sourceMappingURL=app.js.map\n")
	s.writeFile("dist/app.js.map", `{"version": 3, "sources": ["a.js"], "names": [], "mappings": "!!!!"}`)

	for says, args := range map[string][]string{
		`release "9.9" has no commits`:           {"deploys", "new", "-r", "9.9", "-e", "production"},
		"releases are not archived here":         {"releases", "archive", "1.0"},
		"it is not a source map that can be use": {"sourcemaps", "upload", "--no-rewrite", "-r", "1.0", "dist"},
		"run sentry-cli releases set-commits":    {"deploys", "new", "-r", "without-commits", "-e", "production"},
		"releases are not deleted here":          {"releases", "delete", "without-commits"},
		"Errand does not have this part":         {"issues", "list"},
	} {
		s.sentryCLI("releases", "new", "without-commits")
		out, err := s.runCommand(s.modulePath(".bin/sentry-cli"), args...)
		require.Error(t, err, out)
		require.Contains(t, out, says)
	}
}
