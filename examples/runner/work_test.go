package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	commit      = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"
	pullRequest = "https://github.com/acme/shop/pull/7"
)

func TestCommandFindsAFix(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{"a commit": commit, "a pull request": pullRequest} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startErrand(t)
			r := startRunner(t, usualConfig(t, s.url, "sh", "-c", "cat >/dev/null; echo working; echo; echo "+line))

			status, _ := r.deliver(t, deliverySaying(1, "issue.new", s.issue, "high"))

			require.Equal(t, 202, status)
			r.waitForDone(t, 1)
			issue := s.readIssue()
			require.Equal(t, "fix_pending", issue.Status)
			require.Equal(t, line, issue.Fix.Commit+issue.Fix.PRURL)
			require.Nil(t, issue.Claim)
		})
	}
}

func TestCommandGetsTheBrief(t *testing.T) {
	t.Parallel()
	s := startErrand(t)
	folder := t.TempDir()
	script := `cd "$1"; cat >stdin; cp "$ERRAND_BRIEF_FILE" file; cp "$ERRAND_BRIEF_JSON_FILE" json
		env >env; printf '%s' "$2" >argument; echo none`
	r := startRunner(t, usualConfig(t, s.url, "sh", "-c", script, "sh", folder, "$(touch hacked)"))

	r.deliver(t, deliverySaying(1, "issue.regressed", s.issue, "high"))

	r.waitForDone(t, 1)
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		return string(text)
	}
	holds := fmt.Sprintf("The runner that started you holds issue %d for you as worker %q", s.issue, "runner-of-the-tests")
	require.Contains(t, read("stdin"), holds)
	require.Contains(t, read("stdin"), "You hold the claim: go on.")
	require.NotContains(t, read("stdin"), "before anything else")
	require.Equal(t, read("stdin"), read("file"))
	require.Contains(t, read("json"), `"claim_is_yours":true`)
	require.Equal(t, "$(touch hacked)", read("argument"), "no shell of ours reads it")
	require.NoFileExists(t, filepath.Join(folder, "hacked"))
	require.Contains(t, read("env"), "ERRAND_URL="+s.url+"\n")
	require.Contains(t, read("env"), "ERRAND_EVENT=issue.regressed\n")
}

func TestCommandsGetNoSecrets(t *testing.T) {
	t.Parallel()
	rest := withoutSecrets([]string{"PATH=/bin", "ERRAND_TOKEN=ck_1", "ERRAND_WEBHOOK_SECRET=whsec_1", "HOME=/"})
	require.Equal(t, []string{"PATH=/bin", "HOME=/"}, rest)
}

// A command without a fix leaves a note, and leaves the issue to others.
func TestCommandFindsNoFix(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script, note string
	}{
		"says why":        {"echo I do not have the code", "The agent runner found no fix: I do not have the code"},
		"fails":           {"echo no luck; exit 3", "The agent runner found no fix: the command ended with exit status 3. no luck"},
		"fails with one":  {"echo " + commit + "; exit 1", "The agent runner found no fix: the command ended with exit status 1."},
		"says nothing":    {"true", "The agent runner found no fix: the command named no fix"},
		"a wrong commit":  {"echo http://evil.example/x", "The agent runner's fix http://evil.example/x could not be linked: invalid_request"},
		"takes too long":  {"exec sleep 60", "The agent runner found no fix: the command took too long"},
		"leaves children": {"sleep 60 & sleep 60", "The agent runner found no fix: the command took too long"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startErrand(t)
			c := usualConfig(t, s.url, "sh", "-c", test.script)
			if strings.Contains(test.script, "sleep") {
				c.timeout = 300 * time.Millisecond
			}
			r := startRunner(t, c)

			r.deliver(t, deliverySaying(1, "issue.new", s.issue, "high"))

			r.waitForDone(t, 1)
			require.Equal(t, []string{"issue.release", "issue.note " + test.note, "issue.claim"}, s.listActions())
			require.Nil(t, s.readIssue().Claim)
		})
	}
}

func TestIssuesThatAreNotWorkedOn(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*errandServer){
		"claimed by another": func(s *errandServer) {
			var made struct{ Data struct{ Token string } }
			s.callOperation(adminToken, "POST", "/v1/tokens", `{"name":"other","scopes":["issues:read","issues:write"]}`, &made)
			s.callOperation(made.Data.Token, "POST", "/v1/issues/1/claim", "{}", nil)
		},
		"claimed by another runner with the same token": func(s *errandServer) {
			s.callOperation(adminToken, "POST", "/v1/issues/1/claim", `{"worker":"another"}`, nil)
		},
		"resolved": func(s *errandServer) { s.callOperation(adminToken, "POST", "/v1/issues/1/resolve", "{}", nil) },
		"unknown":  func(s *errandServer) { s.issue++ },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startErrand(t)
			prepare(s)
			started := filepath.Join(t.TempDir(), "started")
			r := startRunner(t, usualConfig(t, s.url, "touch", started))

			r.deliver(t, deliverySaying(1, "issue.new", s.issue, "high"))

			r.waitForDone(t, 1)
			require.NoFileExists(t, started)
		})
	}
}

// A runner that stops ends its commands and releases their issues; the next one continues with the
// delivery.
func TestStopKeepsTheWork(t *testing.T) {
	t.Parallel()
	s := startErrand(t)
	started := filepath.Join(t.TempDir(), "started")
	c := usualConfig(t, s.url, "sh", "-c", `touch "$0"; sleep 600 & wait`, started)
	first := startRunner(t, c)
	first.deliver(t, deliverySaying(1, "issue.new", s.issue, "high"))
	require.Eventually(t, func() bool { return fileExists(started) }, atMost, every)
	require.Equal(t, "runner-of-the-tests", s.readIssue().Claim.Worker)

	first.stop()

	require.Nil(t, s.readIssue().Claim)
	require.True(t, first.inbox.knowsDelivery(1))
	c.command = []string{"echo", commit}
	second := startRunner(t, c)
	second.waitForDone(t, 1)
	require.Equal(t, "fix_pending", s.readIssue().Status)
	status, text := second.deliver(t, deliverySaying(1, "issue.new", s.issue, "high"))
	require.Equal(t, 200, status)
	require.Equal(t, "ignored: it came before", text)
}

// The runner's name in its claims outlives the process, because the claims do.
func TestWorkerIsTheSameAfterARestart(t *testing.T) {
	t.Parallel()
	c := usualConfig(t, "http://127.0.0.1:9", "true")
	c.worker = ""
	first, err := newRunner(c, slog.New(slog.DiscardHandler))
	require.NoError(t, err)

	second, err := newRunner(c, slog.New(slog.DiscardHandler))

	require.NoError(t, err)
	require.NotEmpty(t, first.errand.worker)
	require.Equal(t, first.errand.worker, second.errand.worker)
	c.folder = t.TempDir()
	elsewhere, err := newRunner(c, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NotEqual(t, first.errand.worker, elsewhere.errand.worker)
}

func TestOldDeliveriesAreForgotten(t *testing.T) {
	t.Parallel()
	box, err := openInbox(t.TempDir())
	require.NoError(t, err)
	d := &delivery{ID: 1, Event: "ping"}
	isNew, err := box.keepDelivery(d)
	require.NoError(t, err)
	require.True(t, isNew)
	require.NoError(t, box.finishDelivery(1))
	now := time.Now()

	_, err = box.listUnfinished(now.Add(keepDone - time.Minute))
	require.NoError(t, err)
	require.True(t, box.knowsDelivery(1))
	_, err = box.listUnfinished(now.Add(keepDone + time.Minute))

	require.NoError(t, err)
	require.False(t, box.knowsDelivery(1))
}
