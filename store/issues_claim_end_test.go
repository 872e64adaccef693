package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// A token that is revoked while its holder works loses its claim: next_issue offers the issue immediately.
func TestARevokedTokenGivesItsIssueBack(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	admin, other := core.NewBootstrapActor(), storetest.MakeActor(99, core.IssuesWrite)
	token, err := s.CreateToken(t.Context(), admin, store.NewToken{Name: "red", Hash: []byte("red"), Scopes: []core.Scope{core.IssuesWrite}})
	require.NoError(t, err)
	holder := storetest.MakeActor(token.ID, core.IssuesWrite).As("red")
	id := storetest.MakeIssue(t, s, "pay")
	taken, _ := takeNext(t, s, holder, store.NextWanted{})
	require.Equal(t, id, taken)
	none, passed := takeNext(t, s, other, store.NextWanted{})
	require.Zero(t, none)
	require.Equal(t, store.PassedOver{Claimed: 1}, passed)

	require.NoError(t, s.RevokeToken(t.Context(), admin, token.ID))

	require.Nil(t, storetest.ReadIssue(t, s, id).Claim)
	_, err = s.ClaimIssue(t.Context(), holder, id, 10) // a call of the holder that was already running
	storetest.RequireCode(t, core.Unauthorized, err)
	_, _, err = s.ClaimNext(t.Context(), holder, store.NextWanted{Minutes: 10})
	storetest.RequireCode(t, core.Unauthorized, err)
	taken, _ = takeNext(t, s, other, store.NextWanted{})
	require.Equal(t, id, taken)
	require.Equal(t, []core.Action{core.ActionIssueClaim, core.ActionIssueRelease, core.ActionIssueClaim},
		actionsOf(storetest.ReadActivity(t, s, id)))
}

// At the end of a lease the workers of one token, on two servers, ask for the issue at the same time: one of them gets it.
func TestOneWorkerGetsTheIssueAtTheEndOfALease(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	token, id := storetest.MakeActor(1, core.IssuesWrite), storetest.MakeIssue(t, pair[0], "pay")
	workers := []core.Worker{"blue", "green", "black", "white"}
	_, err := pair[0].ClaimIssue(t.Context(), token.As("red"), id, 10)
	require.NoError(t, err)
	c.Forward(10 * time.Minute)
	got := make([]bool, len(workers))

	errs := storetest.RunTogether(len(workers), func(i int) error {
		if i < 2 {
			_, err := pair[i].ClaimIssue(t.Context(), token.As(workers[i]), id, 10)
			got[i] = err == nil
			return err
		}
		issue, _, err := pair[i%2].ClaimNext(t.Context(), token.As(workers[i]), store.NextWanted{Minutes: 10})
		got[i] = issue != nil
		return err
	})

	winners := []core.Worker{}
	for i, worker := range workers {
		if got[i] {
			winners = append(winners, worker)
		} else if errs[i] != nil {
			storetest.RequireCode(t, core.Claimed, errs[i])
		}
	}
	require.Len(t, winners, 1)
	claim := core.Claim{Holder: "agent-1", ExpiresAt: c.At(10 * time.Minute), Worker: core.Text(winners[0])}
	require.Equal(t, claim, *storetest.ReadIssue(t, pair[0], id).Claim)
	require.Equal(t, []core.Action{core.ActionIssueClaim, core.ActionIssueClaimExpire, core.ActionIssueClaim},
		actionsOf(storetest.ReadActivity(t, pair[0], id)))
}
