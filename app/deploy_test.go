package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/core"
	"errand/store/storetest"
)

// commitOnto makes an empty commit in a repository and returns its SHA.
func commitOnto(t *testing.T, dir string) string {
	t.Helper()
	runGit(t, dir, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "change")
	return runGit(t, dir, "rev-parse", "HEAD")
}

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", args...)
	command.Dir = dir
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

func TestDeployCommand(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := startServer(t, configOn(databaseURL))
	makeDemo(t, databaseURL)
	var issues []struct{ ID int64 }
	s.getJSON(t, "/v1/issues?project=demo-shop&status=unresolved", &issues)
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	before, fix, last := commitOnto(t, dir), commitOnto(t, dir), commitOnto(t, dir)
	s.postAsAdmin(t, fmt.Sprintf("/v1/issues/%d/fix", issues[0].ID), fmt.Sprintf(`{"commit": %q}`, fix))
	client := app.Client{URL: s.URL() + "/", Token: adminToken}
	report := app.DeployReport{Project: "demo-shop", Commit: last, Release: "2.5.0", Environment: "production", CommitsFrom: before, Dir: dir}

	reported, err := report.Send(t.Context(), client, io.Discard)

	require.NoError(t, err)
	require.Equal(t, core.List[int64]{issues[0].ID}, reported.FixesDeployed)
	var text strings.Builder
	require.NoError(t, app.PrintDeploy(&text, reported))
	require.Equal(t, fmt.Sprintf("Reported: release 2.5.0 in production (commit %s).\nIt brings the fix of issue %d.\n", last, issues[0].ID),
		text.String())
}

func TestDeployCommandSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := startServer(t, configOn(storetest.NewURL(t)))
	elsewhere := httptest.NewServer(http.RedirectHandler("https://errors.example/", http.StatusMovedPermanently))
	t.Cleanup(elsewhere.Close)
	client := app.Client{URL: s.URL(), Token: adminToken}
	for name, test := range map[string]struct {
		client app.Client
		report app.DeployReport
		want   string
	}{
		"no URL":    {app.Client{Token: adminToken}, app.DeployReport{}, "Set ERRAND_URL"},
		"no scheme": {app.Client{URL: "errors.example", Token: adminToken}, app.DeployReport{}, "ERRAND_URL must be a URL"},
		"no token":  {app.Client{URL: s.URL()}, app.DeployReport{}, "set ERRAND_TOKEN"},
		"wrong token": {app.Client{URL: s.URL(), Token: "ck_wrong"}, app.DeployReport{Project: "x", Commit: "abcdef1"},
			"401 Unauthorized: unauthorized"},
		"no project":   {client, app.DeployReport{Project: "x", Commit: "abcdef1", Environment: "e"}, "404 Not Found: project_not_found"},
		"wrong commit": {client, app.DeployReport{Project: "x", Commit: "main", Environment: "e"}, "commit must be a commit SHA of 7 to 40"},
		"not Errand": {app.Client{URL: s.URL() + "/docs", Token: adminToken}, app.DeployReport{Project: "x", Commit: "abcdef1"},
			"404 Not Found"},
		"a redirect": {app.Client{URL: elsewhere.URL, Token: adminToken}, app.DeployReport{Project: "x"},
			"where it leads, https://errors.example/"},
		"not there": {app.Client{URL: "http://127.0.0.1:1", Token: adminToken, Pause: time.Nanosecond},
			app.DeployReport{Project: "x"}, "connection refused"},
		"no repository": {client,
			app.DeployReport{Project: "x", Commit: "HEAD", CommitsFrom: "v1", Dir: t.TempDir()}, "not a git repository"},
		"a flag for git": {client, app.DeployReport{Project: "x", Commit: "HEAD", CommitsFrom: "--output=x", Dir: t.TempDir()},
			"git log --output=x..HEAD"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := test.report.Send(t.Context(), test.client, io.Discard)

			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), adminToken)
		})
	}
}

// TestDeployCommandTriesAgain reports a deploy to a server that cannot take it at first, and to one that never can.
func TestDeployCommandTriesAgain(t *testing.T) {
	t.Parallel()
	failures := []func(w http.ResponseWriter){
		func(w http.ResponseWriter) { http.Error(w, `{"error": "unavailable"}`, http.StatusServiceUnavailable) },
		func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, `{"error": "limit"}`, http.StatusTooManyRequests)
		},
	}
	var calls atomic.Int32
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n := int(calls.Add(1)); n <= len(failures) {
			failures[n-1](w)
			return
		}
		_, _ = io.WriteString(w, `{"data": {"release": "1.0"}}`)
	}))
	t.Cleanup(broken.Close)
	client := app.Client{URL: broken.URL, Token: adminToken, Pause: time.Millisecond}
	report := app.DeployReport{Project: "shop", Commit: "abcdef1"}
	var said strings.Builder

	reported, err := report.Send(t.Context(), client, &said)

	require.NoError(t, err)
	require.EqualValues(t, "1.0", reported.Release)
	require.Regexp(t, `^  \S+ answered 503 Service Unavailable: unavailable; trying again in 1ms\n.+ EOF; trying again in 2ms\n`+
		`.+429 Too Many Requests: limit; try again in 1 s; trying again in 1s\n$`, said.String())
	failures = []func(w http.ResponseWriter){failures[0], failures[0], failures[0], failures[0], failures[0]}
	calls.Store(0)
	_, err = report.Send(t.Context(), client, &said)
	require.ErrorContains(t, err, "503 Service Unavailable: unavailable")
	require.EqualValues(t, 5, calls.Load())
	require.NotContains(t, said.String(), adminToken)
}
