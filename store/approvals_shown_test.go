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
	"errand/store/storetest"
)

// approvalRows returns the rows about requests for approval in an issue's activity, oldest first.
func approvalRows(t testing.TB, s *store.Store, issue int64) []string {
	t.Helper()
	var rows []string
	for _, a := range storetest.ReadActivity(t, s, issue) {
		if a.TargetType == core.TargetApproval {
			rows = append(rows, fmt.Sprintf("%s of %d by %s", a.Action, a.TargetID, a.ActorName))
		}
	}
	return rows
}

func TestPendingApprovalShowsOnItsIssue(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id, other := storetest.MakeIssue(t, s, "pay"), storetest.MakeIssue(t, s, "other")
	require.Nil(t, storetest.ReadIssue(t, s, id).Approval)
	first := requestApproval(t, s, ann, store.IgnoreIssue{ID: id})
	shown := &core.PendingApproval{ID: first, Action: core.HeldIssueAction(core.HoldIgnore), RequestedBy: ann.Name, RequestedAt: c.At(0),
		ExpiresAt: c.At(core.ApprovalTerm)}
	require.Equal(t, shown, storetest.ReadIssue(t, s, id).Approval)
	require.Nil(t, storetest.ReadIssue(t, s, other).Approval)
	for _, sort := range []core.IssueSort{core.ByLastSeen, core.ByPriority} {
		page, err := s.ListIssues(t.Context(), store.IssueFilter{Search: "Error: pay", Sort: sort, Paging: core.Paging{Limit: 5}})
		require.NoError(t, err)
		require.Len(t, page.Data, 1)
		require.Equal(t, shown, page.Data[0].Approval)
	}

	c.Forward(time.Minute)
	second := requestApproval(t, s, ann, store.MergeIssues{Target: id, Sources: []int64{other}})
	require.Equal(t, second, storetest.ReadIssue(t, s, id).Approval.ID, "the latest")
	require.NoError(t, s.RejectRequest(t.Context(), bob, second))
	require.Equal(t, shown, storetest.ReadIssue(t, s, id).Approval)
	require.Equal(t, []string{
		fmt.Sprintf("approval.request of %d by %s", first, ann.Name), fmt.Sprintf("approval.request of %d by %s", second, ann.Name),
		fmt.Sprintf("approval.reject of %d by %s", second, bob.Name),
	}, approvalRows(t, s, id))
	require.Empty(t, storetest.ReadActivity(t, s, other))

	c.Forward(core.ApprovalTerm)
	require.Nil(t, storetest.ReadIssue(t, s, id).Approval, "it has expired")
	require.NoError(t, s.ApproveRequest(t.Context(), bob, requestApproval(t, s, ann, store.IgnoreIssue{ID: id})))
	require.Nil(t, storetest.ReadIssue(t, s, id).Approval, "it is decided")
}

func TestFailedDecisionLeavesARow(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	id, target := storetest.MakeIssue(t, s, "pay"), storetest.MakeIssue(t, s, "other")
	request := requestApproval(t, s, ann, store.IgnoreIssue{ID: id})
	storetest.MergeIssues(t, s, target, id)
	storetest.RequireCode(t, core.ApprovalFailed, s.ApproveRequest(t.Context(), bob, request))
	rows := storetest.ReadActivity(t, s, id)
	last := rows[len(rows)-1]
	require.Equal(t, core.ActionApprovalApprove, last.Action)
	require.Equal(t, core.TargetApproval, last.TargetType)
	require.Equal(t, request, last.TargetID)
	require.Equal(t, bob.Name, last.ActorName)
	require.JSONEq(t, fmt.Sprintf(`{"action": "ignore", "issue_id": %d, "payload": {},
		"failed": "the issue was merged, or it or its project was deleted"}`, id), string(last.Data))
	storetest.RequireCode(t, core.ApprovalNotPending, s.ApproveRequest(t.Context(), bob, request))
	require.Equal(t, rows, storetest.ReadActivity(t, s, id))
}

// TestActivityOfAnIssueIsPaged has rows of both kinds, many of them with the same time.
func TestActivityOfAnIssueIsPaged(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	for range 5 {
		require.NoError(t, s.RejectRequest(t.Context(), bob, requestApproval(t, s, ann, store.IgnoreIssue{ID: id})))
		_, err := s.AddNote(t.Context(), ann, id, "waiting")
		require.NoError(t, err)
	}
	var ids []int64
	page := core.Paging{Limit: 4}
	for {
		list, err := s.ListIssueActivity(t.Context(), id, core.AllActivity, page)
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
	s, _ := storetest.OpenShop(t)
	require.NoError(t, s.CreateProjectKey(t.Context(), bob, storetest.Shop, "a second"))
	require.NoError(t, s.RevokeProjectKey(t.Context(), eve, storetest.Shop, "a second"))
	storetest.RequireCode(t, core.NotFound, s.RevokeProjectKey(t.Context(), eve, storetest.Shop, "a second"))
	page, err := s.ListActivity(t.Context(), store.ActivityFilter{Paging: core.Paging{Limit: 10}})
	require.NoError(t, err)
	require.Len(t, page.Data, 3)
	for i, want := range []struct {
		by   core.Actor
		data string
	}{{eve, `{"key_revoked": "a second"}`}, {bob, `{"key_added": "a second"}`}} {
		row := page.Data[i]
		require.Equal(t, []any{core.ActionProjectUpdate, core.TargetProject, int64(storetest.Shop), want.by.Name},
			[]any{row.Action, row.TargetType, row.TargetID, row.ActorName})
		require.True(t, json.Valid(row.Data))
		require.JSONEq(t, want.data, string(row.Data))
	}
}

// changesOf returns the activity of an issue without the requests for approval, oldest first.
func changesOf(t testing.TB, s *store.Store, issue int64) []core.Activity {
	t.Helper()
	return slices.DeleteFunc(storetest.ReadActivity(t, s, issue), func(a core.Activity) bool { return a.TargetType == core.TargetApproval })
}
