package store_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
)

// approvalRows gives what an issue's activity says of requests for approval, oldest first.
func approvalRows(t testing.TB, s *store.Store, issue int64) []string {
	t.Helper()
	var rows []string
	for _, a := range activity(t, s, issue) {
		if a.TargetType == core.TargetApproval {
			rows = append(rows, fmt.Sprintf("%s of %d by %s", a.Action, a.TargetID, a.ActorName))
		}
	}
	return rows
}

func TestPendingApprovalShowsOnItsIssue(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	id, other := makeIssue(t, s, "pay"), makeIssue(t, s, "other")
	require.Nil(t, issue(t, s, id).Approval)
	first := ask(t, s, ann, store.IgnoreIssue{ID: id})
	shown := &core.PendingApproval{ID: first, Action: core.HeldIssueAction(core.HoldIgnore), RequestedBy: ann.Name, RequestedAt: c.at(0), ExpiresAt: c.at(core.ApprovalTerm)}
	require.Equal(t, shown, issue(t, s, id).Approval)
	require.Nil(t, issue(t, s, other).Approval)
	for _, sort := range []core.IssueSort{core.ByLastSeen, core.ByPriority} {
		page, err := s.Issues(t.Context(), store.IssueFilter{Search: "Error: pay", Sort: sort, Paging: core.Paging{Limit: 5}})
		require.NoError(t, err)
		require.Len(t, page.Data, 1)
		require.Equal(t, shown, page.Data[0].Approval)
	}

	c.forward(time.Minute)
	second := ask(t, s, ann, store.MergeIssues{Target: id, Sources: []int64{other}})
	require.Equal(t, second, issue(t, s, id).Approval.ID, "the latest")
	require.NoError(t, s.Reject(t.Context(), bob, second))
	require.Equal(t, shown, issue(t, s, id).Approval)
	require.Equal(t, []string{
		fmt.Sprintf("approval.request of %d by %s", first, ann.Name), fmt.Sprintf("approval.request of %d by %s", second, ann.Name),
		fmt.Sprintf("approval.reject of %d by %s", second, bob.Name),
	}, approvalRows(t, s, id))
	require.Empty(t, activity(t, s, other))

	c.forward(core.ApprovalTerm)
	require.Nil(t, issue(t, s, id).Approval, "it has expired")
	require.NoError(t, s.Approve(t.Context(), bob, ask(t, s, ann, store.IgnoreIssue{ID: id})))
	require.Nil(t, issue(t, s, id).Approval, "it is decided")
}

func TestFailedDecisionLeavesARow(t *testing.T) {
	t.Parallel()
	s, _ := openShop(t)
	id, target := makeIssue(t, s, "pay"), makeIssue(t, s, "other")
	request := ask(t, s, ann, store.IgnoreIssue{ID: id})
	merge(t, s, target, id)
	requireCode(t, core.ApprovalFailed, s.Approve(t.Context(), bob, request))
	rows := activity(t, s, id)
	last := rows[len(rows)-1]
	require.Equal(t, core.ActionApprovalApprove, last.Action)
	require.Equal(t, core.TargetApproval, last.TargetType)
	require.Equal(t, request, last.TargetID)
	require.Equal(t, bob.Name, last.ActorName)
	require.JSONEq(t, fmt.Sprintf(`{"action": "ignore", "issue_id": %d, "payload": {}, "failed": "the issue was merged, or it or its project was deleted"}`, id), string(last.Data))
	requireCode(t, core.ApprovalNotPending, s.Approve(t.Context(), bob, request))
	require.Equal(t, rows, activity(t, s, id))
}

// TestActivityOfAnIssueIsPaged has rows of both kinds, of which many are of the same time.
func TestActivityOfAnIssueIsPaged(t *testing.T) {
	t.Parallel()
	s, _ := openShop(t)
	id := makeIssue(t, s, "pay")
	for range 5 {
		require.NoError(t, s.Reject(t.Context(), bob, ask(t, s, ann, store.IgnoreIssue{ID: id})))
		_, err := s.AddNote(t.Context(), ann, id, "waiting")
		require.NoError(t, err)
	}
	var ids []int64
	page := core.Paging{Limit: 4}
	for {
		list, err := s.IssueActivity(t.Context(), id, page)
		require.NoError(t, err)
		for _, a := range list.Data {
			ids = append(ids, a.ID)
		}
		if page.Cursor = list.NextCursor; page.Cursor == "" {
			break
		}
	}
	require.Len(t, ids, 15)
	require.IsDecreasing(t, ids)
}

func TestChangesOfKeysLeaveRows(t *testing.T) {
	t.Parallel()
	s, _ := openShop(t)
	require.NoError(t, s.CreateProjectKey(t.Context(), bob, shop, "a second"))
	require.NoError(t, s.RevokeProjectKey(t.Context(), eve, shop, "a second"))
	requireCode(t, core.NotFound, s.RevokeProjectKey(t.Context(), eve, shop, "a second"))
	page, err := s.Activity(t.Context(), core.Paging{Limit: 10})
	require.NoError(t, err)
	require.Len(t, page.Data, 3)
	for i, want := range []struct {
		by   core.Actor
		data string
	}{{eve, `{"key_revoked": "a second"}`}, {bob, `{"key_added": "a second"}`}} {
		row := page.Data[i]
		require.Equal(t, []any{core.ActionProjectUpdate, core.TargetProject, int64(shop), want.by.Name}, []any{row.Action, row.TargetType, row.TargetID, row.ActorName})
		require.True(t, json.Valid(row.Data))
		require.JSONEq(t, want.data, string(row.Data))
	}
}

// changesOf gives the activity of an issue but for the requests for approval, oldest first.
func changesOf(t testing.TB, s *store.Store, issue int64) []core.Activity {
	t.Helper()
	return slices.DeleteFunc(activity(t, s, issue), func(a core.Activity) bool { return a.TargetType == core.TargetApproval })
}
