package store_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/intake"
	"errand/store/storetest"
)

var statuses = []core.Status{core.Unresolved, core.Resolved, core.Ignored, core.FixPending, core.Verified, core.Regressed}

func TestSetStatusFromEveryStatus(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	agent := storetest.MakeActor(7)
	for to, action := range map[core.Status]core.Action{
		core.Resolved: core.ActionIssueResolve, core.Ignored: core.ActionIssueIgnore, core.Unresolved: core.ActionIssueUnresolve,
	} {
		for _, from := range statuses {
			name := fmt.Sprintf("%s to %s", from, to)
			id := storetest.MakeIssue(t, s, name)
			storetest.ChangeRows(t, s, `UPDATE issues SET status = $2, status_at = $3 WHERE id = $1`, id, from, storetest.Noon)
			c.Forward(time.Minute)
			got, err := s.SetIssueStatus(t.Context(), agent, id, to)
			require.NoError(t, err, name)
			require.Equal(t, to, got.Status, name)
			require.Equal(t, storetest.ReadIssue(t, s, id).Issue, got, name)
			if from == to {
				require.Empty(t, storetest.ReadActivity(t, s, id), "%s changes nothing", name)
				require.Equal(t, storetest.Noon, storetest.ReadCell[time.Time](t, s, `SELECT status_at FROM issues WHERE id = $1`, id).UTC(), name)
				continue
			}
			rows := storetest.ReadActivity(t, s, id)
			require.Len(t, rows, 1, name)
			require.JSONEq(t, fmt.Sprintf(`{"from": %q, "to": %q}`, from, to), string(rows[0].Data), name)
			rows[0].Data = nil
			require.Equal(t, core.Activity{
				At: c.At(0), ActorType: core.ActorToken, ActorID: 7, ActorName: "agent-7", Action: action,
				TargetType: core.TargetIssue, TargetID: id,
			}, rows[0], name)
		}
	}
}

func TestUnknownAndMergedIssuesTakeNoChanges(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	merged := storetest.MakeIssue(t, s, "merged")
	storetest.MergeByHand(t, s, merged, storetest.MakeIssue(t, s, "target"))
	for _, id := range []int64{merged, 12345} {
		for name, call := range map[string]func() error{
			"resolve": func() error {
				_, err := s.SetIssueStatus(t.Context(), core.NewBootstrapActor(), id, core.Resolved)
				return err
			},
			"ignore": func() error {
				_, err := s.SetIssueStatus(t.Context(), core.NewBootstrapActor(), id, core.Ignored)
				return err
			},
			"unresolve": func() error {
				_, err := s.SetIssueStatus(t.Context(), core.NewBootstrapActor(), id, core.Unresolved)
				return err
			},
			"claim":   func() error { _, err := s.ClaimIssue(t.Context(), core.NewBootstrapActor(), id, 1); return err },
			"release": func() error { _, err := s.ReleaseIssue(t.Context(), core.NewBootstrapActor(), id, ""); return err },
		} {
			err := call()
			require.True(t, core.HasCode(err, core.NotFound), "%s of %d: %v", name, id, err)
		}
	}
	_, err := s.AddNote(t.Context(), storetest.MakeActor(1), 12345, "hi")
	storetest.RequireCode(t, core.NotFound, err)
	require.Empty(t, storetest.ReadActivity(t, s, merged))
	require.Equal(t, core.Merged, storetest.ReadIssue(t, s, merged).Status)
}

func TestClaimIsALease(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id, ann, bob := storetest.MakeIssue(t, s, "pay"), storetest.MakeActor(1), storetest.MakeActor(2)
	claim := func(a core.Actor, minutes int64) (*core.Claim, error) {
		i, err := s.ClaimIssue(t.Context(), a, id, minutes)
		return i.Claim, err
	}
	got, err := claim(ann, 120)
	require.NoError(t, err)
	require.Equal(t, &core.Claim{Holder: "agent-1", ExpiresAt: c.At(2 * time.Hour)}, got)
	require.Equal(t, got, storetest.ReadIssue(t, s, id).Claim)

	c.Forward(time.Hour)
	_, err = claim(bob, 60)
	requireClaimError(t, core.Claimed, *got, err)

	got, err = claim(ann, 30) // a renewal may shorten
	require.NoError(t, err)
	require.Equal(t, c.At(30*time.Minute), got.ExpiresAt)

	c.Forward(30*time.Minute - time.Millisecond)
	_, err = claim(bob, 60)
	requireClaimError(t, core.Claimed, *got, err)

	c.Forward(time.Millisecond)
	require.Nil(t, storetest.ReadIssue(t, s, id).Claim, "it expires")
	got, err = claim(bob, 60)
	require.NoError(t, err)
	require.Equal(t, "agent-2", got.Holder)

	rows := storetest.ReadActivity(t, s, id)
	require.Len(t, rows, 4, "a failed attempt leaves no row")
	require.Equal(t, core.ActionIssueClaimExpire, rows[2].Action)
	require.Equal(t, core.ActorSystem, rows[2].ActorType)
	require.JSONEq(t, `{"holder": "agent-1", "expired_at": "2026-03-14T14:00:00.000Z"}`, string(rows[2].Data))
	rows = append(rows[:2], rows[3])
	for n, want := range []struct {
		actor, minutes int64
		expires        core.Time
	}{{1, 120, core.At(storetest.Noon.Add(2 * time.Hour))}, {1, 30, core.At(storetest.Noon.Add(90 * time.Minute))},
		{2, 60, core.At(storetest.Noon.Add(150 * time.Minute))}} {
		require.Equal(t, core.ActionIssueClaim, rows[n].Action)
		require.EqualValues(t, want.actor, rows[n].ActorID)
		require.JSONEq(t, fmt.Sprintf(`{"minutes": %d, "expires_at": %q}`, want.minutes, want.expires.Format(core.TimeLayout)),
			string(rows[n].Data))
	}
}

// requireClaimError requires an error that names the holder and the end of the claim.
func requireClaimError(t *testing.T, code core.Code, claim core.Claim, err error) {
	t.Helper()
	storetest.RequireCode(t, code, err)
	body, err := json.Marshal(core.AsError(err))
	require.NoError(t, err)
	require.JSONEq(t, fmt.Sprintf(`{"error": %q, "claim": {"holder": %q, "expires_at": %q, "worker": null}}`,
		code, claim.Holder, claim.ExpiresAt.Format(core.TimeLayout)), string(body))
}

func TestClaimsAreHeldByTokensNotNames(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	holder, namesake := storetest.MakeActor(1), storetest.MakeActor(2)
	namesake.Name = holder.Name
	_, err := s.ClaimIssue(t.Context(), holder, id, 5)
	require.NoError(t, err)
	claim := core.Claim{Holder: "agent-1", ExpiresAt: c.At(5 * time.Minute)}
	for _, other := range []core.Actor{namesake, {Type: core.ActorAdminToken, Name: holder.Name, Scopes: core.List[core.Scope]{core.Admin}},
		storetest.MakeActor(3, core.Admin)} {
		_, err := s.ClaimIssue(t.Context(), other, id, 5)
		requireClaimError(t, core.Claimed, claim, err)
	}
	_, err = s.ReleaseIssue(t.Context(), namesake, id, "")
	requireClaimError(t, core.NotClaimHolder, claim, err)
}

func TestTheAdminTokenHoldsClaimsToo(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	for range 2 {
		i, err := s.ClaimIssue(t.Context(), core.NewBootstrapActor(), id, 5)
		require.NoError(t, err)
		require.Equal(t, &core.Claim{Holder: "ADMIN_TOKEN", ExpiresAt: c.At(5 * time.Minute)}, i.Claim)
	}
	_, err := s.ReleaseIssue(t.Context(), storetest.MakeActor(1, core.IssuesWrite), id, "")
	storetest.RequireCode(t, core.NotClaimHolder, err)
}

func TestRelease(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	ann, bob, admin := storetest.MakeActor(1, core.IssuesWrite), storetest.MakeActor(2, core.IssuesWrite), storetest.MakeActor(3, core.Admin)
	for name, test := range map[string]struct {
		by      core.Actor
		after   time.Duration
		refused bool
		rows    int // claim, and release or end
	}{
		"by its holder":                  {ann, time.Minute, false, 2},
		"by an admin":                    {admin, time.Minute, false, 2},
		"by the ADMIN_TOKEN":             {core.NewBootstrapActor(), time.Minute, false, 2},
		"by somebody else":               {bob, time.Minute, true, 1},
		"by somebody else when it ended": {bob, 10 * time.Minute, false, 2},
		"by its holder when it ended":    {ann, 10 * time.Minute, false, 2},
	} {
		c.Now = storetest.Noon
		id := storetest.MakeIssue(t, s, name)
		claimed, err := s.ClaimIssue(t.Context(), ann, id, 10)
		require.NoError(t, err)
		c.Forward(test.after)
		got, err := s.ReleaseIssue(t.Context(), test.by, id, "")
		require.Len(t, storetest.ReadActivity(t, s, id), test.rows, name)
		if test.refused {
			requireClaimError(t, core.NotClaimHolder, *claimed.Claim, err)
			require.Equal(t, claimed.Claim, storetest.ReadIssue(t, s, id).Claim, name)
			continue
		}
		require.NoError(t, err, name)
		require.Nil(t, got.Claim, name)
		require.Nil(t, storetest.ReadIssue(t, s, id).Claim, name)
	}
}

func TestReleaseWithoutClaim(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	got, err := s.ReleaseIssue(t.Context(), storetest.MakeActor(1), id, "")
	require.NoError(t, err)
	require.Equal(t, storetest.ReadIssue(t, s, id).Issue, got)
	require.Empty(t, storetest.ReadActivity(t, s, id))
}

func TestReleaseLeavesItsRow(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	_, err := s.ClaimIssue(t.Context(), storetest.MakeActor(1), id, 10)
	require.NoError(t, err)
	c.Forward(time.Minute)
	_, err = s.ReleaseIssue(t.Context(), core.NewBootstrapActor(), id, "")
	require.NoError(t, err)
	require.Equal(t, core.Activity{
		At: c.At(0), ActorType: core.ActorAdminToken, ActorName: "ADMIN_TOKEN", Action: core.ActionIssueRelease,
		TargetType: core.TargetIssue, TargetID: id,
	}, storetest.ReadActivity(t, s, id)[1])
	_, err = s.ClaimIssue(t.Context(), storetest.MakeActor(2), id, 10)
	require.NoError(t, err, "it is free immediately")
}

// TestClaimRace lets 100 agents on two servers claim one issue: one gets it, and the others learn who holds it.
func TestClaimRace(t *testing.T) {
	t.Parallel()
	const rounds, agents = 50, 100
	pair, _ := storetest.OpenPair(t)
	for round := range rounds {
		id := storetest.MakeIssue(t, pair[0], fmt.Sprint("group ", round))
		errs := storetest.RunTogether(agents, func(i int) error {
			_, err := pair[i%2].ClaimIssue(t.Context(), storetest.MakeActor(int64(i+1)), id, 5)
			return err
		})
		holder := storetest.ReadIssue(t, pair[0], id).Claim.Holder
		winners := 0
		for i, err := range errs {
			if err == nil {
				winners++
				require.Equal(t, storetest.MakeActor(int64(i+1)).Name, holder)
				continue
			}
			storetest.RequireCode(t, core.Claimed, err)
			require.Equal(t, holder, core.AsError(err).Extra["claim"].(core.Claim).Holder)
		}
		require.Equal(t, 1, winners)
		require.Len(t, storetest.ReadActivity(t, pair[0], id), 1)
	}
}

func TestClaimsAndStatusesDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	claimed, err := s.ClaimIssue(t.Context(), storetest.MakeActor(1), id, 10)
	require.NoError(t, err)
	resolved, err := s.SetIssueStatus(t.Context(), storetest.MakeActor(2), id, core.Resolved)
	require.NoError(t, err)
	require.Equal(t, claimed.Claim, resolved.Claim, "a resolve by another leaves the claim")
	released, err := s.ReleaseIssue(t.Context(), storetest.MakeActor(1), id, "")
	require.NoError(t, err)
	require.Equal(t, core.Resolved, released.Status)
}

func TestNotes(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	texts := []string{"tried \"this\"", "line one\nline two", `<b>&amp; \u0041 🙂`}
	for n, text := range texts {
		c.Forward(time.Minute)
		note, err := s.AddNote(t.Context(), storetest.MakeActor(int64(n+1)), id, text)
		require.NoError(t, err)
		require.EqualValues(t, 1, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM activity WHERE id = $1`, note),
			"its id is that of its row")
	}
	for n, row := range storetest.ReadActivity(t, s, id) {
		require.Equal(t, core.ActionIssueNote, row.Action)
		require.Equal(t, core.At(storetest.Noon.Add(time.Duration(n+1)*time.Minute)), row.At)
		require.EqualValues(t, n+1, row.ActorID)
		var data map[string]string
		require.NoError(t, json.Unmarshal(row.Data, &data))
		require.Equal(t, map[string]string{"text": texts[n]}, data)
	}
	require.Equal(t, core.At(storetest.Noon), storetest.ReadIssue(t, s, id).LastSeen, "a note is not an event")
}

func TestActivityPages(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id, other := storetest.MakeIssue(t, s, "pay"), storetest.MakeIssue(t, s, "log in")
	var want []int64
	for n := range 10 {
		if n%3 == 0 {
			c.Forward(time.Second) // groups of three rows have the same time
		}
		note, err := s.AddNote(t.Context(), storetest.MakeActor(1), id, "hi")
		require.NoError(t, err)
		want = append([]int64{note}, want...)
		_, err = s.AddNote(t.Context(), storetest.MakeActor(1), other, "not here")
		require.NoError(t, err)
	}
	var got []int64
	for page := (core.Paging{Limit: 4}); ; {
		rows, err := s.ListIssueActivity(t.Context(), id, core.AllActivity, page)
		require.NoError(t, err)
		for _, a := range rows.Data {
			got = append(got, a.ID)
		}
		if page.Cursor = rows.NextCursor; page.Cursor == "" {
			break
		}
		require.Len(t, rows.Data, 4)
		require.Less(t, len(got), len(want), "the pages never end")
	}
	require.Equal(t, want, got)

	_, err := s.ListIssueActivity(t.Context(), 12345, core.AllActivity, core.Paging{Limit: 4})
	storetest.RequireCode(t, core.NotFound, err)
	foreign := core.ListPosition{Sort: "last_seen", At: c.Now, ID: 1}.Cursor()
	_, err = s.ListIssueActivity(t.Context(), id, core.AllActivity, core.Paging{Limit: 4, Cursor: foreign})
	storetest.RequireCode(t, core.InvalidRequest, err)
}

// TestChangesOfManyIssuesAtOnce mixes all changes on two servers: each successful one has its row.
func TestChangesOfManyIssuesAtOnce(t *testing.T) {
	t.Parallel()
	pair, _ := storetest.OpenPair(t)
	var ids []int64
	for n := range 5 {
		ids = append(ids, storetest.MakeIssue(t, pair[0], fmt.Sprint(n)))
	}
	storetest.RequireNoErrors(t, storetest.RunTogether(40, func(i int) error {
		s, id := pair[i%2], ids[i%5]
		var err error
		switch i % 4 {
		case 0:
			_, err = s.AddNote(t.Context(), storetest.MakeActor(1), id, "hi")
		case 1:
			_, err = s.ClaimIssue(t.Context(), storetest.MakeActor(1), id, 5)
		case 2:
			_, err = s.SetIssueStatus(t.Context(), storetest.MakeActor(1), id, core.Resolved)
		case 3:
			_, err = s.Intake.AddEvents(t.Context(), []intake.NewEvent{storetest.MakeShopEvent(fmt.Sprint(i%5), i, s.Now())})
		}
		return err
	}))
	require.EqualValues(t, 10+10+5, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM activity WHERE target_type = 'issue'`))
	require.EqualValues(t, 15, storetest.ReadCell[int64](t, pair[0], `SELECT sum(times_seen)::bigint FROM issues`))
}
