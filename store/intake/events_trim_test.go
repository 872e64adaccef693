package intake_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

func TestHotIssueKeepsTheFirstAndTheNewest(t *testing.T) {
	t.Parallel()
	now := storetest.NewClock()
	s := storetest.OpenWith(t, store.Options{URL: storetest.NewURL(t), Clock: now.Tell, Settings: storetest.KeepFew})
	project := storetest.MakeProject(t, s, 1, "Shop").ID
	const batches, size = 40, 50
	var first, last intake.Added
	for n := range batches {
		var events []intake.NewEvent
		for i := range size {
			events = append(events, storetest.MakeEvent(project, "hot", n*size+i, now.At(time.Duration(i)*time.Millisecond)))
		}
		last = storetest.AddEvents(t, s, events...)
		if n == 0 {
			first = last
		}
		now.Forward(time.Second)
		require.NoError(t, s.Intake.TrimIssues(t.Context()))
	}
	require.NotZero(t, last.ID, "the newest event is always stored")
	issue, err := s.ReadIssue(t.Context(), last.IssueID)
	require.NoError(t, err)
	require.EqualValues(t, batches*size, issue.TimesSeen)
	ids := storetest.ListStoredIDs(t, s, issue.ID)
	require.EqualValues(t, len(ids), issue.StoredEvents)
	require.LessOrEqual(t, len(ids), intake.MinKeep+100+size)
	require.GreaterOrEqual(t, len(ids), intake.MinKeep)
	require.Equal(t, last.ID, ids[0])
	require.Contains(t, ids, first.ID, "the first hundred stay")

	again := storetest.AddEvents(t, s, storetest.MakeEvent(project, "hot", batches*size-1, now.At(0)))
	require.True(t, again.Duplicate)
	require.Equal(t, last.ID, again.ID)
}

func TestExpiredDaysAreDropped(t *testing.T) {
	t.Parallel()
	now := storetest.NewClock()
	s := storetest.NewAt(t, now.Tell)
	project := storetest.MakeProject(t, s, 1, "Shop").ID
	old := storetest.AddEvents(t, s, storetest.MakeEvent(project, "a", 1, now.At(0)))
	now.Forward(48 * time.Hour)
	kept := storetest.AddEvents(t, s, storetest.MakeEvent(project, "a", 2, now.At(0)))
	storetest.DropExpired(t, s, 1)

	require.Equal(t, []int64{kept.ID}, storetest.ListStoredIDs(t, s, kept.IssueID))
	_, err := s.ReadEvent(t.Context(), old.ID)
	require.True(t, core.HasCode(err, core.NotFound))
	issue, err := s.ReadIssue(t.Context(), kept.IssueID)
	require.NoError(t, err)
	require.EqualValues(t, 2, issue.TimesSeen)
	require.EqualValues(t, 1, issue.StoredEvents)
	require.EqualValues(t, kept.ID, issue.LatestEventID)
	require.False(t, storetest.AddEvents(t, s, storetest.MakeEvent(project, "a", 1, now.At(0))).Duplicate,
		"an event id lives as long as its event")

	now.Forward(72 * time.Hour)
	storetest.DropExpired(t, s, 1)
	issue, err = s.ReadIssue(t.Context(), kept.IssueID)
	require.NoError(t, err)
	require.Zero(t, issue.StoredEvents)
	require.Zero(t, issue.LatestEventID)
}

func TestHotIssueCountsWhatItDoesNotStore(t *testing.T) {
	t.Parallel()
	s, c, id := storetest.OpenHot(t)
	var events []intake.NewEvent
	for n := range 10 {
		e := storetest.MakeShopEvent("hot", 1000+n, c.At(0))
		e.User = storetest.HashUser(n)
		events = append(events, e, storetest.MakeShopEvent("cold", n, c.At(0)))
	}
	added, err := s.Intake.AddEvents(t.Context(), events)
	require.NoError(t, err)
	for n := 0; n < len(added); n += 2 {
		require.Equal(t, n != 18, added[n].ID == 0, "only the newest is stored")
		require.Equal(t, id, added[n].IssueID)
		require.NotZero(t, added[n+1].ID, "another issue is not affected")
	}
	i := storetest.ReadIssue(t, s, id)
	require.EqualValues(t, intake.MinKeep+10, i.TimesSeen)
	require.EqualValues(t, intake.MinKeep+1, i.StoredEvents)
	require.EqualValues(t, 10, i.UsersAffected)
	require.EqualValues(t, intake.MinKeep+10, i.Events24h)
	require.EqualValues(t, added[18].ID, i.LatestEventID)
}

func TestHotIssueCountsADuplicateOnce(t *testing.T) {
	t.Parallel()
	s, c, id := storetest.OpenHot(t)
	stored := storetest.ListStoredIDs(t, s, id)
	for n, batch := range [][]intake.NewEvent{
		// a stored event again, and a new one; the other way round; and twice
		{storetest.MakeShopEvent("hot", 7, c.At(0)), storetest.MakeShopEvent("hot", 2000, c.At(0))},
		{storetest.MakeShopEvent("hot", 2001, c.At(0)), storetest.MakeShopEvent("hot", 7, c.At(0))},
		{storetest.MakeShopEvent("hot", 7, c.At(0)), storetest.MakeShopEvent("hot", 7, c.At(0)), storetest.MakeShopEvent("hot", 2002, c.At(0))},
	} {
		added, err := s.Intake.AddEvents(t.Context(), batch)
		require.NoError(t, err)
		for i, a := range added {
			isOld := batch[i].EventID == storetest.MakeShopEvent("hot", 7, c.At(0)).EventID
			require.Equal(t, isOld, a.Duplicate)
			if isOld {
				require.Contains(t, stored, a.ID)
			}
		}
		require.EqualValues(t, intake.MinKeep+n+1, storetest.ReadIssue(t, s, id).TimesSeen)
	}
}

// TestExpiredDaysAreDroppedWhileEventsArrive lets two servers drop a day while its issues keep getting events.
func TestExpiredDaysAreDroppedWhileEventsArrive(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	const groups, rounds = 10, 15
	old := c.At(0)
	for n := range groups {
		storetest.AddEvents(t, pair[0], storetest.MakeShopEvent(fmt.Sprint(n), 0, old))
	}
	c.Forward(48 * time.Hour)
	storetest.RequireNoErrors(t, storetest.RunTogether(4, func(i int) error {
		if i < 2 {
			_, err := pair[i].Intake.DropExpired(t.Context(), 1)
			return err
		}
		for round := range rounds {
			var events []intake.NewEvent
			for n := range groups {
				events = append(events, storetest.MakeShopEvent(fmt.Sprint((n*7+i)%groups), 1+i*rounds+round, c.At(0)))
			}
			if _, err := pair[i%2].Intake.AddEvents(t.Context(), events); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, s := range pair {
		storetest.DropExpired(t, s, 1)
	}
	require.EqualValues(t, groups, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM issues
		WHERE times_seen = 1 + 2 * 15 AND stored_events = 2 * 15 AND latest_event_id IS NOT NULL`))
	require.EqualValues(t, groups*2*rounds, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM events`))
	require.EqualValues(t, groups*2*rounds, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM event_ids`))
}
