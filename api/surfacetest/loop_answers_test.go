package surfacetest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/api/surfacetest"
	"errand/core"
	"errand/store/intake"
	"errand/store/storetest"
)

// An agent whose action waits for approval learns this, who decides, and what to do in the meantime.
func TestAHeldActionSaysWhatToCallNext(t *testing.T) {
	t.Parallel()
	s := surfacetest.ServeSurfaces(t, surfacetest.Options{Store: storetest.New(t), Settings: holdActions("ignore")})
	agent, issue := s.CreateToken(t, core.IssuesRead, core.IssuesWrite), s.CreateIssue(t)

	result := s.CallTool(t, agent, "ignore_issue", fmt.Sprintf(`{"issue_id": %d}`, issue))

	require.False(t, result.IsError, result.Content)
	var held struct {
		Status          string
		ApprovalID      int64           `json:"approval_id"`
		PendingApproval json.RawMessage `json:"pending_approval"`
	}
	require.NoError(t, json.Unmarshal(result.StructuredContent, &held))
	require.Equal(t, "approval_required", held.Status)
	require.Positive(t, held.ApprovalID)
	require.Contains(t, string(held.PendingApproval), "admin")
	require.Equal(t, map[string]map[string]any{"get_issue": {"id": float64(issue)}, "next_issue": {}}, nextOf(t, result))
	none := s.CallTool(t, agent, "next_issue", `{}`)
	require.Contains(t, none.Content[0].Text, "1 waits for an approval")
}

// An event far beyond a model's capacity reaches a client within the bound, in both forms of the result, and complete over REST.
func TestAHeavyEventFitsAModel(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	id := addHeavyEvent(t, s)

	for _, arguments := range []string{`{"id": %d}`, `{"id": %d, "frames": "in_app"}`, `{"id": %d, "parts": ["exceptions"]}`,
		`{"id": %d, "parts": ["breadcrumbs"]}`, `{"id": %d, "parts": ["extra"]}`} {
		result := s.CallTool(t, surfacetest.AdminToken, "get_event", fmt.Sprintf(arguments, id))

		require.False(t, result.IsError, result.Content)
		var read any // a model sees the object as its client writes it, without the escapes of the transport
		require.NoError(t, json.Unmarshal(result.StructuredContent, &read))
		shown, err := core.MarshalPlain(read)
		require.NoError(t, err)
		require.LessOrEqual(t, core.WeighText(shown), core.ModelBudget, arguments)
		require.LessOrEqual(t, core.WeighText(result.Content[0].Text), core.ModelBudget, arguments)
		require.Greater(t, len(shown), core.ModelBudget/20, "it is cut, not emptied: %s", arguments)
	}
	whole := s.SendAsAdmin(t, http.MethodGet, fmt.Sprintf("/v1/events/%d", id), "")
	require.Equal(t, http.StatusOK, whole.Status)
	require.Greater(t, len(whole.Body), 3*core.ModelBudget)
}

// addHeavyEvent stores an event with long texts in many frames, breadcrumbs and extra values, and returns its id.
func addHeavyEvent(t *testing.T, s *surfacetest.Surface) int64 {
	t.Helper()
	issue := s.CreateIssue(t)
	long := strings.Repeat("日本 <&> ", 60)
	var frames, breadcrumbs []any
	extra := map[string]any{}
	for n := range 200 {
		frames = append(frames, map[string]any{"function": "pay", "filename": "pay.go", "lineno": n + 1, "in_app": n%4 == 0,
			"context_line": long, "pre_context": []string{long, long}, "vars": map[string]string{"cart": long}})
		extra[fmt.Sprint("key", n)] = long
	}
	for range 100 {
		breadcrumbs = append(breadcrumbs, map[string]any{"category": "http", "message": long, "data": map[string]string{"url": long}})
	}
	payload, err := json.Marshal(map[string]any{
		"event_id": "02000000000000000000000000000000", "platform": "go", "extra": extra, "breadcrumbs": breadcrumbs,
		"exceptions": []any{map[string]any{"type": "Error", "value": long, "frames": frames}},
	})
	require.NoError(t, err)
	stored, err := s.Store.ReadIssue(t.Context(), issue)
	require.NoError(t, err)
	now := core.At(time.Now())
	added, err := s.Store.Intake.AddEvents(t.Context(), []intake.NewEvent{{
		ProjectID: stored.ProjectID, EventID: [16]byte{2}, OccurredAt: now, ReceivedAt: now, Fingerprint: [32]byte{2}, Version: 1,
		Title: "Error: heavy", Type: "Error", Level: "error", Platform: "go", Source: core.SourceServer, Payload: intake.PackPlain(payload),
	}})
	require.NoError(t, err)
	return added[0].ID
}
