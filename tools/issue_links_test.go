package tools_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

func TestIssuesAreNamedByTheirURL(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	added := h.addEvents(h.newEvent("pay", 1))
	want := h.mustCall(reader, core.GetIssue.Operation, idArgs(added.IssueID))
	for _, name := range []string{
		"https://errors.example/issues/%d", "https://ERRORS.example/v1/issues/%d/events?limit=5#top", "#%d", "Errand-Issue: %d", "%d",
	} {
		for _, field := range []string{"id", "issue_id"} {
			args := fmt.Sprintf(`{%q: %q}`, field, fmt.Sprintf(name, added.IssueID))
			require.JSONEq(t, want, h.mustCall(reader, core.GetIssue.Operation, args), args)
		}
	}
	for _, name := range []string{
		"https://errors.example.evil.example/issues/%d", "https://other.example/issues/%d", "https://errors.example/issues/%dx",
		"https://errors.example/events/%d", "javascript://errors.example/issues/%d",
	} {
		h.mustRefuse(core.GetIssue.Operation, fmt.Sprintf(`{"id": %q}`, fmt.Sprintf(name, added.IssueID)), "id")
	}
}

func TestListsOfIssuesTakeTheirNames(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	a, b := h.addEvents(h.newEvent("pay", 1)).IssueID, h.addEvents(h.newEvent("log in", 2)).IssueID
	want := h.mustCall(reader, core.GetIssues.Operation, fmt.Sprintf(`{"ids": [%d, %d]}`, a, b))
	for _, ids := range []string{
		`["#%d", "Errand-Issue: %d"]`, `["https://errors.example/issues/%d", "%d"]`, `[%d, "#%d"]`, `"#%d,#%d"`, `"%d, %d"`,
	} {
		require.JSONEq(t, want, h.mustCall(reader, core.GetIssues.Operation, fmt.Sprintf(`{"ids": `+ids+`}`, a, b)), ids)
	}
	for ids, path := range map[string]string{
		`["https://other.example/issues/1"]`: "ids.0", `[1, "#1x"]`: "ids.1", `[true]`: "ids.0", `["#99999999999999999999"]`: "ids.0",
		`"#"`: "ids.0",
	} {
		h.mustRefuse(core.GetIssues.Operation, `{"ids": `+ids+`}`, path)
	}
	h.mustCall(writer, core.MergeIssues.Operation, fmt.Sprintf(`{"id": "#%d", "source_ids": ["#%d"]}`, a, b))
}

func TestSearchTakesAURL(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	added, other := h.addEvents(h.newEvent("pay", 1)), h.addEvents(h.newEvent("log in", 2))
	h.mustCall(writer, core.MergeIssues.Operation, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, added.IssueID, other.IssueID))
	event := h.listIDs(core.ListIssueEvents.Operation, fmt.Sprintf(`{"id": %d}`, added.IssueID))[0]
	for search, want := range map[string][]int64{
		fmt.Sprintf("https://errors.example/issues/%d", added.IssueID):    {added.IssueID},
		fmt.Sprintf("https://errors.example/issues/%d", other.IssueID):    {other.IssueID}, // it was merged
		fmt.Sprintf(" https://errors.example/v1/events/%d ", event):       {added.IssueID},
		"https://errors.example/v1/events/999999":                         {},
		"https://errors.example/issues/999999":                            {},
		fmt.Sprintf("https://elsewhere.example/issues/%d", added.IssueID): {}, // a text like any other
	} {
		require.Equal(t, want, h.listIDs(core.ListIssues.Operation, fmt.Sprintf(`{"search": %q, "fields": ["id"]}`, search)), search)
	}
}

func TestGetEventTakesTheIDOfTheSDK(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	added := h.addEvents(h.newEvent("pay", 1))
	want := h.mustCall(reader, core.GetEvent.Operation, idArgs(added.ID))
	var answer struct{ Data core.EventDetail }
	require.NoError(t, json.Unmarshal([]byte(want), &answer))

	require.JSONEq(t, want, h.mustCall(reader, core.GetEvent.Operation, fmt.Sprintf(`{"id": %q}`, answer.Data.EventID)))

	h.mustRefuse(core.GetEvent.Operation, `{"id": "latest"}`, "id")
	h.mustRefuse(core.GetEvent.Operation, `{"id": ""}`, "id")
	h.mustRefuse(core.GetEventsAround.Operation, `{"id": 1, "event": ""}`, "event")
	require.Contains(t, h.mustFail(reader, core.GetEvent.Operation, `{"id": "0123456789abcdef0123456789abcdef"}`), "not_found")
}

// listIDs returns the ids of the items that an operation lists.
func (h *fixture) listIDs(op *core.Operation, args string) []int64 {
	h.Helper()
	var list struct{ Data []struct{ ID int64 } }
	require.NoError(h, json.Unmarshal([]byte(h.mustCall(reader, op, args)), &list))
	ids := []int64{}
	for _, item := range list.Data {
		ids = append(ids, item.ID)
	}
	return ids
}
