package store_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

func TestWorkersOfOneTokenHoldTheirOwnClaims(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	token, id := storetest.MakeActor(1, core.IssuesWrite), storetest.MakeIssue(t, s, "pay")
	claimed, err := s.ClaimIssue(t.Context(), token.As("red"), id, 10)
	require.NoError(t, err)
	claim := core.Claim{Holder: "agent-1", ExpiresAt: c.At(10 * time.Minute), Worker: "red"}
	require.Equal(t, claim, *claimed.Claim)
	require.False(t, claimed.Renewed)

	_, err = s.ClaimIssue(t.Context(), token.As("blue"), id, 10)
	storetest.RequireCode(t, core.Claimed, err)
	require.Equal(t, claim, core.AsError(err).Extra["claim"])
	_, err = s.ReleaseIssue(t.Context(), token.As("blue"), id, "not mine")
	storetest.RequireCode(t, core.NotClaimHolder, err)

	for _, same := range []core.Actor{token.As("red"), token} { // without a worker the token speaks for all of them
		claimed, err = s.ClaimIssue(t.Context(), same, id, 10)
		require.NoError(t, err)
		require.True(t, claimed.Renewed)
		require.Equal(t, claim, *claimed.Claim)
	}
	_, err = s.ReleaseIssue(t.Context(), token.As("red"), id, "needs the payment team")
	require.NoError(t, err)

	claimed, err = s.ClaimIssue(t.Context(), token.As("blue"), id, 10)
	require.NoError(t, err)
	require.False(t, claimed.Renewed)
	rows := storetest.ReadActivity(t, s, id)
	require.Equal(t, []core.Action{core.ActionIssueClaim, core.ActionIssueClaim, core.ActionIssueClaim, core.ActionIssueNote,
		core.ActionIssueRelease, core.ActionIssueClaim}, actionsOf(rows))
	var data map[string]any
	require.NoError(t, json.Unmarshal(rows[4].Data, &data))
	require.Equal(t, "red", data["worker"])
	require.Positive(t, data["note_id"])
}

// TestAWorkerTakesOverWhatItsTokenHolds names a worker later: the claim is the whole token's until then.
func TestAWorkerTakesOverWhatItsTokenHolds(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	token, id := storetest.MakeActor(1, core.IssuesWrite), storetest.MakeIssue(t, s, "pay")
	_, err := s.ClaimIssue(t.Context(), token, id, 10)
	require.NoError(t, err)
	claimed, err := s.ClaimIssue(t.Context(), token.As("red"), id, 10)
	require.NoError(t, err)
	require.True(t, claimed.Renewed)
	require.EqualValues(t, "red", claimed.Claim.Worker)
	_, err = s.ClaimIssue(t.Context(), token.As("blue"), id, 10)
	storetest.RequireCode(t, core.Claimed, err)
}

func actionsOf(rows []core.Activity) (actions []core.Action) {
	for _, row := range rows {
		actions = append(actions, row.Action)
	}
	return actions
}

func TestWritesOfTheHolderRenewTheClaim(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	ann, bob := storetest.MakeActor(1), storetest.MakeActor(2)
	for name, write := range map[string]func(core.Actor, int64) error{
		"note": func(a core.Actor, id int64) error { _, err := s.AddNote(t.Context(), a, id, "hi"); return err },
		"status": func(a core.Actor, id int64) error {
			_, err := s.SetIssueStatus(t.Context(), a, id, core.Unresolved)
			return err
		},
		"fix": func(a core.Actor, id int64) error {
			_, err := s.LinkFix(t.Context(), a, id, store.NewFix{Kind: core.FixByCommit, Ref: "abcdef0"})
			return err
		},
		"triage": func(a core.Actor, id int64) error {
			noise := true
			return s.CorrectTriage(t.Context(), a, id, core.TriageChange{Noise: &noise}, "")
		},
		"merge": func(a core.Actor, id int64) error {
			other := storetest.MakeIssue(t, s, fmt.Sprint("like ", id, a.Name))
			_, err := s.CarryOut(t.Context(), a, store.MergeIssues{Target: id, Sources: []int64{other}})
			return err
		},
	} {
		c.Now = storetest.Noon
		id := storetest.MakeIssue(t, s, name)
		_, err := s.ClaimIssue(t.Context(), ann.As("red"), id, 60)
		require.NoError(t, err)
		c.Forward(30 * time.Minute)

		require.NoError(t, write(bob, id), name)
		require.Equal(t, c.At(30*time.Minute), storetest.ReadIssue(t, s, id).Claim.ExpiresAt, "%s by somebody else", name)
		require.NoError(t, write(ann, id), name)

		require.Equal(t, core.Claim{Holder: "agent-1", ExpiresAt: c.At(time.Hour), Worker: "red"}, *storetest.ReadIssue(t, s, id).Claim, name)
	}
}

func TestALapsedClaimLeavesOneRow(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	var ids []int64
	for range 150 { // more than one transaction ends
		id := storetest.MakeIssue(t, pair[0], fmt.Sprint("pay ", len(ids)))
		_, err := pair[0].ClaimIssue(t.Context(), storetest.MakeActor(1).As("red"), id, 1)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	require.NoError(t, pair[0].EndLapsedClaims(t.Context()))
	require.Len(t, storetest.ReadActivity(t, pair[0], ids[0]), 1, "its claim has not run out")
	c.Forward(time.Minute)

	errs := storetest.RunTogether(8, func(i int) error {
		if i%2 == 0 {
			_, err := pair[i/2%2].ClaimIssue(t.Context(), storetest.MakeActor(2), ids[3], 5)
			return err
		}
		return pair[i/2%2].EndLapsedClaims(t.Context())
	})

	for _, err := range errs {
		require.NoError(t, err)
	}
	for _, id := range ids {
		rows := storetest.ReadActivity(t, pair[0], id)
		if id != ids[3] { // whose rows are of one moment and two servers, in any order
			require.Equal(t, core.ActionIssueClaimExpire, rows[1].Action)
		}
		ended := 0
		for _, row := range rows {
			if row.Action == core.ActionIssueClaimExpire {
				ended++
			}
		}
		require.Equal(t, 1, ended)
		require.JSONEq(t, `{"holder": "agent-1", "worker": "red", "expired_at": "2026-03-14T12:31:00.000Z"}`, string(rows[1].Data))
	}
}

func TestAHandoverIsOneChange(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	ann, bob := storetest.MakeActor(1), storetest.MakeActor(2)
	fixed, done, others := storetest.MakeIssue(t, s, "fixed"), storetest.MakeIssue(t, s, "done"), storetest.MakeIssue(t, s, "others")
	for _, id := range []int64{fixed, done, others} {
		_, err := s.ClaimIssue(t.Context(), ann, id, 60)
		require.NoError(t, err)
	}
	handover := store.WorkEnd{Note: "the lock was never given back", Releases: true}

	linked, err := s.LinkFix(t.Context(), ann, fixed, store.NewFix{Kind: core.FixByCommit, Ref: "abcdef0", WorkEnd: handover})
	require.NoError(t, err)
	resolved, err := s.ResolveIssue(t.Context(), ann, done, handover)
	require.NoError(t, err)
	other, err := s.ResolveIssue(t.Context(), bob, others, handover)
	require.NoError(t, err)

	require.Nil(t, linked.Claim)
	require.Nil(t, resolved.Claim)
	require.Equal(t, "agent-1", other.Claim.Holder, "another holder's claim stays")
	require.Equal(t, []core.Action{core.ActionIssueClaim, core.ActionIssueFix, core.ActionIssueNote, core.ActionIssueRelease},
		actionsOf(storetest.ReadActivity(t, s, fixed)))
	require.Equal(t, []core.Action{core.ActionIssueClaim, core.ActionIssueResolve, core.ActionIssueNote, core.ActionIssueRelease},
		actionsOf(storetest.ReadActivity(t, s, done)))
	require.Equal(t, []core.Action{core.ActionIssueClaim, core.ActionIssueResolve, core.ActionIssueNote},
		actionsOf(storetest.ReadActivity(t, s, others)))
}
