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
	pay := h.add(h.event("pay", 1)).IssueID
	other := h.add(h.event("other", 1)).IssueID
	merged := with(payIssue(pay), object{"times_seen": 2, "stored_events": 2, "events_24h": 2, "events_7d": 2, "priority": 6})
	h.is(object{"data": merged}, h.ok(writer, op, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, pay, other)))
	h.is(object{"next_cursor": nil, "data": []any{object{
		"id": 2, "at": noonText, "actor_type": "token", "actor_id": 2, "actor_name": "agent-2", "action": "issue.merge",
		"target_type": "issue", "target_id": pay, "data": object{"source_ids": []any{other}},
	}}}, h.ok(reader, core.ListIssueActivity.Operation, id(pay)))

	h.is(object{"error": "invalid_request", "details": []any{
		object{"path": "source_ids", "message": fmt.Sprint("must not name the target: ", pay)},
		object{"path": "source_ids", "message": "must name issues that exist; unknown: 99"},
		object{"path": "source_ids", "message": fmt.Sprintf("must name issues that are not merged; already merged: %d (into %d)", other, pay)},
	}}, h.fails(writer, op, fmt.Sprintf(`{"id": %d, "source_ids": [%d, %d, 99]}`, pay, pay, other)))
	h.is(object{"error": "not_found"}, h.fails(writer, op, fmt.Sprintf(`{"id": 99, "source_ids": [%d]}`, pay)))
	h.is(object{"error": "forbidden", "required_scope": "issues:write"}, h.fails(reader, op, fmt.Sprintf(`{"id": %d, "source_ids": [99]}`, pay)))
	for _, ids := range []string{`[]`, `null`, `[1,2,3,4,5,6,7,8,9,10,11]`} {
		h.refuses(op, fmt.Sprintf(`{"id": %d, "source_ids": %s}`, pay, ids), "source_ids")
	}
	h.refuses(op, id(pay), "source_ids")
}

func TestSplitIssue(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.SplitIssue.Operation
	first, second := h.add(h.event("pay", 1)), h.add(h.event("pay", 2))
	var made struct{ Data object }
	decode(t, h.ok(writer, op, fmt.Sprintf(`{"id": %d, "event_ids": [%d]}`, first.IssueID, second.ID)), &made)
	newID := int64(made.Data["id"].(float64))
	delete(made.Data, "fingerprint")
	delete(made.Data, "triage")
	want := with(payIssue(newID), object{ // the stored form of the event in these tests has but a message
		"title": nil, "culprit": nil, "type": nil, "fingerprint_version": 0,
	})
	delete(want, "fingerprint")
	delete(want, "triage")
	h.is(want, mustJSON(t, made.Data))
	h.is(object{"data": with(payIssue(first.IssueID), object{"latest_event_id": first.ID, "test": false, "fix": nil})},
		h.ok(reader, core.GetIssue.Operation, id(first.IssueID)))
	row := object{"at": noonText, "actor_type": "token", "actor_id": 2, "actor_name": "agent-2", "target_type": "issue"}
	h.is(object{"next_cursor": nil, "data": []any{with(row, object{
		"id": 2, "action": "issue.split", "target_id": first.IssueID, "data": object{"new_issue_id": newID, "event_ids": []any{second.ID}},
	})}}, h.ok(reader, core.ListIssueActivity.Operation, id(first.IssueID)))
	h.is(object{"next_cursor": nil, "data": []any{with(row, object{
		"id": 3, "action": "issue.split_from", "target_id": newID, "data": object{"issue_id": first.IssueID},
	})}}, h.ok(reader, core.ListIssueActivity.Operation, id(newID)))

	h.is(object{"error": "invalid_request", "details": []any{
		object{"path": "event_ids", "message": "must name stored events, by their id; unknown: 99"},
		object{"path": "event_ids", "message": fmt.Sprint("must name events of this issue; of another: ", second.ID)},
	}}, h.fails(writer, op, fmt.Sprintf(`{"id": %d, "event_ids": [99, %d]}`, first.IssueID, second.ID)))
	h.ok(writer, core.MergeIssues.Operation, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, first.IssueID, newID))
	for _, unknown := range []int64{99, newID} {
		h.is(object{"error": "not_found"}, h.fails(writer, op, fmt.Sprintf(`{"id": %d, "event_ids": [%d]}`, unknown, first.ID)))
	}
	h.is(object{"error": "forbidden", "required_scope": "issues:write"}, h.fails(reader, op, fmt.Sprintf(`{"id": %d, "event_ids": [99]}`, newID)))
	for _, ids := range []string{`[]`, `null`, fmt.Sprintf("[%d,%[1]d]", first.ID)} {
		h.refuses(op, fmt.Sprintf(`{"id": %d, "event_ids": %s}`, first.IssueID, ids), "event_ids")
	}
	h.refuses(op, id(first.IssueID), "event_ids")
}
