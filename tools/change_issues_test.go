package tools_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

// bulkArgs are the arguments of a change of issues.
func bulkArgs(more string, ids ...int64) string {
	list := ""
	for _, id := range ids {
		list += fmt.Sprintf(",%d", id)
	}
	return fmt.Sprintf(`{"ids": [%s], %s}`, list[1:], more)
}

// bulkIssue is the outcome for one issue on the wire.
func bulkIssue(id int64, outcome, before, after any, changes object) object {
	return withChanges(object{"id": id, "outcome": outcome, "status_before": before, "status": after, "approval_id": nil, "error": nil,
		"message": nil, "merged_into": nil}, changes)
}

func TestChangeIssues(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.ChangeIssues.Operation
	pay, ship := h.addEvents(h.newEvent("pay", 1)).IssueID, h.addEvents(h.newEvent("ship", 1)).IssueID
	cart, merged := h.addEvents(h.newEvent("cart", 1)).IssueID, h.addEvents(h.newEvent("merged", 1)).IssueID
	h.mustCall(writer, core.IgnoreIssue.Operation, idArgs(ship))
	h.mustCall(writer, core.ResolveIssue.Operation, idArgs(cart))
	h.mustCall(writer, core.MergeIssues.Operation, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, pay, merged))
	answer := h.callData(writer, op, bulkArgs(`"action": "resolve"`, ship, 99, pay, cart, merged))

	refused := answer["issues"].([]any)[1].(object)["message"]
	unknown := object{"error": "not_found", "message": refused}
	h.sameJSON(object{"changed": 2, "unchanged": 1, "held": 0, "refused": 2, "issues": []any{
		bulkIssue(ship, "changed", "ignored", "resolved", nil),
		bulkIssue(99, "refused", nil, nil, unknown),
		bulkIssue(pay, "changed", "unresolved", "resolved", nil),
		bulkIssue(cart, "unchanged", "resolved", "resolved", nil),
		bulkIssue(merged, "refused", nil, nil, withChanges(unknown, object{"merged_into": pay})),
	}}, mustJSON(t, answer))
	require.NotEmpty(t, refused)
	rows := storetest.ReadActivity(t, h.store, ship)
	require.Equal(t, core.ActionIssueResolve, rows[len(rows)-1].Action)
	require.JSONEq(t, `{"from": "ignored", "to": "resolved"}`, string(rows[len(rows)-1].Data))
	require.Len(t, storetest.ReadActivity(t, h.store, cart), 1)

	h.mustCall(writer, op, bulkArgs(`"action": "unresolve"`, pay))
	require.Equal(t, core.Unresolved, storetest.ReadIssue(t, h.store, pay).Status)
	h.mustCall(writer, op, bulkArgs(`"action": "ignore", "after_events": 5`, pay, ship))
	require.EqualValues(t, 7, storetest.ReadIssue(t, h.store, pay).IgnoreEnd.TimesSeen)
	answer = h.callData(writer, op, bulkArgs(`"action": "ignore", "until": "2020-01-01"`, pay))
	require.Equal(t, "until must be in the future", answer["issues"].([]any)[0].(object)["message"])
	for args, field := range map[string]string{
		`{"ids": [], "action": "resolve"}`: "ids", `{"ids": [1, 1], "action": "resolve"}`: "ids", `{"ids": [1], "action": "merge"}`: "action",
		`{"ids": [1], "action": "resolve", "until": "1h"}`:   "until",
		`{"ids": [1], "action": "ignore", "until": "soon"}`:  "until",
		`{"ids": [1], "action": "ignore", "after_users": 0}`: "after_users",
	} {
		h.mustRefuse(op, args, field)
	}
}

func TestChangeIssuesHoldsWhatIsHeld(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.ChangeIssues.Operation
	storetest.SaveSettings(t, h.store, map[string]string{"REQUIRE_APPROVAL": "ignore"})
	pay, ship := h.addEvents(h.newEvent("pay", 1)).IssueID, h.addEvents(h.newEvent("ship", 1)).IssueID
	h.changeRows(`UPDATE issues SET status = 'ignored' WHERE id = $1`, ship)
	var approval any
	for range 2 { // the same request again
		answer := h.callData(writer, op, bulkArgs(`"action": "ignore"`, pay, ship, 99))
		held := answer["issues"].([]any)[0].(object)
		require.NotNil(t, held["approval_id"])
		if approval != nil {
			require.Equal(t, approval, held["approval_id"])
		}
		approval = held["approval_id"]
		h.sameJSON(bulkIssue(pay, "held", "unresolved", "unresolved", object{"approval_id": approval}), mustJSON(t, held))
		require.Equal(t, []any{1.0, 1.0, 1.0}, []any{answer["held"], answer["unchanged"], answer["refused"]})
	}
	h.mustCall(core.NewBootstrapActor(), core.ApproveRequest.Operation, fmt.Sprintf(`{"id": %v}`, approval))
	require.Equal(t, core.Ignored, storetest.ReadIssue(t, h.store, pay).Status)
	h.mustCall(writer, op, bulkArgs(`"action": "resolve"`, pay))
	require.Equal(t, core.Resolved, storetest.ReadIssue(t, h.store, pay).Status)
}

// People change what is of their projects; the rest is unknown to them, or beyond their role, as when it is changed alone.
func TestChangeIssuesOfOthers(t *testing.T) {
	t.Parallel()
	h, people := openTeams(t)
	own, other := h.ownPart().issue(), h.foreignPart().issue()
	limited := h.makeLimitedToken(`"issues:read", "issues:write"`)
	for _, who := range []core.Actor{people["member"], people["owner"], limited} {
		h.mustCall(core.NewBootstrapActor(), core.UnresolveIssue.Operation, idArgs(own))
		answer := h.callData(who, core.ChangeIssues.Operation, bulkArgs(`"action": "resolve"`, other, unknownID+77, own))
		issues := answer["issues"].([]any)
		foreignIssue, unknownIssue := issues[0].(object), issues[1].(object)
		delete(foreignIssue, "id")
		delete(unknownIssue, "id")
		require.Equal(t, unknownIssue, foreignIssue)
		require.Equal(t, "not_found", foreignIssue["error"])
		require.Equal(t, "changed", issues[2].(object)["outcome"])
		require.Equal(t, core.Unresolved, storetest.ReadIssue(t, h.store, other).Status)
	}
	h.sameJSON(object{"error": "forbidden", "required_role": "member"},
		h.mustFail(people["viewer"], core.ChangeIssues.Operation, bulkArgs(`"action": "resolve"`, own)))
	viewer := storetest.MakeUser(t, h.store, "both@example.org")
	storetest.AssignProjects(t, h.store, viewer, core.RoleViewer, shop)
	storetest.AssignProjects(t, h.store, viewer, core.RoleMember, foreign)
	both := storetest.FindUserActor(t, h.store, viewer)
	answer := h.callData(both, core.ChangeIssues.Operation, bulkArgs(`"action": "ignore"`, own, other))
	require.Equal(t, "forbidden", answer["issues"].([]any)[0].(object)["error"])
	require.Equal(t, "changed", answer["issues"].([]any)[1].(object)["outcome"])
}

// An issue that somebody else has claimed is changed with a warning, as by a single call.
func TestChangeIssuesWarnsOfHolders(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	pay := h.addEvents(h.newEvent("pay", 1)).IssueID
	h.mustCall(writer, core.ClaimIssue.Operation, idArgs(pay))
	answer := h.mustCall(newAgent(7, core.IssuesWrite), core.ChangeIssues.Operation, bulkArgs(`"action": "resolve"`, pay))
	require.Contains(t, answer, `"held_by_other"`)
}
