package intake_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/intake"
	"errand/store/storetest"
)

// Events that are sent again, and events of issues that are no longer unresolved.

func TestDuplicates(t *testing.T) {
	t.Parallel()
	for _, writer := range []string{"warm", "cold"} {
		t.Run(writer, func(t *testing.T) {
			t.Parallel()
			s, c := storetest.OpenShop(t)
			first := storetest.MakeShopEvent("pay", 1, c.At(0))
			first.User = storetest.HashUser(1)
			stored := storetest.AddEvents(t, s, first)
			if writer == "cold" {
				s.Intake.Forget()
			}
			again, fresh := first, storetest.MakeShopEvent("pay", 2, c.At(0))
			again.User, again.Release, again.OccurredAt = storetest.HashUser(2), "9", c.At(time.Second)
			added, err := s.Intake.AddEvents(t.Context(), []intake.NewEvent{again, fresh, again, fresh})
			require.NoError(t, err)
			for _, n := range []int{0, 2} {
				require.Equal(t, stored.ID, added[n].ID)
				require.True(t, added[n].Duplicate)
			}
			require.False(t, added[1].Duplicate)
			require.True(t, added[3].Duplicate)
			require.Equal(t, added[1].ID, added[3].ID)
			require.NotEqual(t, stored.ID, added[1].ID)
			for _, a := range added {
				require.Equal(t, stored.IssueID, a.IssueID)
			}
			i := storetest.ReadIssue(t, s, stored.IssueID)
			require.EqualValues(t, 2, i.TimesSeen)
			require.EqualValues(t, 2, i.StoredEvents)
			require.EqualValues(t, 1, i.UsersAffected, "an event sent again adds no user")
			require.EqualValues(t, "1.0", i.LastRelease)
			require.Equal(t, c.At(0), i.LastSeen)
			require.Equal(t, []string{"14 12:00=2"}, hoursOf(t, s, storetest.Shop))
			require.EqualValues(t, 2, storetest.ReadCell[int64](t, s, `SELECT sum(events)::bigint FROM issue_hours`))
			require.EqualValues(t, 2, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM events`))
		})
	}
}

func TestBatchOfDuplicatesOnly(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	stored := storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 1, c.At(0)))
	for range 3 {
		require.Equal(t, intake.Added{ID: stored.ID, IssueID: stored.IssueID, Duplicate: true},
			storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 1, c.At(0))))
	}
	require.EqualValues(t, 1, storetest.ReadIssue(t, s, stored.IssueID).TimesSeen)
}

func TestDuplicateIsByProjectAndEventIDAlone(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "Office")
	stored := storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 1, c.At(0)))
	other := storetest.MakeShopEvent("log in", 1, c.At(time.Hour)) // another fingerprint, another hour
	other.EventID = storetest.MakeShopEvent("pay", 1, c.At(0)).EventID
	require.Equal(t, intake.Added{ID: stored.ID, IssueID: stored.IssueID, Duplicate: true}, storetest.AddEvents(t, s, other))
	require.EqualValues(t, 1, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM issues`), "a duplicate makes no issue")
	require.False(t, storetest.AddEvents(t, s, storetest.MakeEvent(storetest.Shop+1, "pay", 1, c.At(0))).Duplicate)
}

func TestSameEventsOnTwoServersAtOnce(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	for round := range 10 { // the first rounds make the issues
		var events []intake.NewEvent
		for n := range 8 {
			events = append(events, storetest.MakeShopEvent(string(rune('a'+n%4)), 100*round+n, c.At(0)))
		}
		results := make([][]intake.Added, 4)
		storetest.RequireNoErrors(t, storetest.RunTogether(4, func(i int) (err error) {
			mine := slices.Clone(events)
			if i%2 == 1 {
				slices.Reverse(mine)
			}
			results[i], err = pair[i/2].Intake.AddEvents(t.Context(), mine)
			if i%2 == 1 {
				slices.Reverse(results[i])
			}
			return err
		}))
		for n := range events {
			fresh := 0
			for _, r := range results {
				require.Equal(t, results[0][n].ID, r[n].ID, "all get the id of the one stored event")
				require.Equal(t, results[0][n].IssueID, r[n].IssueID)
				if !r[n].Duplicate {
					fresh++
				}
			}
			require.Equal(t, 1, fresh, "exactly one stored it")
		}
	}
	require.EqualValues(t, 80, storetest.ReadCell[int64](t, pair[0], `SELECT sum(times_seen)::bigint FROM issues`))
	require.EqualValues(t, 80, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM events`))
	require.EqualValues(t, 4, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM issues`))
}

func TestNewEventReopensAResolvedIssue(t *testing.T) {
	t.Parallel()
	for _, writer := range []string{"warm", "cold"} {
		t.Run(writer, func(t *testing.T) {
			t.Parallel()
			s, c := storetest.OpenShop(t)
			id := storetest.MakeIssue(t, s, "pay")
			c.Forward(time.Hour)
			_, err := s.SetIssueStatus(t.Context(), storetest.MakeActor(1), id, core.Resolved)
			require.NoError(t, err)
			resolved := storetest.ReadActivity(t, s, id)
			if writer == "cold" {
				s.Intake.Forget()
			}
			c.Forward(time.Hour)
			old, sameTime := storetest.MakeShopEvent("pay", 2, c.At(-time.Hour-time.Millisecond)),
				storetest.MakeShopEvent("pay", 3, c.At(-time.Hour))
			require.Equal(t, id, storetest.AddEvents(t, s, old, sameTime).IssueID)
			i := storetest.ReadIssue(t, s, id)
			require.Equal(t, core.Resolved, i.Status, "events before the resolve only count")
			require.EqualValues(t, 3, i.TimesSeen)
			require.Equal(t, resolved, storetest.ReadActivity(t, s, id))

			newer := storetest.MakeShopEvent("pay", 4, c.At(-time.Hour+time.Millisecond))
			require.Equal(t, id, storetest.AddEvents(t, s, newer, storetest.MakeShopEvent("pay", 5, c.At(0))).IssueID)
			i = storetest.ReadIssue(t, s, id)
			require.Equal(t, core.Unresolved, i.Status)
			require.EqualValues(t, 5, i.TimesSeen)
			require.Equal(t, append(resolved, core.Activity{
				At: c.At(0), ActorType: core.ActorSystem, ActorName: "ingest", Action: core.ActionIssueRegress,
				TargetType: core.TargetIssue, TargetID: id, Data: []byte(`{"to": "unresolved", "from": "resolved"}`),
			}), storetest.ReadActivity(t, s, id))

			storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 6, c.At(time.Second)))
			require.Len(t, storetest.ReadActivity(t, s, id), 2, "it is reopened once")
		})
	}
}

func TestResolveAgainAfterReopening(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	for n := range 3 {
		c.Forward(time.Minute)
		_, err := s.SetIssueStatus(t.Context(), storetest.MakeActor(1), id, core.Resolved)
		require.NoError(t, err)
		c.Forward(time.Minute)
		storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 10+n, c.At(0)))
		require.Equal(t, core.Unresolved, storetest.ReadIssue(t, s, id).Status)
	}
	require.Len(t, storetest.ReadActivity(t, s, id), 6)
}

func TestEventsOnlyCountInOtherStatuses(t *testing.T) {
	t.Parallel()
	for _, status := range []core.Status{core.Unresolved, core.Ignored, core.FixPending, core.Verified, core.Regressed} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			s, c := storetest.OpenShop(t)
			id := storetest.MakeIssue(t, s, "pay")
			storetest.ChangeRows(t, s, `UPDATE issues SET status = $2, status_at = $3 WHERE id = $1`, id, status, storetest.Noon)
			for n := range 2 {
				c.Forward(time.Hour)
				require.Equal(t, id, storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 10+n, c.At(0))).IssueID)
				s.Intake.Forget()
			}
			i := storetest.ReadIssue(t, s, id)
			require.Equal(t, status, i.Status)
			require.EqualValues(t, 3, i.TimesSeen)
			require.Empty(t, storetest.ReadActivity(t, s, id))
		})
	}
}

func TestTwoServersReopenAnIssueOnce(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	id := storetest.MakeIssue(t, pair[0], "pay")
	_, err := pair[0].SetIssueStatus(t.Context(), storetest.MakeActor(1), id, core.Resolved)
	require.NoError(t, err)
	storetest.RequireNoErrors(t, storetest.RunTogether(8, func(i int) error {
		_, err := pair[i%2].Intake.AddEvents(t.Context(), []intake.NewEvent{storetest.MakeShopEvent("pay", 10+i, c.At(time.Second))})
		return err
	}))
	require.EqualValues(t, 9, storetest.ReadIssue(t, pair[0], id).TimesSeen)
	require.Len(t, storetest.ReadActivity(t, pair[0], id), 2)
}

func TestEventsOfAMergedIssueGoToItsTarget(t *testing.T) {
	t.Parallel()
	for _, writer := range []string{"warm", "cold"} {
		t.Run(writer, func(t *testing.T) {
			t.Parallel()
			s, c := storetest.OpenShop(t)
			source, target := storetest.MakeIssue(t, s, "old"), storetest.MakeIssue(t, s, "new")
			storetest.MergeByHand(t, s, source, target)
			if writer == "cold" {
				s.Intake.Forget()
			}
			for n := range 2 {
				added, err := s.Intake.AddEvents(t.Context(),
					[]intake.NewEvent{storetest.MakeShopEvent("old", 10+n, c.At(0)), storetest.MakeShopEvent("new", 10+n, c.At(0))})
				require.NoError(t, err)
				require.Equal(t, target, added[0].IssueID)
				require.Equal(t, target, added[1].IssueID)
			}
			require.EqualValues(t, 5, storetest.ReadIssue(t, s, target).TimesSeen)
			merged := storetest.ReadIssue(t, s, source)
			require.EqualValues(t, 1, merged.TimesSeen)
			require.EqualValues(t, target, merged.MergedInto)
			require.EqualValues(t, 5, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM events WHERE issue_id = $1`, target))
			require.EqualValues(t, 5, storetest.ReadCell[int64](t, s, `SELECT sum(events)::bigint FROM issue_hours WHERE issue_id = $1`, target))
		})
	}
}

func TestEventOfASourceReopensItsResolvedTarget(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	source, target := storetest.MakeIssue(t, s, "old"), storetest.MakeIssue(t, s, "new")
	storetest.MergeByHand(t, s, source, target)
	_, err := s.SetIssueStatus(t.Context(), storetest.MakeActor(1), target, core.Resolved)
	require.NoError(t, err)
	storetest.AddEvents(t, s, storetest.MakeShopEvent("old", 10, c.At(time.Second)))
	require.Equal(t, core.Unresolved, storetest.ReadIssue(t, s, target).Status)
	require.Equal(t, core.Merged, storetest.ReadIssue(t, s, source).Status)
}

func TestPartitionsAreMadeOnDemand(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	partitions := func() []string {
		return storetest.ReadColumn[string](t, pair[0], `SELECT inhrelid::regclass::text FROM pg_inherits
			WHERE inhparent = 'events'::regclass AND inhrelid::regclass::text LIKE 'events_20260%' ORDER BY 1`)
	}
	require.Empty(t, partitions(), "the template only has other days")
	storetest.RequireNoErrors(t, storetest.RunTogether(6, func(i int) error { // in parallel, on both servers
		at := c.At(time.Duration(i/2) * 24 * time.Hour)
		_, err := pair[i%2].Intake.AddEvents(t.Context(), []intake.NewEvent{storetest.MakeShopEvent("pay", i, at)})
		return err
	}))
	require.Equal(t, []string{"events_20260314", "events_20260315", "events_20260316"}, partitions())
	require.EqualValues(t, 6, storetest.ReadCell[int64](t, pair[0], `SELECT sum(times_seen)::bigint FROM issues`))

	storetest.RequireNoErrors(t, storetest.RunTogether(2, func(i int) error { return pair[i].Intake.MakePartitions(t.Context()) }))
	require.Equal(t, []string{"events_20260314", "events_20260315", "events_20260316", "events_20260317"}, partitions(),
		"today and %d days ahead", intake.PartitionsAhead)
}
