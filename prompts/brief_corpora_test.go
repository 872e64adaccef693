package prompts_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/envelope"
	"errand/grouping"
	"errand/testkit/corpora"
)

// TestCorporaBriefs makes a brief of every event from real SDKs. Each is within its budget, and no text of the event
// stands outside of the fences.
func TestCorporaBriefs(t *testing.T) {
	t.Parallel()
	events := 0
	read := func(path string, text []byte) {
		event, err := new(envelope.Decoder).Decode(text, envelope.Hints{ReceivedAt: briefNow.Time})
		if err != nil {
			return // not an event
		}
		events++
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			requireBriefsOf(t, event)
		})
	}
	corpora.ReadEvents(t, read, "glitchtip-2022", "grouping", "relay-2019-mit", "sentry-java")
	t.Logf("%d events", events)
	require.Greater(t, events, 50)
}

func requireBriefsOf(t *testing.T, event *core.Event) {
	t.Helper()
	facts := makeFacts("")
	facts.Issue.Title, facts.Issue.Culprit = core.Untrusted(grouping.MakeTitle(event)), core.Untrusted(grouping.FindCulprit(event))
	facts.Issue.Platform, facts.Event.Event, facts.Similar = event.Platform, *event, nil
	for _, budget := range []int{leastBudget, core.MinBriefBudget, core.DefaultBriefBudget, core.MaxBriefBudget} {
		made := renderBrief(facts, budget)
		requireSafe(t, made, budget)
		outside := outsideOfFences(t, made.Markdown)
		eachText(parseValue(t, event), func(text string) {
			const telling = 16 // shorter ones may be Errand's words too
			if len(text) >= telling {
				require.False(t, strings.Contains(outside, text), "%q stands outside of the fences", text)
			}
		})
	}
}

func parseValue(t *testing.T, event *core.Event) (v core.Value) {
	t.Helper()
	require.NoError(t, v.UnmarshalJSON(event.AppendJSON(nil)))
	return v
}

func eachText(v core.Value, visit func(string)) {
	if v.Kind == core.String {
		visit(v.Text)
	}
	for _, kid := range v.Kids {
		eachText(kid.Value, visit)
	}
}
