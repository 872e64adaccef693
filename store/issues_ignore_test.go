package store_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// ignoreFor ignores an issue for a term.
func ignoreFor(t testing.TB, s *store.Store, id int64, term core.IgnoreTerm) {
	t.Helper()
	_, err := s.CarryOut(t.Context(), ann, store.IgnoreIssue{ID: id, Term: term})
	require.NoError(t, err)
}

// requireReturned wants an issue to have returned, for the reason.
func requireReturned(t testing.TB, s *store.Store, id int64, reason core.IgnoreReason) {
	t.Helper()
	issue := storetest.ReadIssue(t, s, id)
	require.Equal(t, core.Unresolved, issue.Status)
	require.Nil(t, issue.IgnoreEnd)
	rows := storetest.ReadActivity(t, s, id)
	require.Equal(t, core.Activity{
		At: s.Now(), ActorType: core.ActorSystem, ActorName: "ignore", Action: core.ActionIssueReturn, TargetType: core.TargetIssue, TargetID: id,
		Data: json.RawMessage(fmt.Sprintf(`{"to": "unresolved", "from": "ignored", "reason": "%s"}`, reason)),
	}, rows[len(rows)-1])
}

// addHits adds events of the group pay to its issue, from users of their own.
func addHits(t testing.TB, s *store.Store, from, to int, hasUsers bool) {
	t.Helper()
	var events []intake.NewEvent
	for n := from; n < to; n++ {
		e := storetest.MakeShopEvent("pay", n, s.Now())
		if hasUsers {
			e.User = storetest.HashUser(n)
		}
		events = append(events, e)
	}
	storetest.AddEvents(t, s, events...)
}

func TestIgnoredIssueReturnsAfterEvents(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	ignoreFor(t, s, id, core.IgnoreTerm{AfterEvents: 3, AfterUsers: 50, Until: "7d"})
	require.Equal(t, &core.IgnoreEnd{At: c.At(7 * 24 * time.Hour), TimesSeen: 4, UsersAffected: 50}, storetest.ReadIssue(t, s, id).IgnoreEnd)
	rows := storetest.ReadActivity(t, s, id)
	require.JSONEq(t, `{"from": "unresolved", "to": "ignored", "until": "2026-03-21T12:30:00.000Z", "times_seen": 4, "users_affected": 50}`,
		string(rows[0].Data))

	addHits(t, s, 10, 12, true)
	require.Equal(t, core.Ignored, storetest.ReadIssue(t, s, id).Status)
	c.Forward(time.Second)
	addHits(t, s, 12, 13, true)
	requireReturned(t, s, id, core.IgnoredAfterEvents)

	addHits(t, s, 13, 20, true)
	require.Len(t, storetest.ReadActivity(t, s, id), 2, "once")
}

func TestIgnoredIssueReturnsAfterUsers(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	addHits(t, s, 2, 4, true)
	ignoreFor(t, s, id, core.IgnoreTerm{AfterUsers: 2})
	addHits(t, s, 10, 20, false)
	addHits(t, s, 4, 5, true)
	require.Equal(t, core.Ignored, storetest.ReadIssue(t, s, id).Status)
	c.Forward(time.Second)
	addHits(t, s, 5, 6, true)
	requireReturned(t, s, id, core.IgnoredAfterUsers)
}

func TestIgnoredIssueReturnsAtItsTime(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id, byEvent := storetest.MakeIssue(t, s, "quiet"), storetest.MakeIssue(t, s, "pay")
	ignoreFor(t, s, id, core.IgnoreTerm{Until: "1h"})
	ignoreFor(t, s, byEvent, core.IgnoreTerm{Until: "2026-03-14T13:30:00Z"})
	c.Forward(time.Hour - time.Second)
	require.NoError(t, s.ReturnIgnored(t.Context()))
	require.Equal(t, core.Ignored, storetest.ReadIssue(t, s, id).Status)

	c.Forward(time.Second)
	addHits(t, s, 10, 11, false)
	requireReturned(t, s, byEvent, core.IgnoredUntil)
	require.NoError(t, s.ReturnIgnored(t.Context()))
	requireReturned(t, s, id, core.IgnoredUntil)
	require.NoError(t, s.ReturnIgnored(t.Context()))
	require.Len(t, storetest.ReadActivity(t, s, id), 2, "once")
}

// Every change of the status ends the term. An old server, which does not know terms, changes only the status and its time.
func TestTermEndsWithTheStatus(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	term := core.IgnoreTerm{Until: "1h", AfterEvents: 2}
	ignoreFor(t, s, id, term)
	c.Forward(time.Second)
	storetest.ChangeRows(t, s, `UPDATE issues SET status = 'unresolved', status_at = $1`, c.Now)
	c.Forward(time.Second)
	storetest.ChangeRows(t, s, `UPDATE issues SET status = 'ignored', status_at = $1`, c.Now)
	require.Nil(t, storetest.ReadIssue(t, s, id).IgnoreEnd)

	c.Forward(2 * time.Hour)
	addHits(t, s, 10, 15, false)
	require.NoError(t, s.ReturnIgnored(t.Context()))

	require.Equal(t, core.Ignored, storetest.ReadIssue(t, s, id).Status)
	const remembered = `SELECT count(*) FROM issues WHERE ignored_until IS NOT NULL`
	require.Zero(t, storetest.ReadCell[int64](t, s, remembered), "the job does not look at it again")
}

func TestIgnoringAgainReplacesTheTerm(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	ignoreFor(t, s, id, core.IgnoreTerm{AfterEvents: 1})
	c.Forward(time.Second)
	ignoreFor(t, s, id, core.IgnoreTerm{})
	ignoreFor(t, s, id, core.IgnoreTerm{})
	require.Nil(t, storetest.ReadIssue(t, s, id).IgnoreEnd)
	addHits(t, s, 10, 15, false)
	require.Equal(t, core.Ignored, storetest.ReadIssue(t, s, id).Status)
	require.Len(t, storetest.ReadActivity(t, s, id), 2, "ignoring for good what is ignored for good changes nothing")
}

func TestTermsThatCannotBe(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	storetest.ChangeRows(t, s, `UPDATE issues SET users_affected = 900`)
	for field, term := range map[string]core.IgnoreTerm{
		"until": {Until: "2026-03-14T12:30:00Z"}, "after_users": {AfterUsers: 101},
	} {
		action := store.IgnoreIssue{ID: id, Term: term}
		_, err := s.CarryOut(t.Context(), ann, action)
		require.Equal(t, field, core.AsError(err).Details[0].Path)
		_, err = s.RequestApproval(t.Context(), ann, action)
		require.Equal(t, field, core.AsError(err).Details[0].Path)
	}
	require.Equal(t, core.Unresolved, storetest.ReadIssue(t, s, id).Status)
	ignoreFor(t, s, id, core.IgnoreTerm{AfterUsers: 100})
}

// The term of a request counts from when it is approved.
func TestHeldIgnoreKeepsItsTerm(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	action := store.IgnoreIssue{ID: id, Term: core.IgnoreTerm{Until: "1h"}}
	request := requestApproval(t, s, ann, action)
	require.Equal(t, request, requestApproval(t, s, ann, action))
	require.NotEqual(t, request, requestApproval(t, s, ann, store.IgnoreIssue{ID: id}))
	require.JSONEq(t, `{"until": "1h"}`, string(requireStatus(t, s, request, core.RequestPending).Payload))
	c.Forward(time.Hour)
	require.NoError(t, s.ApproveRequest(t.Context(), bob, request))
	require.Equal(t, &core.IgnoreEnd{At: c.At(time.Hour)}, storetest.ReadIssue(t, s, id).IgnoreEnd)
}
