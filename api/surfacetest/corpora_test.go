package surfacetest_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/api/surfacetest"
	"errand/core"
	"errand/envelope"
	"errand/grouping"
	"errand/store/intake"
	"errand/testkit/corpora"
)

// TestCorporaAnswersFitAModel reads every event of real SDKs, and the largest of them with its lists filled up, with
// every tool that shows an event or its issue.
func TestCorporaAnswersFitAModel(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	project := s.CreateProject(t)
	var events []intake.Added
	largest := 0
	read := func(_ string, text []byte) {
		event, err := new(envelope.Decoder).Decode(text, envelope.Hints{ReceivedAt: time.Now()})
		if err != nil {
			return // not an event
		}
		fillUp(event)
		envelope.LimitEvent(event)
		events = append(events, addEvent(t, s, project, len(events), event))
		largest = max(largest, len(event.AppendJSON(nil)))
	}
	corpora.ReadEvents(t, read, "glitchtip-2022", "grouping", "relay-2019-mit", "sentry-java", "sentry-normalize-2019")
	t.Logf("%d events of at most %d bytes", len(events), largest)
	require.Greater(t, largest, 2*core.ModelBudget)

	longest := map[string]int{}
	for _, event := range events {
		for _, call := range []struct{ tool, arguments string }{
			{"get_event", fmt.Sprintf(`{"id": %d}`, event.ID)}, {"get_event", fmt.Sprintf(`{"id": %d, "frames": "in_app"}`, event.ID)},
			{"get_issue", fmt.Sprintf(`{"id": %d}`, event.IssueID)}, {"get_brief", fmt.Sprintf(`{"id": %d, "budget": 20000}`, event.IssueID)},
			{"list_issue_events", fmt.Sprintf(`{"id": %d}`, event.IssueID)}, {"find_similar", fmt.Sprintf(`{"issue_id": %d}`, event.IssueID)},
		} {
			longest[call.tool] = max(longest[call.tool], requireModelFits(t, s, call.tool, call.arguments))
		}
	}
	for _, arguments := range []string{`{"limit": 100}`, `{"limit": 100, "fields": "all"}`} {
		longest["list_issues"] = max(longest["list_issues"], requireModelFits(t, s, "list_issues", arguments))
	}
	t.Logf("longest answers in bytes: %v", longest)
}

// fillUp repeats the event's contents until it is as long as events may be.
func fillUp(event *core.Event) {
	for range 10 {
		event.Breadcrumbs = append(event.Breadcrumbs, event.Breadcrumbs[:min(len(event.Breadcrumbs), 50)]...)
		event.Extra.Kids = append(event.Extra.Kids, core.Member{
			Key: fmt.Sprint("again ", len(event.Extra.Kids)), Value: core.Value{Kind: core.Object, Kids: event.Contexts.Kids},
		})
		event.Extra.Kind = core.Object
		for i := range event.Exceptions {
			frames := &event.Exceptions[i].Frames
			*frames = append(*frames, (*frames)[:min(len(*frames), 25)]...)
		}
	}
}

func addEvent(t *testing.T, s *surfacetest.Surface, project int64, n int, event *core.Event) intake.Added {
	t.Helper()
	now := core.At(time.Now())
	hash := sha256.Sum256([]byte(fmt.Sprint("corpus ", n)))
	added, err := s.Store.Intake.AddEvents(t.Context(), []intake.NewEvent{{
		ProjectID: project, EventID: [16]byte(hash[:]), OccurredAt: now, ReceivedAt: now, Fingerprint: hash, Version: 1,
		Title: grouping.MakeTitle(event), Culprit: grouping.FindCulprit(event), Type: "Error", Level: "error", Platform: event.Platform,
		Source: core.SourceServer, Payload: intake.PackPlain(event.AppendJSON(nil)),
	}})
	require.NoError(t, err)
	return added[0]
}

// requireModelFits calls a tool and requires its answer to be small enough for a model, in both forms of the result.
// It returns the length of the longer form.
func requireModelFits(t *testing.T, s *surfacetest.Surface, tool, arguments string) int {
	t.Helper()
	result := s.CallTool(t, surfacetest.AdminToken, tool, arguments)
	require.False(t, result.IsError, "%s %s: %v", tool, arguments, result.Content)
	require.LessOrEqual(t, core.WeighText(result.Content[0].Text), core.ModelBudget, "%s %s", tool, arguments)
	if len(result.StructuredContent) == 0 {
		return len(result.Content[0].Text)
	}
	var read any // a model sees the object as its client writes it, without the escapes of the transport
	require.NoError(t, json.Unmarshal(result.StructuredContent, &read))
	shown, err := core.MarshalPlain(read)
	require.NoError(t, err)
	require.LessOrEqual(t, core.WeighText(shown), core.ModelBudget, "%s %s", tool, arguments)
	return max(len(shown), len(result.Content[0].Text))
}
