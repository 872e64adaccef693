package tools_test

import (
	"fmt"
	"testing"

	"errand/core"
)

func TestMergeIssues(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.MergeIssues.Operation
	pay := h.addEvents(h.newEvent("pay", 1)).IssueID
	other := h.addEvents(h.newEvent("other", 1)).IssueID
	merged := withChanges(payIssue(pay), object{"times_seen": 2, "stored_events": 2, "events_24h": 2, "events_7d": 2, "priority": 6})
	h.sameJSON(object{"data": merged}, h.mustCall(writer, op, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, pay, other)))
	h.sameJSON(object{"next_cursor": nil, "data": []any{object{
		"id": 2, "at": noonText, "actor_type": "token", "actor_id": 2, "actor_name": "agent-2", "action": "issue.merge",
		"target_type": "issue", "target_id": pay, "data": object{"source_ids": []any{other}},
	}}}, h.mustCall(reader, core.ListIssueActivity.Operation, idArgs(pay)))

	h.sameJSON(object{"error": "invalid_request", "details": []any{
		object{"path": "source_ids", "message": fmt.Sprint("must not name the target: ", pay)},
		object{"path": "source_ids", "message": "must name issues that exist; unknown: 99"},
		object{"path": "source_ids", "message": fmt.Sprintf("must name issues that are not merged; already merged: %d (into %d)", other, pay)},
	}}, h.mustFail(writer, op, fmt.Sprintf(`{"id": %d, "source_ids": [%d, %d, 99]}`, pay, pay, other)))
	h.sameJSON(object{"error": "not_found"}, h.mustFail(writer, op, fmt.Sprintf(`{"id": 99, "source_ids": [%d]}`, pay)))
	h.sameJSON(object{"error": "forbidden", "required_scope": "issues:write"},
		h.mustFail(reader, op, fmt.Sprintf(`{"id": %d, "source_ids": [99]}`, pay)))
	for _, ids := range []string{`[]`, `null`, `[1,2,3,4,5,6,7,8,9,10,11]`} {
		h.mustRefuse(op, fmt.Sprintf(`{"id": %d, "source_ids": %s}`, pay, ids), "source_ids")
	}
	h.mustRefuse(op, idArgs(pay), "source_ids")
}

func TestSplitIssue(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.SplitIssue.Operation
	first, second := h.addEvents(h.newEvent("pay", 1)), h.addEvents(h.newEvent("pay", 2))
	var made struct{ Data object }
	decodeInto(t, h.mustCall(writer, op, fmt.Sprintf(`{"id": %d, "event_ids": [%d]}`, first.IssueID, second.ID)), &made)
	newID := int64(made.Data["id"].(float64))
	delete(made.Data, "fingerprint")
	delete(made.Data, "triage")
	want := withChanges(payIssue(newID), object{ // the stored events of these tests have only a message
		"title": nil, "culprit": nil, "type": nil, "fingerprint_version": 0,
	})
	delete(want, "fingerprint")
	delete(want, "triage")
	h.sameJSON(want, mustJSON(t, made.Data))
	h.sameJSON(object{"data": withChanges(payIssue(first.IssueID),
		object{"latest_event_id": first.ID, "test": false, "fix": nil, "ignored_until": nil})},
		h.mustCall(reader, core.GetIssue.Operation, idArgs(first.IssueID)))
	row := object{"at": noonText, "actor_type": "token", "actor_id": 2, "actor_name": "agent-2", "target_type": "issue"}
	h.sameJSON(object{"next_cursor": nil, "data": []any{withChanges(row, object{
		"id": 2, "action": "issue.split", "target_id": first.IssueID, "data": object{"new_issue_id": newID, "event_ids": []any{second.ID}},
	})}}, h.mustCall(reader, core.ListIssueActivity.Operation, idArgs(first.IssueID)))
	h.sameJSON(object{"next_cursor": nil, "data": []any{withChanges(row, object{
		"id": 3, "action": "issue.split_from", "target_id": newID, "data": object{"issue_id": first.IssueID},
	})}}, h.mustCall(reader, core.ListIssueActivity.Operation, idArgs(newID)))

	h.sameJSON(object{"error": "invalid_request", "details": []any{
		object{"path": "event_ids", "message": "must name stored events, by their id; unknown: 99"},
		object{"path": "event_ids", "message": fmt.Sprint("must name events of this issue; of another: ", second.ID)},
	}}, h.mustFail(writer, op, fmt.Sprintf(`{"id": %d, "event_ids": [99, %d]}`, first.IssueID, second.ID)))
	h.mustCall(writer, core.MergeIssues.Operation, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, first.IssueID, newID))
	for _, unknown := range []int64{99, newID} {
		h.sameJSON(object{"error": "not_found"}, h.mustFail(writer, op, fmt.Sprintf(`{"id": %d, "event_ids": [%d]}`, unknown, first.ID)))
	}
	h.sameJSON(object{"error": "forbidden", "required_scope": "issues:write"},
		h.mustFail(reader, op, fmt.Sprintf(`{"id": %d, "event_ids": [99]}`, newID)))
	for _, ids := range []string{`[]`, `null`, fmt.Sprintf("[%d,%[1]d]", first.ID)} {
		h.mustRefuse(op, fmt.Sprintf(`{"id": %d, "event_ids": %s}`, first.IssueID, ids), "event_ids")
	}
	h.mustRefuse(op, idArgs(first.IssueID), "event_ids")
}
