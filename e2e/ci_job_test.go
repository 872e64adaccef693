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

// ciJob runs a build's tools in a repository: Sentry's own with only their three variables and the URL, and errand with its two.
type ciJob struct {
	*server
	dir  string
	env  []string
	slug string
	dsn  string
}

// newCIJob makes a project, a token that is bound to it, and a repository with three commits.
func newCIJob(t *testing.T, s *server) *ciJob {
	t.Helper()
	job := &ciJob{server: s, dir: t.TempDir()}
	job.dsn, job.slug = s.makeProject("Web shop")
	var created struct{ Data struct{ Token string } }
	require.Equal(t, 201, s.callAPI(adminToken, "POST", "/v1/tokens",
		`{"name": "CI", "scopes": ["releases:write", "issues:read"], "project": "`+job.slug+`"}`, &created))
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "SENTRY_") {
			job.env = append(job.env, variable)
		}
	}
	job.env = append(job.env, "SENTRY_URL="+s.url, "SENTRY_AUTH_TOKEN="+created.Data.Token, "SENTRY_ORG=acme", "SENTRY_PROJECT="+job.slug,
		"ERRAND_URL="+s.url, "ERRAND_TOKEN="+created.Data.Token, "HOME="+job.dir, "CI=1")
	job.mustRun("git", "init", "-q")
	job.mustRun("git", "remote", "add", "origin", "https://github.com/acme/shop.git")
	for n := range 3 {
		job.commitChange(fmt.Sprint("change ", n))
	}
	return job
}

// commitChange makes an empty commit and returns its SHA.
func (s *ciJob) commitChange(message string) string {
	s.t.Helper()
	s.mustRun("git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", message)
	return strings.TrimSpace(s.mustRun("git", "rev-parse", "HEAD"))
}

// runCommand runs a command in the repository.
func (s *ciJob) runCommand(name string, args ...string) (string, error) {
	s.t.Helper()
	command := exec.CommandContext(s.t.Context(), name, args...)
	command.Dir, command.Env = s.dir, s.env
	out, err := command.CombinedOutput()
	return string(out), err
}

func (s *ciJob) mustRun(name string, args ...string) string {
	s.t.Helper()
	out, err := s.runCommand(name, args...)
	require.NoError(s.t, err, "%s %v: %s", name, args, out)
	return out
}

// sentryCLI runs a command of sentry-cli, which must succeed.
func (s *ciJob) sentryCLI(args ...string) string {
	s.t.Helper()
	return s.mustRun(s.modulePath(".bin/sentry-cli"), args...)
}

// modulePath returns the path of a file below node_modules.
func (s *ciJob) modulePath(name string) string {
	s.t.Helper()
	path, err := filepath.Abs("node_modules/" + name)
	require.NoError(s.t, err)
	return path
}

// writeFile writes a file of the repository.
func (s *ciJob) writeFile(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	require.NoError(s.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(s.t, os.WriteFile(path, []byte(text), 0o644))
}

// storedMap is a source map in a list.
type storedMap struct {
	Release, Path string
	Sources       int
}

// listMaps lists the source maps of a release, or all.
func (s *ciJob) listMaps(release string) []storedMap {
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
