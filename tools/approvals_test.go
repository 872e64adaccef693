package tools_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

var admin = newAgent(3, core.Admin)

// openHolding makes a fixture with the project shop and an issue, where the actions are held for approval.
func openHolding(t *testing.T, actions string) (*fixture, int64) {
	t.Helper()
	h := openShop(t)
	storetest.SaveSettings(t, h.store, map[string]string{"REQUIRE_APPROVAL": actions})
	return h, h.addEvents(h.newEvent("pay", 1)).IssueID
}

// heldAnswer is the answer of an action that waits for approval.
func heldAnswer(approval int64) object {
	return object{"status": "approval_required", "approval_id": approval}
}

func TestHeldActionWaitsForApproval(t *testing.T) {
	t.Parallel()
	h, pay := openHolding(t, "ignore")
	h.sameJSON(heldAnswer(1), h.mustCall(writer, core.IgnoreIssue.Operation, idArgs(pay)))
	h.sameJSON(heldAnswer(1), h.mustCall(writer, core.IgnoreIssue.Operation, idArgs(pay)))
	h.sameJSON(object{"data": withChanges(payIssue(pay), waitingApproval(1, "ignore", "agent-2"))},
		h.mustCall(writer, core.UnresolveIssue.Operation, idArgs(pay)))
	request := object{
		"id": 1, "action": "ignore", "issue_id": pay, "payload": object{}, "requested_by": "agent-2", "requested_at": noonText,
		"expires_at": "2026-03-21T12:30:00.000Z", "status": "pending", "decided_by": nil, "decided_at": nil,
	}
	h.sameJSON(object{"data": []any{request}, "next_cursor": nil}, h.mustCall(admin, core.ListApprovals.Operation, `{}`))
	h.sameJSON(object{"data": object{"pending": 1}}, h.mustCall(admin, core.CountApprovals.Operation, `{}`))
	h.sameJSON(object{"data": object{"id": 1, "decision": "approve"}}, h.mustCall(admin, core.ApproveRequest.Operation, idArgs(1)))
	h.sameJSON(object{"data": object{"pending": 0}}, h.mustCall(admin, core.CountApprovals.Operation, `{}`))
	h.sameJSON(object{"data": []any{withChanges(request, object{"status": "approved", "decided_by": "agent-3", "decided_at": noonText})},
		"next_cursor": nil},
		h.mustCall(admin, core.ListApprovals.Operation, `{}`))
	ignored := withChanges(payIssue(pay), object{"status": "ignored"})
	h.sameJSON(object{"data": ignored}, h.mustCall(writer, core.IgnoreIssue.Operation, idArgs(pay))) // no change, so not held
	require.Empty(t, h.log.String())
}

func TestEveryCallerIsHeld(t *testing.T) {
	t.Parallel()
	h, pay := openHolding(t, "ignore,merge,delete_project")
	for i, actor := range []core.Actor{writer, admin, core.NewBootstrapActor()} {
		h.sameJSON(heldAnswer(int64(i+1)), h.mustCall(actor, core.IgnoreIssue.Operation, idArgs(pay)))
	}
	h.sameJSON(object{"error": "not_found"}, h.mustFail(writer, core.IgnoreIssue.Operation, idArgs(12345)))
	h.sameJSON(object{"error": "forbidden", "required_scope": "issues:write"}, h.mustFail(reader, core.IgnoreIssue.Operation, idArgs(pay)))
}

func TestMergeWaitsForApproval(t *testing.T) {
	t.Parallel()
	h, pay := openHolding(t, "merge")
	ship := h.addEvents(h.newEvent("ship", 1)).IssueID
	op := core.MergeIssues.Operation
	h.mustRefuse(op, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, pay, pay), "source_ids")
	h.sameJSON(object{"error": "not_found"}, h.mustFail(writer, op, fmt.Sprintf(`{"id": 12345, "source_ids": [%d]}`, pay)))
	h.sameJSON(heldAnswer(1), h.mustCall(writer, op, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, pay, ship)))
	h.sameJSON(object{"data": withChanges(payIssue(pay), waitingApproval(1, "merge", "agent-2"))},
		h.mustCall(writer, core.UnresolveIssue.Operation, idArgs(pay)))
	h.mustCall(admin, core.ApproveRequest.Operation, idArgs(1))
	require.EqualValues(t, 2, h.callData(writer, core.UnresolveIssue.Operation, idArgs(pay))["times_seen"])
}

func TestDeletionWaitsForApproval(t *testing.T) {
	t.Parallel()
	h, _ := openHolding(t, "delete_project")
	h.sameJSON(object{"error": "project_not_found"}, h.mustFail(admin, core.DeleteProject.Operation, `{"project": "office"}`))
	h.sameJSON(heldAnswer(1), h.mustCall(admin, core.DeleteProject.Operation, `{"project": "shop"}`))
	h.mustCall(reader, core.ListIssues.Operation, `{"project": "shop"}`)
	h.mustCall(core.NewBootstrapActor(), core.ApproveRequest.Operation, idArgs(1))
	h.sameJSON(object{"error": "project_not_found"}, h.mustFail(reader, core.ListIssues.Operation, `{"project": "shop"}`))
}

func TestOnlyTheNamedActionsAreHeld(t *testing.T) {
	t.Parallel()
	h, pay := openHolding(t, "merge")
	h.sameJSON(object{"data": withChanges(payIssue(pay), object{"status": "ignored"})},
		h.mustCall(writer, core.IgnoreIssue.Operation, idArgs(pay)))
}

func TestRejectedAndOwnRequests(t *testing.T) {
	t.Parallel()
	h, pay := openHolding(t, "ignore")
	for _, actor := range []core.Actor{writer, core.NewBootstrapActor()} {
		h.mustCall(actor, core.IgnoreIssue.Operation, idArgs(pay))
	}
	own := object{"error": "forbidden", "reason": "the request is your own: another admin must decide it"}
	for _, op := range []*core.Operation{core.ApproveRequest.Operation, core.RejectRequest.Operation} {
		h.sameJSON(own, h.mustFail(core.NewBootstrapActor(), op, idArgs(2)))
	}
	h.sameJSON(object{"data": object{"id": 1, "decision": "reject"}},
		h.mustCall(core.NewBootstrapActor(), core.RejectRequest.Operation, idArgs(1)))
	for _, op := range []*core.Operation{core.ApproveRequest.Operation, core.RejectRequest.Operation} {
		h.sameJSON(object{"error": "approval_not_pending"}, h.mustFail(admin, op, idArgs(1)))
		h.now = noon.Add(core.ApprovalTerm)
		h.sameJSON(object{"error": "approval_not_pending"}, h.mustFail(admin, op, idArgs(2)))
		h.now = noon
	}
	h.sameJSON(object{"data": withChanges(payIssue(pay), waitingApproval(2, "ignore", "ADMIN_TOKEN"))},
		h.mustCall(writer, core.UnresolveIssue.Operation, idArgs(pay)))
}

func TestApprovalOfWhatIsGone(t *testing.T) {
	t.Parallel()
	h, pay := openHolding(t, "ignore")
	h.mustCall(writer, core.IgnoreIssue.Operation, idArgs(pay))
	h.changeRows(`UPDATE issues SET status = 'merged'`)
	h.sameJSON(object{"error": "approval_failed", "reason": "the issue was merged, or it or its project was deleted"},
		h.mustFail(admin, core.ApproveRequest.Operation, idArgs(1)))
	h.sameJSON(object{"error": "approval_not_pending"}, h.mustFail(admin, core.ApproveRequest.Operation, idArgs(1)))
}

func TestListActivityAndLabels(t *testing.T) {
	t.Parallel()
	h, pay := openHolding(t, "none")
	h.mustCall(writer, core.ResolveIssue.Operation, idArgs(pay))
	h.now = noon.AddDate(0, 0, 2)
	h.mustCall(core.NewBootstrapActor(), core.UnresolveIssue.Operation, idArgs(pay))
	row := object{"actor_type": "token", "actor_id": 2, "actor_name": "agent-2", "target_type": "issue", "target_id": pay}
	reopened := object{"id": 3, "at": "2026-03-16T12:30:00.000Z", "data": object{"from": "resolved", "to": "unresolved"}}
	resolved := object{"id": 2, "at": noonText, "data": object{"from": "unresolved", "to": "resolved"}}
	h.sameJSON(object{"next_cursor": nil, "data": []any{
		withChanges(withChanges(row, reopened), object{"actor_type": "admin_token", "actor_id": nil, "actor_name": "ADMIN_TOKEN",
			"action": "issue.unresolve"}),
		withChanges(withChanges(row, resolved), object{"action": "issue.resolve"}),
		object{
			"id": 1, "at": noonText, "actor_type": "admin_token", "actor_id": nil, "actor_name": "ADMIN_TOKEN", "action": "project.create",
			"target_type": "project", "target_id": shop, "data": nil,
		},
	}}, h.mustCall(admin, core.ListActivity.Operation, `{}`))

	label := object{"issue_id": pay, "actor_type": "token", "actor_name": "agent-2", "corrects": nil}
	first := withChanges(withChanges(label, resolved), object{"label": "resolved"})
	second := withChanges(withChanges(label, reopened),
		object{"actor_type": "admin_token", "actor_name": "ADMIN_TOKEN", "label": "unresolved", "corrects": "resolved"})
	op := core.ListLabels.Operation
	h.sameJSON(object{"data": []any{second, first}, "next_cursor": nil}, h.mustCall(admin, op, `{}`))
	for _, since := range []string{"1d", "2026-03-15", "2026-03-16T12:30:00Z"} {
		h.sameJSON(object{"data": []any{second}, "next_cursor": nil}, h.mustCall(admin, op, fmt.Sprintf(`{"since": %q, "limit": 1000}`, since)))
	}
	var page struct {
		Data       []any
		NextCursor string `json:"next_cursor"`
	}
	decodeInto(t, h.mustCall(admin, op, `{"limit": 1}`), &page)
	h.sameJSON(object{"data": []any{first}, "next_cursor": nil},
		h.mustCall(admin, op, fmt.Sprintf(`{"limit": 1, "cursor": %q}`, page.NextCursor)))
}

func TestLimitsOfTheLists(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	for op, most := range map[*core.Operation]int{
		core.ListApprovals.Operation: 100, core.ListActivity.Operation: 100, core.ListLabels.Operation: 1000,
	} {
		for _, limit := range []any{0, -1, most + 1, 1.5, "many"} {
			h.mustRefuse(op, mustJSON(t, object{"limit": limit}), "limit")
		}
		h.sameJSON(object{"data": []any{}, "next_cursor": nil}, h.mustCall(admin, op, fmt.Sprintf(`{"limit": %d}`, most)))
		h.mustRefuse(op, `{"cursor": "nonsense"}`, "cursor")
		h.mustRefuse(op, mustJSON(t, object{"cursor": core.ListPosition{Sort: "other", At: noon, ID: 1}.Cursor()}), "cursor")
	}
	for _, since := range []any{"yesterday", "-1h", 7, "2026-13-01"} {
		h.mustRefuse(core.ListLabels.Operation, mustJSON(t, object{"since": since}), "since")
	}
}

// waitingApproval is a request for approval as an issue shows it.
func waitingApproval(id int, action, by string) object {
	return object{"approval": object{
		"id": id, "action": action, "requested_by": by, "requested_at": noonText,
		"expires_at": noon.Add(core.ApprovalTerm).Format(core.TimeLayout),
	}}
}
