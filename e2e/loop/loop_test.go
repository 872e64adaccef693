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

// What is played, and what a fix may cost: the figures of docs/agent-loop.md, and a tenth more.
const (
	bugs          = 20
	agents        = 5
	bytesPerToken = 4
	tokensPerFix  = 830
	callsPerFix   = 2.25 // two, and for each agent the call that finds nothing left
	slack         = 1.1
)

// tally is what the agents did.
type tally struct {
	mu                   sync.Mutex
	fixed                map[int64]int
	calls, claims        int
	refused, bytes, left int
}

var headLine = regexp.MustCompile(`^issue_id=(\d+) project=(\S+)`)

// play is one agent: it takes issues until none is left, and links a fix to each.
func (w *tally) play(t *testing.T, s *surfacetest.Surface, token string, worker int) {
	call := func(tool, arguments string) string {
		result := s.CallTool(t, token, tool, arguments)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.calls++
		text := result.Content[0].Text
		w.bytes += len(arguments) + len(text)
		if tool == "next_issue" {
			w.claims++
			if strings.Contains(text, `"claimed"`) {
				w.refused++
			}
		}
		require.False(t, result.IsError, text)
		return text
	}
	for range bugs + 1 {
		head := headLine.FindStringSubmatch(call("next_issue", fmt.Sprintf(`{"worker": "agent-%d"}`, worker)))
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
		answer := call("link_fix", fmt.Sprintf(arguments, id, id))
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
	require.LessOrEqual(t, spent, tokensPerFix*slack)
}
