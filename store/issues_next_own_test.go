package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// An agent that was restarted continues with the issue that it holds, and gets a second issue only after giving that one back.
func TestNextGoesOnWithTheClaimOfTheAsker(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	ann := storetest.MakeActor(1, core.IssuesWrite)
	storetest.MakeIssue(t, s, "pay")
	storetest.MakeIssue(t, s, "ship")
	first, _ := takeNext(t, s, ann, store.NextWanted{})
	begun := s.Now()
	c.Forward(19 * time.Minute)

	again, passed, err := s.ClaimNext(t.Context(), ann, store.NextWanted{Minutes: 10})

	require.NoError(t, err)
	require.Zero(t, passed)
	require.Equal(t, first, again.ID)
	require.True(t, again.Renewed)
	require.Equal(t, begun, again.HeldSince)
	require.Equal(t, c.At(41*time.Minute), again.Claim.ExpiresAt, "it is not shortened")

	c.Forward(time.Hour)
	fresh, _, err := s.ClaimNext(t.Context(), ann, store.NextWanted{Minutes: 10})
	require.NoError(t, err)
	require.False(t, fresh.Renewed, "a lease that ran out is no longer the actor's")
	require.Equal(t, s.Now(), fresh.HeldSince)
}

// Token and worker hold a claim together: neither another worker nor the token alone takes it over.
func TestNextGoesOnPerWorker(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	token, other := storetest.MakeActor(1, core.IssuesWrite), storetest.MakeActor(2, core.IssuesWrite)
	other.Name = token.Name // names of tokens are not unique
	for _, name := range []string{"pay", "ship", "pack", "send"} {
		storetest.MakeIssue(t, s, name)
	}
	askers := []core.Actor{token, token.As("red"), token.As("blue"), other}
	taken := map[int64]bool{}
	for round := range 2 {
		for i, asker := range askers {
			issue, _ := takeNext(t, s, asker, store.NextWanted{})
			require.Equal(t, round == 1, taken[issue], "asker %d", i)
			taken[issue] = true
		}
		c.Forward(time.Minute)
	}
	require.Len(t, taken, len(askers))
}

// The oldest of several claims comes first. An issue that no longer needs work is named, but not handed out.
func TestNextSaysWhatTheAskerHolds(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	ann := storetest.MakeActor(1, core.IssuesWrite)
	claim := func(name string, by core.Actor) int64 {
		c.Forward(time.Minute)
		id := storetest.MakeIssue(t, s, name)
		_, err := s.ClaimIssue(t.Context(), by, id, 60)
		require.NoError(t, err)
		return id
	}
	fixed, held, mine, later := claim("fixed", ann), claim("held", ann), claim("mine", ann), claim("later", ann)
	ofRed := claim("red", ann.As("red"))
	_, err := s.LinkFix(t.Context(), ann, fixed, store.NewFix{Kind: core.FixByCommit, Ref: "abcdef0"})
	require.NoError(t, err)
	_, err = s.RequestApproval(t.Context(), ann, store.IgnoreIssue{ID: held})
	require.NoError(t, err)
	_, err = s.ClaimIssue(t.Context(), ann, mine, 60) // a renewal does not make the claim younger
	require.NoError(t, err)

	for _, want := range []int64{mine, later} {
		next, _ := takeNext(t, s, ann, store.NextWanted{})
		require.Equal(t, want, next)
		_, err = s.ReleaseIssue(t.Context(), ann, next, "cannot")
		require.NoError(t, err)
	}
	none, passed := takeNext(t, s, ann, store.NextWanted{})

	require.Zero(t, none)
	yours := map[int64]core.HeldIssue{}
	for _, y := range passed.Yours {
		yours[y.ID] = y
	}
	require.Len(t, yours, 3)
	require.Equal(t, core.FixPending, yours[fixed].Status)
	require.True(t, yours[held].WaitsForApproval)
	require.Equal(t, core.Text("red"), yours[ofRed].Worker)
	_, passed = takeNext(t, s, ann.As("blue"), store.NextWanted{})
	require.Empty(t, passed.Yours, "a worker only sees its own claims")
	storetest.MakeProject(t, s, 2, "Other")
	_, passed = takeNext(t, s, ann, store.NextWanted{ProjectID: 2})
	require.Empty(t, passed.Yours, "the claim is in another project")
}

// The claim of a token without a worker is found among the claims of any number of its workers.
func TestNextFindsTheOwnClaimAmongThoseOfWorkers(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	token := storetest.MakeActor(1, core.IssuesWrite)
	for n := range 26 {
		storetest.MakeIssue(t, s, fmt.Sprint("issue ", n))
	}
	for n := range 24 {
		takeNext(t, s, token.As(numberedWorker(n)), store.NextWanted{})
	}
	c.Forward(time.Minute)
	own, _ := takeNext(t, s, token, store.NextWanted{})
	for range 5 {
		again, _ := takeNext(t, s, token, store.NextWanted{})
		require.Equal(t, own, again)
	}
	require.Equal(t, int64(1), storetest.ReadCell[int64](t, s,
		`SELECT count(*) FROM activity WHERE target_id = $1 AND action = 'issue.claim'`, own), "asking again leaves no rows")
}
