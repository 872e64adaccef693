package tools_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

var admin = agent(3, core.Admin)

// openHolding makes a house with the project shop and an issue, where actions are held for approval.
func openHolding(t *testing.T, actions string) (*house, int64) {
	t.Helper()
	h := openShop(t)
	storetest.SaveSettings(t, h.store, map[string]string{"REQUIRE_APPROVAL": actions})
	return h, h.add(h.event("pay", 1)).IssueID
}

// held is the answer of an action that waits for approval.
func held(approval int64) object {
	return object{"status": "approval_required", "approval_id": approval}
}

func TestHeldActionWaitsForApproval(t *testing.T) {
	t.Parallel()
	h, pay := openHolding(t, "ignore")
	h.is(held(1), h.fails(writer, core.IgnoreIssue.Operation, id(pay)))
	h.is(held(1), h.fails(writer, core.IgnoreIssue.Operation, id(pay)))
	h.is(object{"data": with(payIssue(pay), waiting(1, "ignore", "agent-2"))}, h.ok(writer, core.UnresolveIssue.Operation, id(pay)))
	request := object{
		"id": 1, "action": "ignore", "issue_id": pay, "payload": object{}, "requested_by": "agent-2", "requested_at": noonText,
		"expires_at": "2026-03-21T12:30:00.000Z", "status": "pending", "decided_by": nil, "decided_at": nil,
	}
	h.is(object{"data": []any{request}, "next_cursor": nil}, h.ok(admin, core.ListApprovals.Operation, `{}`))
	h.is(object{"data": object{"id": 1, "decision": "approve"}}, h.ok(admin, core.ApproveRequest.Operation, id(1)))
	h.is(object{"data": []any{with(request, object{"status": "approved", "decided_by": "agent-3", "decided_at": noonText})}, "next_cursor": nil},
		h.ok(admin, core.ListApprovals.Operation, `{}`))
	ignored := with(payIssue(pay), object{"status": "ignored"})
	h.is(object{"data": ignored}, h.ok(writer, core.IgnoreIssue.Operation, id(pay))) // what changes nothing is not held
	require.Empty(t, h.log.String())
}

func TestEveryCallerIsHeld(t *testing.T) {
	t.Parallel()
	h, pay := openHolding(t, "ignore,merge,delete_project")
	for i, actor := range []core.Actor{writer, admin, core.Bootstrap()} {
		h.is(held(int64(i+1)), h.fails(actor, core.IgnoreIssue.Operation, id(pay)))
	}
	h.is(object{"error": "not_found"}, h.fails(writer, core.IgnoreIssue.Operation, id(12345)))
	h.is(object{"error": "forbidden", "required_scope": "issues:write"}, h.fails(reader, core.IgnoreIssue.Operation, id(pay)))
}

func TestMergeWaitsForApproval(t *testing.T) {
	t.Parallel()
	h, pay := openHolding(t, "merge")
	ship := h.add(h.event("ship", 1)).IssueID
	op := core.MergeIssues.Operation
	h.refuses(op, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, pay, pay), "source_ids")
	h.is(object{"error": "not_found"}, h.fails(writer, op, fmt.Sprintf(`{"id": 12345, "source_ids": [%d]}`, pay)))
	h.is(held(1), h.fails(writer, op, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, pay, ship)))
	h.is(object{"data": with(payIssue(pay), waiting(1, "merge", "agent-2"))}, h.ok(writer, core.UnresolveIssue.Operation, id(pay)))
	h.ok(admin, core.ApproveRequest.Operation, id(1))
	require.EqualValues(t, 2, h.data(writer, core.UnresolveIssue.Operation, id(pay))["times_seen"])
}

func TestDeletionWaitsForApproval(t *testing.T) {
	t.Parallel()
	h, _ := openHolding(t, "delete_project")
	h.is(object{"error": "project_not_found"}, h.fails(admin, core.DeleteProject.Operation, `{"project": "office"}`))
	h.is(held(1), h.fails(admin, core.DeleteProject.Operation, `{"project": "shop"}`))
	h.ok(reader, core.ListIssues.Operation, `{"project": "shop"}`)
	h.ok(core.Bootstrap(), core.ApproveRequest.Operation, id(1))
	h.is(object{"error": "project_not_found"}, h.fails(reader, core.ListIssues.Operation, `{"project": "shop"}`))
}

func TestOnlyTheNamedActionsAreHeld(t *testing.T) {
	t.Parallel()
	h, pay := openHolding(t, "merge")
	h.is(object{"data": with(payIssue(pay), object{"status": "ignored"})}, h.ok(writer, core.IgnoreIssue.Operation, id(pay)))
}

func TestRejectedAndOwnRequests(t *testing.T) {
	t.Parallel()
	h, pay := openHolding(t, "ignore")
	for _, actor := range []core.Actor{writer, core.Bootstrap()} {
		h.fails(actor, core.IgnoreIssue.Operation, id(pay))
	}
	own := object{"error": "forbidden", "reason": "the request is your own: another admin must decide it"}
	for _, op := range []*core.Operation{core.ApproveRequest.Operation, core.RejectRequest.Operation} {
		h.is(own, h.fails(core.Bootstrap(), op, id(2)))
	}
	h.is(object{"data": object{"id": 1, "decision": "reject"}}, h.ok(core.Bootstrap(), core.RejectRequest.Operation, id(1)))
	for _, op := range []*core.Operation{core.ApproveRequest.Operation, core.RejectRequest.Operation} {
		h.is(object{"error": "approval_not_pending"}, h.fails(admin, op, id(1)))
		h.now = noon.Add(core.ApprovalTerm)
		h.is(object{"error": "approval_not_pending"}, h.fails(admin, op, id(2)))
		h.now = noon
	}
	h.is(object{"data": with(payIssue(pay), waiting(2, "ignore", "ADMIN_TOKEN"))}, h.ok(writer, core.UnresolveIssue.Operation, id(pay)))
}

func TestApprovalOfWhatIsGone(t *testing.T) {
	t.Parallel()
	h, pay := openHolding(t, "ignore")
	h.fails(writer, core.IgnoreIssue.Operation, id(pay))
	h.change(`UPDATE issues SET status = 'merged'`)
	h.is(object{"error": "approval_failed", "reason": "the issue was merged, or it or its project was deleted"},
		h.fails(admin, core.ApproveRequest.Operation, id(1)))
	h.is(object{"error": "approval_not_pending"}, h.fails(admin, core.ApproveRequest.Operation, id(1)))
}

func TestListActivityAndLabels(t *testing.T) {
	t.Parallel()
	h, pay := openHolding(t, "none")
	h.ok(writer, core.ResolveIssue.Operation, id(pay))
	h.now = noon.AddDate(0, 0, 2)
	h.ok(core.Bootstrap(), core.UnresolveIssue.Operation, id(pay))
	row := object{"actor_type": "token", "actor_id": 2, "actor_name": "agent-2", "target_type": "issue", "target_id": pay}
	reopened := object{"id": 3, "at": "2026-03-16T12:30:00.000Z", "data": object{"from": "resolved", "to": "unresolved"}}
	resolved := object{"id": 2, "at": noonText, "data": object{"from": "unresolved", "to": "resolved"}}
	h.is(object{"next_cursor": nil, "data": []any{
		with(with(row, reopened), object{"actor_type": "admin_token", "actor_id": nil, "actor_name": "ADMIN_TOKEN", "action": "issue.unresolve"}),
		with(with(row, resolved), object{"action": "issue.resolve"}),
		object{
			"id": 1, "at": noonText, "actor_type": "admin_token", "actor_id": nil, "actor_name": "ADMIN_TOKEN", "action": "project.create",
			"target_type": "project", "target_id": shop, "data": nil,
		},
	}}, h.ok(admin, core.ListActivity.Operation, `{}`))

	label := object{"issue_id": pay, "actor_type": "token", "actor_name": "agent-2", "corrects": nil}
	first := with(with(label, resolved), object{"label": "resolved"})
	second := with(with(label, reopened), object{"actor_type": "admin_token", "actor_name": "ADMIN_TOKEN", "label": "unresolved", "corrects": "resolved"})
	op := core.ListLabels.Operation
	h.is(object{"data": []any{second, first}, "next_cursor": nil}, h.ok(admin, op, `{}`))
	for _, since := range []string{"1d", "2026-03-15", "2026-03-16T12:30:00Z"} {
		h.is(object{"data": []any{second}, "next_cursor": nil}, h.ok(admin, op, fmt.Sprintf(`{"since": %q, "limit": 1000}`, since)))
	}
	var page struct {
		Data       []any
		NextCursor string `json:"next_cursor"`
	}
	decode(t, h.ok(admin, op, `{"limit": 1}`), &page)
	h.is(object{"data": []any{first}, "next_cursor": nil}, h.ok(admin, op, fmt.Sprintf(`{"limit": 1, "cursor": %q}`, page.NextCursor)))
}

func TestLimitsOfTheLists(t *testing.T) {
	t.Parallel()
	h := open(t)
	for op, most := range map[*core.Operation]int{
		core.ListApprovals.Operation: 100, core.ListActivity.Operation: 100, core.ListLabels.Operation: 1000,
	} {
		for _, limit := range []any{0, -1, most + 1, 1.5, "many"} {
			h.refuses(op, mustJSON(t, object{"limit": limit}), "limit")
		}
		h.is(object{"data": []any{}, "next_cursor": nil}, h.ok(admin, op, fmt.Sprintf(`{"limit": %d}`, most)))
		h.refuses(op, `{"cursor": "nonsense"}`, "cursor")
		h.refuses(op, mustJSON(t, object{"cursor": core.NewCursor("other", noon, 1)}), "cursor")
	}
	for _, since := range []any{"yesterday", "-1h", 7, "2026-13-01"} {
		h.refuses(core.ListLabels.Operation, mustJSON(t, object{"since": since}), "since")
	}
}

// waiting is what an issue shows of a request for approval.
func waiting(id int, action, by string) object {
	return object{"approval": object{
		"id": id, "action": action, "requested_by": by, "requested_at": noonText, "expires_at": noon.Add(core.ApprovalTerm).Format(core.TimeLayout),
	}}
}
