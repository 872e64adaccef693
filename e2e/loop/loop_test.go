package loop

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api/surfacetest"
	"errand/core"
	"errand/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// The size of the run, and the cost of a fix: the figures of docs/agent-loop.md. A tenth more is too much.
const (
	bugs          = 20
	agents        = 5
	bytesPerToken = 4
	callsPerFix   = 2.25 // two, and for each agent the call that finds nothing left
	bytesPerFix   = 3215
	tokensPerFix  = 804
	slack         = 1.1
)

// tally is what the agents did.
type tally struct {
	mu                   sync.Mutex
	fixed                map[int64]int
	calls, claims        int
	refused, bytes, left int
}

// call calls a tool and returns the text of its answer, and whether it is a refused claim. Nothing else may fail.
func (w *tally) call(t *testing.T, s *surfacetest.Surface, token, tool, arguments string) (text string, isRefused bool) {
	t.Helper()
	result := s.CallTool(t, token, tool, arguments)
	w.mu.Lock()
	defer w.mu.Unlock()
	text = result.Content[0].Text
	w.calls++
	w.bytes += len(arguments) + len(text)
	if tool == "next_issue" || tool == "claim_issue" {
		w.claims++
	}
	if result.IsError && strings.Contains(text, `"error":"claimed"`) {
		w.refused++
		return text, true
	}
	require.False(t, result.IsError, text)
	return text, false
}

var headLine = regexp.MustCompile(`^issue_id=(\d+) project=(\S+)`)

// play is one agent: it takes issues until none is left, and links a fix to each.
func (w *tally) play(t *testing.T, s *surfacetest.Surface, token string, worker int) {
	for range bugs + 1 {
		brief, isRefused := w.call(t, s, token, "next_issue", fmt.Sprintf(`{"worker": "agent-%d"}`, worker))
		if isRefused {
			continue
		}
		head := headLine.FindStringSubmatch(brief)
		if head == nil {
			w.mu.Lock()
			w.left++
			w.mu.Unlock()
			return
		}
		var id int64
		_, err := fmt.Sscan(head[1], &id)
		require.NoError(t, err)
		arguments := `{"id": %d, "commit": "%040x", "note": "The lock was never given back.", "release": true}`
		answer, _ := w.call(t, s, token, "link_fix", fmt.Sprintf(arguments, id, id))
		var linked core.Data[core.IssueDetail]
		require.NoError(t, json.Unmarshal([]byte(answer), &linked))
		require.Equal(t, core.FixPending, linked.Data.Status)
		require.Nil(t, linked.Data.Claim)
		w.mu.Lock()
		w.fixed[id]++
		w.mu.Unlock()
	}
}

func TestTheLoop(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	for range bugs {
		s.CreateIssue(t)
	}
	tokens := []string{s.CreateToken(t, core.IssuesRead, core.IssuesWrite), s.CreateToken(t, core.IssuesRead, core.IssuesWrite)}
	w := &tally{fixed: map[int64]int{}}

	var all sync.WaitGroup
	for n := range agents {
		all.Go(func() { w.play(t, s, tokens[n%len(tokens)], n) })
	}
	all.Wait()

	calls, spent := float64(w.calls)/bugs, float64(w.bytes)/bytesPerToken/bugs
	t.Logf("per fix: %.2f calls, %d bytes, %.0f tokens; %d of %d claims refused", calls, w.bytes/bugs, spent, w.refused, w.claims)
	require.Len(t, w.fixed, bugs, "each is fixed")
	for id, times := range w.fixed {
		require.Equal(t, 1, times, "issue %d was fixed twice", id)
	}
	require.Equal(t, agents, w.left, "each agent was told that nothing is left")
	require.LessOrEqual(t, float64(w.refused), 0.02*float64(w.claims))
	require.LessOrEqual(t, calls, callsPerFix*slack)
	require.LessOrEqual(t, float64(w.bytes)/bugs, bytesPerFix*slack)
	require.LessOrEqual(t, spent, tokensPerFix*slack)
}

// TestAClaimThatIsTakenIsRefused lets an agent choose from a list an issue that another agent has just taken: the
// loop above must not count such refusals.
func TestAClaimThatIsTakenIsRefused(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	id := s.CreateIssue(t)
	first, second := s.CreateToken(t, core.IssuesRead, core.IssuesWrite), s.CreateToken(t, core.IssuesRead, core.IssuesWrite)
	w := &tally{}
	list, _ := w.call(t, s, second, "list_issues", `{"status": "open", "claimed": false, "sort": "priority"}`)
	require.Contains(t, list, fmt.Sprintf(`"id":%d,`, id))
	_, isRefused := w.call(t, s, first, "next_issue", `{}`)
	require.False(t, isRefused)

	_, isRefused = w.call(t, s, second, "claim_issue", fmt.Sprintf(`{"id": %d}`, id))

	require.True(t, isRefused)
	require.Equal(t, 1, w.refused)
	require.Equal(t, 2, w.claims)
}
