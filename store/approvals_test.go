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

var ann, bob, eve = storetest.MakeActor(1, core.IssuesWrite), storetest.MakeActor(2, core.Admin), storetest.MakeActor(3, core.Admin)

// requestApproval asks for approval of an action, which must be held, and returns the id of the request.
func requestApproval(t testing.TB, s *store.Store, actor core.Actor, a store.HoldableChange) int64 {
	t.Helper()
	outcome, err := s.RequestApproval(t.Context(), actor, a)
	require.NoError(t, err)
	require.Empty(t, outcome.Issue, "nothing has changed")
	require.NotZero(t, outcome.ApprovalID)
	return outcome.ApprovalID
}

// listApprovals returns all requests, most recent first.
func listApprovals(t testing.TB, s *store.Store) []core.Approval {
	t.Helper()
	page, err := s.ListApprovals(t.Context(), "", core.Paging{Limit: 100})
	require.NoError(t, err)
	require.Empty(t, page.NextCursor)
	return page.Data
}

// requireStatus requires a request to have the status, and returns it.
func requireStatus(t testing.TB, s *store.Store, id int64, status core.ApprovalStatus) core.Approval {
	t.Helper()
	list := listApprovals(t, s)
	at := slices.IndexFunc(list, func(a core.Approval) bool { return a.ID == id })
	require.GreaterOrEqual(t, at, 0)
	require.Equal(t, status, list[at].Status)
	return list[at]
}

// readTimeline returns the activity of the whole installation, oldest first, without the ids of the rows and of the project.
func readTimeline(t testing.TB, s *store.Store) []core.Activity {
	t.Helper()
	page, err := s.ListActivity(t.Context(), store.ActivityFilter{Paging: core.Paging{Limit: 100}})
	require.NoError(t, err)
	list := slices.DeleteFunc(page.Data, func(a core.Activity) bool { return a.TargetType == core.TargetProject })
	slices.Reverse(list)
	for i := range list {
		list[i].ID = 0
	}
	return list
}

func approvalRow(at core.Time, actor core.Actor, action core.Action, approval int64, data string) core.Activity {
	return core.Activity{
		At: at, ActorType: actor.Type, ActorID: actor.ID, ActorName: actor.Name, Action: action,
		TargetType: core.TargetApproval, TargetID: approval, Data: json.RawMessage(data),
	}
}

func TestAskHoldsAnAction(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	before := storetest.ReadIssue(t, s, id)
	request := requestApproval(t, s, ann, store.IgnoreIssue{ID: id})
	held := storetest.ReadIssue(t, s, id)
	held.Approval = nil // it has its own tests
	require.Equal(t, before, held, "nothing has changed")
	require.Empty(t, changesOf(t, s, id))
	require.Equal(t, []core.Approval{{
		ID: request, Action: core.HoldIgnore, IssueID: core.OptInt(id), Payload: `{}`, RequestedBy: "agent-1",
		RequestedAt: c.At(0), ExpiresAt: c.At(7 * 24 * time.Hour), Status: core.RequestPending,
	}}, listApprovals(t, s))
	rows := readTimeline(t, s)
	require.Len(t, rows, 1)
	data := string(rows[0].Data)
	require.JSONEq(t, `{"action": "ignore", "issue_id": 1, "payload": {}}`, data)
	require.Equal(t, approvalRow(c.At(0), ann, core.ActionApprovalRequest, request, data), rows[0])
}

func TestAskAgainIsTheSameRequest(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	pay, ship := storetest.MakeIssue(t, s, "pay"), storetest.MakeIssue(t, s, "ship")
	first := requestApproval(t, s, ann, store.IgnoreIssue{ID: pay})
	c.Forward(time.Hour)
	require.Equal(t, first, requestApproval(t, s, ann, store.IgnoreIssue{ID: pay}))
	require.Len(t, readTimeline(t, s), 1)
	require.Equal(t, core.At(storetest.Noon), listApprovals(t, s)[0].RequestedAt, "the term does not start again")

	others := []int64{
		first, requestApproval(t, s, ann, store.IgnoreIssue{ID: ship}), requestApproval(t, s, bob, store.IgnoreIssue{ID: pay}),
		requestApproval(t, s, core.NewBootstrapActor(), store.IgnoreIssue{ID: pay}),
	}
	slices.Sort(others)
	require.Len(t, slices.Compact(others), 4, "another issue or another requester makes another request")

	require.NoError(t, s.RejectRequest(t.Context(), bob, first))
	second := requestApproval(t, s, ann, store.IgnoreIssue{ID: pay})
	require.NotEqual(t, first, second, "a decided request is not returned again")
	c.Forward(core.ApprovalTerm)
	require.NotEqual(t, second, requestApproval(t, s, ann, store.IgnoreIssue{ID: pay}), "nor is an expired one")
	requireStatus(t, s, second, core.RequestExpired)
}

func TestAskTellsWhatTheActionWould(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	ignored, merged := storetest.MakeIssue(t, s, "ignored"), storetest.MakeIssue(t, s, "merged")
	_, err := s.SetIssueStatus(t.Context(), bob, ignored, core.Ignored)
	require.NoError(t, err)
	storetest.MergeByHand(t, s, merged, ignored)
	got, err := s.RequestApproval(t.Context(), ann, store.IgnoreIssue{ID: ignored})
	require.NoError(t, err, "an action that changes nothing needs no approval")
	require.Equal(t, store.ActionOutcome{Issue: storetest.ReadIssue(t, s, ignored).Issue}, got)
	for _, id := range []int64{merged, 12345} {
		_, err := s.RequestApproval(t.Context(), ann, store.IgnoreIssue{ID: id})
		storetest.RequireCode(t, core.NotFound, err)
	}
	require.Empty(t, listApprovals(t, s))
	require.Len(t, readTimeline(t, s), 1)
}

func TestApproveRunsTheActionAsItsRequester(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	for _, by := range []core.Actor{ann, core.NewBootstrapActor()} {
		id := storetest.MakeIssue(t, s, by.Name)
		request := requestApproval(t, s, by, store.IgnoreIssue{ID: id})
		c.Forward(time.Hour)
		seen := len(readTimeline(t, s))
		require.NoError(t, s.ApproveRequest(t.Context(), bob, request))
		require.Equal(t, core.Ignored, storetest.ReadIssue(t, s, id).Status)
		got := requireStatus(t, s, request, core.RequestApproved)
		require.Equal(t, core.Text("agent-2"), got.DecidedBy)
		require.Equal(t, c.At(0), got.DecidedAt)
		rows := readTimeline(t, s)[seen:]
		require.Len(t, rows, 2)
		require.Equal(t, core.ActionIssueIgnore, rows[0].Action)
		require.Equal(t, by.Type, rows[0].ActorType)
		require.Equal(t, by.ID, rows[0].ActorID)
		require.Equal(t, by.Name, rows[0].ActorName)
		require.JSONEq(t, `{"from": "unresolved", "to": "ignored"}`, string(rows[0].Data))
		require.Equal(t, approvalRow(c.At(0), bob, core.ActionApprovalApprove, request, string(rows[1].Data)), rows[1])

		storetest.RequireCode(t, core.ApprovalNotPending, s.ApproveRequest(t.Context(), eve, request))
		storetest.RequireCode(t, core.ApprovalNotPending, s.RejectRequest(t.Context(), eve, request))
		require.Len(t, readTimeline(t, s), seen+2)
	}
}

func TestApproveOfWhatIsDoneAlready(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	request := requestApproval(t, s, ann, store.IgnoreIssue{ID: id})
	require.NoError(t, s.ApproveRequest(t.Context(), eve, requestApproval(t, s, bob, store.IgnoreIssue{ID: id})))
	require.NoError(t, s.ApproveRequest(t.Context(), bob, request))
	requireStatus(t, s, request, core.RequestApproved)
	require.Len(t, changesOf(t, s, id), 1, "it was ignored once")
}

func TestRejectLeavesTheActionUndone(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	request := requestApproval(t, s, ann, store.IgnoreIssue{ID: id})
	require.NoError(t, s.RejectRequest(t.Context(), core.NewBootstrapActor(), request))
	require.Equal(t, core.Unresolved, storetest.ReadIssue(t, s, id).Status)
	got := requireStatus(t, s, request, core.RequestRejected)
	require.Equal(t, core.Text("ADMIN_TOKEN"), got.DecidedBy)
	rows := readTimeline(t, s)
	require.Len(t, rows, 2)
	require.Equal(t, approvalRow(c.At(0), core.NewBootstrapActor(), core.ActionApprovalReject, request, string(rows[1].Data)), rows[1])
	storetest.RequireCode(t, core.ApprovalNotPending, s.ApproveRequest(t.Context(), bob, request))
	storetest.RequireCode(t, core.ApprovalNotPending, s.RejectRequest(t.Context(), bob, request))
}

func TestNobodyDecidesTheirOwnRequest(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	for _, own := range []core.Actor{bob, core.NewBootstrapActor()} {
		request := requestApproval(t, s, own, store.IgnoreIssue{ID: id})
		for _, decide := range []func() error{
			func() error { return s.ApproveRequest(t.Context(), own, request) },
			func() error { return s.RejectRequest(t.Context(), own, request) },
		} {
			err := decide()
			storetest.RequireCode(t, core.Forbidden, err)
			require.NotEmpty(t, core.AsError(err).Extra["reason"])
		}
		requireStatus(t, s, request, core.RequestPending)
	}
	storetest.RequireCode(t, core.NotFound, s.ApproveRequest(t.Context(), bob, 12345))
	storetest.RequireCode(t, core.NotFound, s.RejectRequest(t.Context(), bob, 12345))
	require.Equal(t, core.Unresolved, storetest.ReadIssue(t, s, id).Status)
}

func TestApproveFailsWhenTheIssueHasChanged(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	target := storetest.MakeIssue(t, s, "target")
	for name, spoil := range map[string]func(id int64){
		"merged":  func(id int64) { storetest.MergeByHand(t, s, id, target) },
		"unknown": func(id int64) { storetest.ChangeRows(t, s, `DELETE FROM issues WHERE id = $1`, id) },
		"deleted": func(int64) { storetest.HideProject(t, s, storetest.Shop) },
	} {
		id := storetest.MakeIssue(t, s, name)
		request := requestApproval(t, s, ann, store.IgnoreIssue{ID: id})
		spoil(id)
		c.Forward(time.Minute)
		rows := len(readTimeline(t, s))
		err := s.ApproveRequest(t.Context(), bob, request)
		storetest.RequireCode(t, core.ApprovalFailed, err)
		require.NotEmpty(t, core.AsError(err).Extra["reason"], name)
		got := requireStatus(t, s, request, core.RequestFailed)
		require.Equal(t, core.Text("agent-2"), got.DecidedBy, name)
		require.Equal(t, c.At(0), got.DecidedAt, name)
		require.Len(t, readTimeline(t, s), rows+1, "nothing was done except the decision")
		storetest.RequireCode(t, core.ApprovalNotPending, s.ApproveRequest(t.Context(), bob, request))
		storetest.ChangeRows(t, s, `UPDATE projects SET deleted_at = NULL`)
	}
}

func TestApproveMerges(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	target, first, second := storetest.MakeIssue(t, s, "target"), storetest.MakeIssue(t, s, "first"), storetest.MakeIssue(t, s, "second")
	merge := store.MergeIssues{Target: target, Sources: []int64{second, first, second}}
	request := requestApproval(t, s, ann, merge)
	require.Equal(t, request, requestApproval(t, s, ann, store.MergeIssues{Target: target, Sources: []int64{first, second}}),
		"the same sources")
	other := requestApproval(t, s, ann, store.MergeIssues{Target: target, Sources: []int64{first}})
	require.NotEqual(t, request, other)
	require.EqualValues(t, 1, storetest.ReadIssue(t, s, target).TimesSeen, "nothing has moved")
	require.Equal(t, core.Unresolved, storetest.ReadIssue(t, s, first).Status)
	got := requireStatus(t, s, request, core.RequestPending)
	require.Equal(t, core.HoldMerge, got.Action)
	require.EqualValues(t, target, got.IssueID)
	require.JSONEq(t, fmt.Sprintf(`{"source_ids": [%d, %d]}`, first, second), string(got.Payload))

	require.NoError(t, s.ApproveRequest(t.Context(), bob, request))
	require.EqualValues(t, 3, storetest.ReadIssue(t, s, target).TimesSeen)
	require.Equal(t, core.Merged, storetest.ReadIssue(t, s, first).Status)
	rows := changesOf(t, s, target)
	require.Len(t, rows, 1)
	require.Equal(t, core.ActionIssueMerge, rows[0].Action)
	require.Equal(t, ann.Name, rows[0].ActorName)

	err := s.ApproveRequest(t.Context(), bob, other)
	storetest.RequireCode(t, core.ApprovalFailed, err)
	require.Contains(t, core.AsError(err).Extra["reason"], "source_ids must name issues that are not merged")
	requireStatus(t, s, other, core.RequestFailed)
	for _, impossible := range []store.MergeIssues{{target, []int64{first}}, {target, []int64{target}}, {target, []int64{12345}},
		{first, []int64{target}}} {
		_, err := s.RequestApproval(t.Context(), ann, impossible)
		storetest.RequireCode(t, core.InvalidRequest, err)
	}
	_, err = s.RequestApproval(t.Context(), ann, store.MergeIssues{Target: 12345, Sources: []int64{target}})
	storetest.RequireCode(t, core.NotFound, err)
	require.Equal(t, []string{"merged"}, listLabels(t, s, ""))
}

// TestMergeAndIgnoreApprovedAtOnce checks that if two approvals exclude each other, one fails and both are decided.
func TestMergeAndIgnoreApprovedAtOnce(t *testing.T) {
	t.Parallel()
	pair, _ := storetest.OpenPair(t)
	target, source := storetest.MakeIssue(t, pair[0], "target"), storetest.MakeIssue(t, pair[0], "source")
	requests := []int64{
		requestApproval(t, pair[0], ann, store.MergeIssues{Target: target, Sources: []int64{source}}),
		requestApproval(t, pair[1], ann, store.IgnoreIssue{ID: source}),
	}
	errs := storetest.RunTogether(2, func(i int) error { return pair[i].ApproveRequest(t.Context(), []core.Actor{bob, eve}[i], requests[i]) })
	require.NoError(t, errs[0])
	requireStatus(t, pair[1], requests[0], core.RequestApproved)
	if errs[1] != nil { // the merge came first
		storetest.RequireCode(t, core.ApprovalFailed, errs[1])
		requireStatus(t, pair[0], requests[1], core.RequestFailed)
	}
	require.Equal(t, core.Merged, storetest.ReadIssue(t, pair[0], source).Status)
}

func TestApproveDeletesAProject(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	token, err := s.CreateToken(t.Context(), eve,
		store.NewToken{Name: "ci", Hash: []byte{1}, Prefix: "ck_1", Scopes: []core.Scope{core.Admin}, ProjectID: storetest.Shop})
	require.NoError(t, err)
	first, second := requestApproval(t, s, ann, store.DeleteProject{ID: storetest.Shop}),
		requestApproval(t, s, eve, store.DeleteProject{ID: storetest.Shop})
	_, err = s.ReadProject(t.Context(), storetest.Shop)
	require.NoError(t, err, "it is not deleted yet")
	got := requireStatus(t, s, first, core.RequestPending)
	require.Equal(t, core.HoldDeleteProject, got.Action)
	require.Zero(t, got.IssueID)
	require.JSONEq(t, `{"project_id": 1000000001, "name": "Shop"}`, string(got.Payload))

	require.NoError(t, s.ApproveRequest(t.Context(), bob, first))
	_, err = s.ReadProject(t.Context(), storetest.Shop)
	storetest.RequireCode(t, core.NotFound, err)
	revoked := slices.IndexFunc(readTimeline(t, s), func(a core.Activity) bool { return a.Action == core.ActionTokenRevoke })
	require.GreaterOrEqual(t, revoked, 0)
	require.Equal(t, token.ID, readTimeline(t, s)[revoked].TargetID)
	require.Equal(t, ann.Name, readTimeline(t, s)[revoked].ActorName)

	err = s.ApproveRequest(t.Context(), bob, second)
	storetest.RequireCode(t, core.ApprovalFailed, err)
	require.Equal(t, "the project was deleted", core.AsError(err).Extra["reason"])
	_, err = s.RequestApproval(t.Context(), ann, store.DeleteProject{ID: storetest.Shop})
	storetest.RequireCode(t, core.ProjectNotFound, err)

	c.Forward(time.Hour)
	for done := false; !done; {
		done, err = s.PurgeProject(t.Context(), storetest.Shop)
		require.NoError(t, err)
	}
	require.Len(t, listApprovals(t, s), 2, "decided requests stay")
}

func TestRequestsExpire(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	request := requestApproval(t, s, ann, store.IgnoreIssue{ID: id})
	c.Forward(core.ApprovalTerm - time.Millisecond)
	requireStatus(t, s, request, core.RequestPending)
	require.NoError(t, s.ExpireApprovals(t.Context()))
	requireStatus(t, s, request, core.RequestPending)

	c.Forward(time.Millisecond)
	got := requireStatus(t, s, request, core.RequestExpired)
	require.Empty(t, got.DecidedBy)
	require.Zero(t, got.DecidedAt)
	storetest.RequireCode(t, core.ApprovalNotPending, s.ApproveRequest(t.Context(), bob, request))
	storetest.RequireCode(t, core.ApprovalNotPending, s.RejectRequest(t.Context(), bob, request))
	require.Equal(t, "pending", storetest.ReadCell[string](t, s, `SELECT status FROM approvals`))
	require.NoError(t, s.ExpireApprovals(t.Context()))
	require.Equal(t, "expired", storetest.ReadCell[string](t, s, `SELECT status FROM approvals`))
	require.Equal(t, got, requireStatus(t, s, request, core.RequestExpired))
	require.Equal(t, core.Unresolved, storetest.ReadIssue(t, s, id).Status)
}

func TestApprovalsArePaged(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	var want, got []int64
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		want = append(want, requestApproval(t, s, ann, store.IgnoreIssue{ID: storetest.MakeIssue(t, s, name)}))
		if name != "b" { // two at the same time
			c.Forward(time.Second)
		}
	}
	slices.Reverse(want)
	page := core.Paging{Limit: 2}
	for range 3 {
		list, err := s.ListApprovals(t.Context(), "", page)
		require.NoError(t, err)
		for _, a := range list.Data {
			got = append(got, a.ID)
		}
		page.Cursor = list.NextCursor
	}
	require.Equal(t, want, got)
	require.Empty(t, page.Cursor)
}

func TestTwoAdminsApproveAtOnce(t *testing.T) {
	t.Parallel()
	pair, _ := storetest.OpenPair(t)
	for range 5 {
		id := storetest.MakeIssue(t, pair[0], "pay")
		_, err := pair[0].SetIssueStatus(t.Context(), eve, id, core.Unresolved)
		require.NoError(t, err)
		rows := len(readTimeline(t, pair[0]))
		request := requestApproval(t, pair[0], ann, store.IgnoreIssue{ID: id})
		errs := storetest.RunTogether(2, func(i int) error { return pair[i].ApproveRequest(t.Context(), []core.Actor{bob, eve}[i], request) })
		won := slices.Index(errs, nil)
		require.GreaterOrEqual(t, won, 0, "%v", errs)
		storetest.RequireCode(t, core.ApprovalNotPending, errs[1-won])
		got := requireStatus(t, pair[1-won], request, core.RequestApproved)
		require.Equal(t, core.Text([]core.Actor{bob, eve}[won].Name), got.DecidedBy)
		require.Len(t, readTimeline(t, pair[won]), rows+3, "asked, ignored, approved: once each")
	}
}

func TestApproveAndRejectAtOnce(t *testing.T) {
	t.Parallel()
	pair, _ := storetest.OpenPair(t)
	id := storetest.MakeIssue(t, pair[0], "pay")
	request := requestApproval(t, pair[0], ann, store.IgnoreIssue{ID: id})
	errs := storetest.RunTogether(2, func(i int) error {
		if i == 0 {
			return pair[0].ApproveRequest(t.Context(), bob, request)
		}
		return pair[1].RejectRequest(t.Context(), eve, request)
	})
	if errs[0] == nil {
		storetest.RequireCode(t, core.ApprovalNotPending, errs[1])
		requireStatus(t, pair[1], request, core.RequestApproved)
		require.Equal(t, core.Ignored, storetest.ReadIssue(t, pair[0], id).Status)
		return
	}
	require.NoError(t, errs[1])
	storetest.RequireCode(t, core.ApprovalNotPending, errs[0])
	requireStatus(t, pair[0], request, core.RequestRejected)
	require.Equal(t, core.Unresolved, storetest.ReadIssue(t, pair[0], id).Status)
}

func TestAskTogetherIsOneRequest(t *testing.T) {
	t.Parallel()
	pair, _ := storetest.OpenPair(t)
	id := storetest.MakeIssue(t, pair[0], "pay")
	storetest.RequireNoErrors(t, storetest.RunTogether(8, func(i int) error {
		_, err := pair[i%2].RequestApproval(t.Context(), ann, store.IgnoreIssue{ID: id})
		return err
	}))
	require.Len(t, listApprovals(t, pair[0]), 1)
	require.Len(t, readTimeline(t, pair[1]), 1)
}

// TestServersWhoseClocksDiffer checks that a decision, once written, is the same for every server.
func TestServersWhoseClocksDiffer(t *testing.T) {
	t.Parallel()
	url, early, late := storetest.NewURL(t), storetest.NewClock(), storetest.NewClock()
	slow, fast := storetest.Open(t, url, early.Tell), storetest.Open(t, url, late.Tell)
	storetest.MakeProject(t, slow, storetest.Shop, "Shop")
	pay, ship := storetest.MakeIssue(t, slow, "pay"), storetest.MakeIssue(t, slow, "ship")
	approved, expired := requestApproval(t, slow, ann, store.IgnoreIssue{ID: pay}), requestApproval(t, slow, ann, store.IgnoreIssue{ID: ship})
	early.Forward(core.ApprovalTerm - time.Second)
	late.Forward(core.ApprovalTerm + time.Second)

	require.NoError(t, slow.ApproveRequest(t.Context(), bob, approved))
	require.NoError(t, fast.ExpireApprovals(t.Context()))
	for _, s := range []*store.Store{slow, fast} {
		requireStatus(t, s, approved, core.RequestApproved)
		requireStatus(t, s, expired, core.RequestExpired)
		storetest.RequireCode(t, core.ApprovalNotPending, s.ApproveRequest(t.Context(), bob, expired))
	}
	require.Equal(t, core.Ignored, storetest.ReadIssue(t, fast, pay).Status)
	require.Equal(t, core.Unresolved, storetest.ReadIssue(t, fast, ship).Status)
}

func TestEveryHeldActionIsRebuilt(t *testing.T) {
	t.Parallel()
	require.ElementsMatch(t, core.HeldActions(), store.RebuildableActions())
}
