//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/e2e/loop"
)

// The size of the run, and the cost of fixing an ordinary error of a Django app: the figures of docs/agent-loop.md. A
// tenth more is too much. A token counts as 4 bytes, in everything that the agent sends and receives.
const (
	loopBugs      = 20
	loopAgents    = 5
	bytesPerToken = 4
	bytesPerFix   = 12952
	tokensPerFix  = 3238
	loopSlack     = 1.1
)

// fixer is an agent of the loop, without a model.
type fixer struct {
	server *server
	token  string
	worker string

	fixed []string
	calls int
	bytes int
}

// callTool calls a tool and returns the text of its answer.
func (f *fixer) callTool(tool, arguments string) (string, error) {
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
	r, err := http.NewRequest("POST", f.server.url+"/mcp", bytes.NewReader([]byte(message)))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+f.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return "", err
	}
	var said struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal(text, &said); err != nil || said.Result.IsError || len(said.Result.Content) != 1 {
		return "", fmt.Errorf("%s answers %s", tool, text)
	}
	f.calls++
	f.bytes += len(arguments) + len(said.Result.Content[0].Text)
	return said.Result.Content[0].Text, nil
}

var takenIssue = regexp.MustCompile(`^issue_id=(\d+) `)

// fixAll takes issues until none is left, and links a fix to each.
func (f *fixer) fixAll() error {
	for range loopBugs + 1 {
		brief, err := f.callTool("next_issue", fmt.Sprintf(`{"worker":%q}`, f.worker))
		if err != nil {
			return err
		}
		head := takenIssue.FindStringSubmatch(brief)
		if head == nil {
			return nil
		}
		f.fixed = append(f.fixed, head[1])
		arguments := `{"id": %s, "commit": "%040s", "note": "The rule of the discount was missing: it has a default now.", "release": true}`
		if _, err := f.callTool("link_fix", fmt.Sprintf(arguments, head[1], head[1])); err != nil {
			return err
		}
	}
	return nil
}

// TestLoopOfDjangoErrors lets agents on two tokens fix the errors of a Django app: each error once, in two calls.
func TestLoopOfDjangoErrors(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	dsn, _ := s.makeProject("Django shop")
	for n := range loopBugs {
		sendDjangoError(t, dsn, n)
	}
	tokens := []string{s.makeToken("first"), s.makeToken("second")}
	fixers, errs := make([]*fixer, loopAgents), make([]error, loopAgents)

	var all sync.WaitGroup
	for n := range fixers {
		fixers[n] = &fixer{server: s, token: tokens[n%2], worker: fmt.Sprint("agent-", n)}
		all.Go(func() { errs[n] = fixers[n].fixAll() })
	}
	all.Wait()

	fixed, calls, sent := map[string]int{}, 0, 0
	for n, f := range fixers {
		require.NoError(t, errs[n])
		calls, sent = calls+f.calls, sent+f.bytes
		for _, id := range f.fixed {
			fixed[id]++
			require.Equal(t, 1, fixed[id], "issue %s was taken twice", id)
		}
	}
	t.Logf("per fix: %.2f calls, %d bytes, %d tokens", float64(calls)/loopBugs, sent/loopBugs, sent/bytesPerToken/loopBugs)
	require.Len(t, fixed, loopBugs)
	require.Equal(t, 2*loopBugs+loopAgents, calls, "two for each, and for each agent the call that finds nothing left")
	require.LessOrEqual(t, float64(sent)/loopBugs, bytesPerFix*loopSlack)
	require.LessOrEqual(t, float64(sent)/bytesPerToken/loopBugs, tokensPerFix*loopSlack)
}

func sendDjangoError(t *testing.T, dsn string, n int) {
	t.Helper()
	at, err := url.Parse(dsn)
	require.NoError(t, err)
	to := fmt.Sprintf("%s://%s/api%s/store/?sentry_key=%s", at.Scheme, at.Host, at.Path, at.User.Username())
	answer, err := http.Post(to, "application/json", bytes.NewReader(loop.MakeDjangoEvent(n)))
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
}
