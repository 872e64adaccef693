package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
)

// Events that come again, and events of issues that are no longer unresolved.

func TestDuplicates(t *testing.T) {
	t.Parallel()
	for _, writer := range []string{"warm", "cold"} {
		t.Run(writer, func(t *testing.T) {
			t.Parallel()
			s, c := openShop(t)
			first := event(shop, "pay", 1, c.at(0))
			first.User = user(1)
			stored := add(t, s, first)
			if writer == "cold" {
				s.Forget()
			}
			again, fresh := first, event(shop, "pay", 2, c.at(0))
			again.User, again.Release, again.OccurredAt = user(2), "9", c.at(time.Second)
			added, err := s.AddEvents(t.Context(), []store.NewEvent{again, fresh, again, fresh})
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
			i := issue(t, s, stored.IssueID)
			require.EqualValues(t, 2, i.TimesSeen)
			require.EqualValues(t, 2, i.StoredEvents)
			require.EqualValues(t, 1, i.UsersAffected, "an event sent again brings no user")
			require.EqualValues(t, "1.0", i.LastRelease)
			require.Equal(t, c.at(0), i.LastSeen)
			require.Equal(t, []string{"14 12:00=2"}, hoursOf(t, s, shop))
			require.EqualValues(t, 2, cell[int64](t, s, `SELECT sum(events)::bigint FROM issue_hours`))
			require.EqualValues(t, 2, cell[int64](t, s, `SELECT count(*) FROM events`))
		})
	}
}

func TestBatchOfDuplicatesOnly(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	stored := add(t, s, event(shop, "pay", 1, c.at(0)))
	for range 3 {
		require.Equal(t, store.Added{ID: stored.ID, IssueID: stored.IssueID, Duplicate: true}, add(t, s, event(shop, "pay", 1, c.at(0))))
	}
	require.EqualValues(t, 1, issue(t, s, stored.IssueID).TimesSeen)
}

func TestDuplicateIsByProjectAndEventIDAlone(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	makeProject(t, s, shop+1, "Office")
	stored := add(t, s, event(shop, "pay", 1, c.at(0)))
	other := event(shop, "log in", 1, c.at(time.Hour)) // another fingerprint, another hour
	other.EventID = event(shop, "pay", 1, c.at(0)).EventID
	require.Equal(t, store.Added{ID: stored.ID, IssueID: stored.IssueID, Duplicate: true}, add(t, s, other))
	require.EqualValues(t, 1, cell[int64](t, s, `SELECT count(*) FROM issues`), "a duplicate makes no issue")
	require.False(t, add(t, s, event(shop+1, "pay", 1, c.at(0))).Duplicate)
}

func TestSameEventsOnTwoServersAtOnce(t *testing.T) {
	t.Parallel()
	pair, c := openPair(t)
	for round := range 10 { // the first rounds make the issues
		var events []store.NewEvent
		for n := range 8 {
			events = append(events, event(shop, string(rune('a'+n%4)), 100*round+n, c.at(0)))
		}
		results := make([][]store.Added, 4)
		noErrors(t, together(4, func(i int) (err error) {
			mine := slices.Clone(events)
			if i%2 == 1 {
				slices.Reverse(mine)
			}
			results[i], err = pair[i/2].AddEvents(t.Context(), mine)
			if i%2 == 1 {
				slices.Reverse(results[i])
			}
			return err
		}))
		for n := range events {
			fresh := 0
			for _, r := range results {
				require.Equal(t, results[0][n].ID, r[n].ID, "all are told of the one stored event")
				require.Equal(t, results[0][n].IssueID, r[n].IssueID)
				if !r[n].Duplicate {
					fresh++
				}
			}
			require.Equal(t, 1, fresh, "exactly one has stored it")
		}
	}
	require.EqualValues(t, 80, cell[int64](t, pair[0], `SELECT sum(times_seen)::bigint FROM issues`))
	require.EqualValues(t, 80, cell[int64](t, pair[0], `SELECT count(*) FROM events`))
	require.EqualValues(t, 4, cell[int64](t, pair[0], `SELECT count(*) FROM issues`))
}

func TestNewEventReopensAResolvedIssue(t *testing.T) {
	t.Parallel()
	for _, writer := range []string{"warm", "cold"} {
		t.Run(writer, func(t *testing.T) {
			t.Parallel()
			s, c := openShop(t)
			id := makeIssue(t, s, "pay")
			c.forward(time.Hour)
			_, err := s.SetStatus(t.Context(), person(1), id, core.Resolved)
			require.NoError(t, err)
			resolved := activity(t, s, id)
			if writer == "cold" {
				s.Forget()
			}
			c.forward(time.Hour)
			old, sameTime := event(shop, "pay", 2, c.at(-time.Hour-time.Millisecond)), event(shop, "pay", 3, c.at(-time.Hour))
			require.Equal(t, id, add(t, s, old, sameTime).IssueID)
			i := issue(t, s, id)
			require.Equal(t, core.Resolved, i.Status, "events before the resolve only count")
			require.EqualValues(t, 3, i.TimesSeen)
			require.Equal(t, resolved, activity(t, s, id))

			newer := event(shop, "pay", 4, c.at(-time.Hour+time.Millisecond))
			require.Equal(t, id, add(t, s, newer, event(shop, "pay", 5, c.at(0))).IssueID)
			i = issue(t, s, id)
			require.Equal(t, core.Unresolved, i.Status)
			require.EqualValues(t, 5, i.TimesSeen)
			require.Equal(t, append(resolved, core.Activity{
				At: c.at(0), ActorType: core.ActorSystem, ActorName: "ingest", Action: core.ActionIssueRegress,
				TargetType: core.TargetIssue, TargetID: id, Data: []byte(`{"to": "unresolved", "from": "resolved"}`),
			}), activity(t, s, id))

			add(t, s, event(shop, "pay", 6, c.at(time.Second)))
			require.Len(t, activity(t, s, id), 2, "it is reopened once")
		})
	}
}

func TestResolveAgainAfterReopening(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	id := makeIssue(t, s, "pay")
	for n := range 3 {
		c.forward(time.Minute)
		_, err := s.SetStatus(t.Context(), person(1), id, core.Resolved)
		require.NoError(t, err)
		c.forward(time.Minute)
		add(t, s, event(shop, "pay", 10+n, c.at(0)))
		require.Equal(t, core.Unresolved, issue(t, s, id).Status)
	}
	require.Len(t, activity(t, s, id), 6)
}

func TestEventsOnlyCountInOtherStatuses(t *testing.T) {
	t.Parallel()
	for _, status := range []core.Status{core.Unresolved, core.Ignored, core.FixPending, core.Verified, core.Regressed} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			s, c := openShop(t)
			id := makeIssue(t, s, "pay")
			change(t, s, `UPDATE issues SET status = $2, status_at = $3 WHERE id = $1`, id, status, noon)
			for n := range 2 {
				c.forward(time.Hour)
				require.Equal(t, id, add(t, s, event(shop, "pay", 10+n, c.at(0))).IssueID)
				s.Forget()
			}
			i := issue(t, s, id)
			require.Equal(t, status, i.Status)
			require.EqualValues(t, 3, i.TimesSeen)
			require.Empty(t, activity(t, s, id))
		})
	}
}

func TestTwoServersReopenAnIssueOnce(t *testing.T) {
	t.Parallel()
	pair, c := openPair(t)
	id := makeIssue(t, pair[0], "pay")
	_, err := pair[0].SetStatus(t.Context(), person(1), id, core.Resolved)
	require.NoError(t, err)
	noErrors(t, together(8, func(i int) error {
		_, err := pair[i%2].AddEvents(t.Context(), []store.NewEvent{event(shop, "pay", 10+i, c.at(time.Second))})
		return err
	}))
	require.EqualValues(t, 9, issue(t, pair[0], id).TimesSeen)
	require.Len(t, activity(t, pair[0], id), 2)
}

// mergeByHand leaves the rows as a merge does: the source's fingerprints lead to the target.
func mergeByHand(t *testing.T, s *store.Store, source, target int64) {
	t.Helper()
	change(t, s, `UPDATE issue_fingerprints SET issue_id = $2 WHERE issue_id = $1`, source, target)
	change(t, s, `UPDATE issues SET status = 'merged', merged_into = $2 WHERE id = $1`, source, target)
}

func TestEventsOfAMergedIssueGoToItsTarget(t *testing.T) {
	t.Parallel()
	for _, writer := range []string{"warm", "cold"} {
		t.Run(writer, func(t *testing.T) {
			t.Parallel()
			s, c := openShop(t)
			source, target := makeIssue(t, s, "old"), makeIssue(t, s, "new")
			mergeByHand(t, s, source, target)
			if writer == "cold" {
				s.Forget()
			}
			for n := range 2 {
				added, err := s.AddEvents(t.Context(), []store.NewEvent{event(shop, "old", 10+n, c.at(0)), event(shop, "new", 10+n, c.at(0))})
				require.NoError(t, err)
				require.Equal(t, target, added[0].IssueID)
				require.Equal(t, target, added[1].IssueID)
			}
			require.EqualValues(t, 5, issue(t, s, target).TimesSeen)
			merged := issue(t, s, source)
			require.EqualValues(t, 1, merged.TimesSeen)
			require.EqualValues(t, target, merged.MergedInto)
			require.EqualValues(t, 5, cell[int64](t, s, `SELECT count(*) FROM events WHERE issue_id = $1`, target))
			require.EqualValues(t, 5, cell[int64](t, s, `SELECT sum(events)::bigint FROM issue_hours WHERE issue_id = $1`, target))
		})
	}
}

func TestEventOfASourceReopensItsResolvedTarget(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	source, target := makeIssue(t, s, "old"), makeIssue(t, s, "new")
	mergeByHand(t, s, source, target)
	_, err := s.SetStatus(t.Context(), person(1), target, core.Resolved)
	require.NoError(t, err)
	add(t, s, event(shop, "old", 10, c.at(time.Second)))
	require.Equal(t, core.Unresolved, issue(t, s, target).Status)
	require.Equal(t, core.Merged, issue(t, s, source).Status)
}

func TestPartitionsAreMadeOnDemand(t *testing.T) {
	t.Parallel()
	pair, c := openPair(t)
	partitions := func() []string {
		return column[string](t, pair[0], `SELECT inhrelid::regclass::text FROM pg_inherits
			WHERE inhparent = 'events'::regclass AND inhrelid::regclass::text LIKE 'events_20260%' ORDER BY 1`)
	}
	require.Empty(t, partitions(), "the template has other days only")
	noErrors(t, together(6, func(i int) error { // all at once, on both servers
		at := c.at(time.Duration(i/2) * 24 * time.Hour)
		_, err := pair[i%2].AddEvents(t.Context(), []store.NewEvent{event(shop, "pay", i, at)})
		return err
	}))
	require.Equal(t, []string{"events_20260314", "events_20260315", "events_20260316"}, partitions())
	require.EqualValues(t, 6, cell[int64](t, pair[0], `SELECT sum(times_seen)::bigint FROM issues`))

	noErrors(t, together(2, func(i int) error { return pair[i].MakePartitions(t.Context()) }))
	require.Equal(t, []string{"events_20260314", "events_20260315", "events_20260316", "events_20260317"}, partitions(),
		"today and %d days ahead", store.PartitionsAhead)
}
