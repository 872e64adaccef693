package client_test

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

	"errand/client"
	"errand/core"
)

// commitOnto makes an empty commit in a repository and returns its SHA.
func commitOnto(t *testing.T, dir, message string) string {
	t.Helper()
	runGit(t, dir, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", message)
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
	c := startDemo(t)
	c.options.URL += "/"
	var issues []struct{ ID int64 }
	c.callJSON(t, &issues, "list_issues", "--project=demo-shop", "--status=unresolved")
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	before, fix, last := commitOnto(t, dir, "Start"), commitOnto(t, dir, "Fix"), commitOnto(t, dir, "Change")
	c.callJSON(t, &struct{}{}, "link_fix", "--id", fmt.Sprint(issues[0].ID), "--commit", fix)
	report := client.DeployReport{
		Project: "demo-shop", Commit: last, Release: "2.5.0", Environment: "production", CommitsFrom: before, Dir: dir,
	}

	reported, err := report.Send(t.Context(), c.caller(), io.Discard)

	require.NoError(t, err)
	require.Equal(t, core.List[int64]{issues[0].ID}, reported.FixesDeployed)
	var text strings.Builder
	require.NoError(t, client.PrintDeploy(&text, reported))
	require.Equal(t, fmt.Sprintf("Reported: release 2.5.0 in production (commit %s).\nIt contains the fix of issue %d.\n", last, issues[0].ID),
		text.String())
}

func TestDeployCommandSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	known := startServer(t, newConfig(t)).caller()
	elsewhere := httptest.NewServer(http.RedirectHandler("https://errors.example/", http.StatusMovedPermanently))
	t.Cleanup(elsewhere.Close)
	for name, test := range map[string]struct {
		caller client.Client
		report client.DeployReport
		want   string
	}{
		"no URL":    {client.Client{Token: adminToken}, client.DeployReport{}, "Set ERRAND_URL"},
		"no scheme": {client.Client{URL: "errors.example", Token: adminToken}, client.DeployReport{}, "ERRAND_URL must be a URL"},
		"no token":  {client.Client{URL: known.URL}, client.DeployReport{}, "set ERRAND_TOKEN"},
		"wrong token": {client.Client{URL: known.URL, Token: "ck_wrong"}, client.DeployReport{Project: "x", Commit: "abcdef1"},
			"401 Unauthorized: unauthorized"},
		"no project":   {known, client.DeployReport{Project: "x", Commit: "abcdef1", Environment: "e"}, "404 Not Found: project_not_found"},
		"wrong commit": {known, client.DeployReport{Project: "x", Commit: "main", Environment: "e"}, "commit must be a commit SHA of 7 to 40"},
		"not Errand": {client.Client{URL: known.URL + "/docs", Token: adminToken}, client.DeployReport{Project: "x", Commit: "abcdef1"},
			"404 Not Found"},
		"a redirect": {client.Client{URL: elsewhere.URL, Token: adminToken}, client.DeployReport{Project: "x"},
			"where it leads, https://errors.example/"},
		"not there": {client.Client{URL: "http://127.0.0.1:1", Token: adminToken, Pause: time.Nanosecond},
			client.DeployReport{Project: "x"}, "connection refused"},
		"no repository": {known,
			client.DeployReport{Project: "x", Commit: "HEAD", CommitsFrom: "v1", Dir: t.TempDir()}, "not a git repository"},
		"a flag for git": {known, client.DeployReport{Project: "x", Commit: "HEAD", CommitsFrom: "--output=x", Dir: t.TempDir()},
			"git log --output=x..HEAD"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := test.report.Send(t.Context(), test.caller, io.Discard)

			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), adminToken)
		})
	}
}

// TestDeployCommandTriesAgain reports a deploy to a server that cannot accept it at first, and to one that never can.
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
	caller := client.Client{URL: broken.URL, Token: adminToken, Pause: time.Millisecond}
	report := client.DeployReport{Project: "shop", Commit: "abcdef1"}
	var said strings.Builder

	reported, err := report.Send(t.Context(), caller, &said)

	require.NoError(t, err)
	require.EqualValues(t, "1.0", reported.Release)
	require.Regexp(t, `^  \S+ answered 503 Service Unavailable: unavailable; trying again in 1ms\n.+ EOF; trying again in 2ms\n`+
		`.+429 Too Many Requests: limit; try again in 1 s; trying again in 1s\n$`, said.String())
	failures = []func(w http.ResponseWriter){failures[0], failures[0], failures[0], failures[0], failures[0]}
	calls.Store(0)
	_, err = report.Send(t.Context(), caller, &said)
	require.ErrorContains(t, err, "503 Service Unavailable: unavailable")
	require.EqualValues(t, 5, calls.Load())
	require.NotContains(t, said.String(), adminToken)
}

// TestDeployRefusedForAnotherField checks that only the refused field is left out: a project may have the name of a field.
func TestDeployRefusedForAnotherField(t *testing.T) {
	t.Parallel()
	var sent []string
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		sent = append(sent, string(body))
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error": "invalid_request", "details": [{"path": "release", "message": "must not be pull_requests.1"}]}`)
	}))
	t.Cleanup(refusing.Close)
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	runGit(t, dir, "remote", "add", "origin", "git@github.com:Acme/Shop.git")
	before, fix := commitOnto(t, dir, "Start"), commitOnto(t, dir, "Fix it (#3)")
	report := client.DeployReport{Project: "shop", Commit: fix, CommitsFrom: before, Environment: "production", Dir: dir}
	var text strings.Builder

	_, err := report.Send(t.Context(), client.Client{URL: refusing.URL, Token: adminToken}, &text)

	require.ErrorContains(t, err, "release must not be")
	require.Len(t, sent, 1)
	require.Empty(t, text.String())
}
