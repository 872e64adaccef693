package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/intake"
)

// TestNextIssueKeepsToItsBudget puts the longest line of ids before a brief that is too long for the budget.
func TestNextIssueKeepsToItsBudget(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	for _, budget := range []int{core.MinBriefBudget, 600, 1000, 6000, core.MaxBriefBudget} {
		event := h.newEvent(fmt.Sprint("pay ", budget), 1)
		stored := core.Event{Exceptions: core.List[core.Exception]{{Type: "Error", Value: "pay"}}}
		for n := range 250 {
			stored.Exceptions[0].Frames = append(stored.Exceptions[0].Frames, core.Frame{
				Function: core.Untrusted(fmt.Sprint("step", n)), Filename: "shop/pay.go", Lineno: core.OptInt(n + 1), InApp: true,
				ContextLine: core.Untrusted(strings.Repeat("total := ", 40)),
			})
		}
		event.Payload = intake.PackPlain(stored.AppendJSON(nil))
		h.addEvents(event)

		var next struct{ Data core.NextIssue }
		arguments := fmt.Sprintf(`{"budget": %d, "worker": %q}`, budget, strings.Repeat("字", 64))
		require.NoError(t, json.Unmarshal([]byte(h.mustCall(writer, core.NextIssueOp.Operation, arguments)), &next))

		require.LessOrEqual(t, core.CountTokens(next.Data.Markdown), budget)
		require.Greater(t, core.CountTokens(next.Data.Markdown), min(budget, 1000)*3/4, "the room is used")
		require.Contains(t, next.Data.Markdown, "Error: pay")
	}
}
