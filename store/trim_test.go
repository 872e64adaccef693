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

// storedIDs gives the ids of an issue's stored events, newest first.
func storedIDs(t *testing.T, s *store.Store, issue int64) []int64 {
	t.Helper()
	var ids []int64
	paging := core.Paging{Limit: 100}
	for {
		page, err := s.IssueEvents(t.Context(), issue, paging)
		require.NoError(t, err)
		for _, e := range page.Data {
			ids = append(ids, e.ID)
		}
		if page.NextCursor == "" {
			return ids
		}
		require.Less(t, len(ids), 10_000, "the pages do not end")
		paging.Cursor = page.NextCursor
	}
}

func TestHotIssueKeepsTheFirstAndTheNewest(t *testing.T) {
	t.Parallel()
	now := &clock{noon}
	s := storetest.OpenWith(t, store.Options{URL: storetest.URL(t), Clock: now.tell, Settings: keepFew})
	project := makeProject(t, s, 1, "Shop").ID
	const batches, size = 40, 50
	var first, last store.Added
	for n := range batches {
		var events []store.NewEvent
		for i := range size {
			events = append(events, event(project, "hot", n*size+i, now.at(time.Duration(i)*time.Millisecond)))
		}
		last = add(t, s, events...)
		if n == 0 {
			first = last
		}
		now.forward(time.Second)
		require.NoError(t, s.TrimIssues(t.Context()))
	}
	require.NotZero(t, last.ID, "the newest event is always stored")
	issue, err := s.Issue(t.Context(), last.IssueID)
	require.NoError(t, err)
	require.EqualValues(t, batches*size, issue.TimesSeen)
	ids := storedIDs(t, s, issue.ID)
	require.EqualValues(t, len(ids), issue.StoredEvents)
	require.LessOrEqual(t, len(ids), store.MinKeep+100+size)
	require.GreaterOrEqual(t, len(ids), store.MinKeep)
	require.Equal(t, last.ID, ids[0])
	require.Contains(t, ids, first.ID, "the first hundred stay")

	again := add(t, s, event(project, "hot", batches*size-1, now.at(0)))
	require.True(t, again.Duplicate)
	require.Equal(t, last.ID, again.ID)
}

func TestExpiredDaysAreDropped(t *testing.T) {
	t.Parallel()
	now := &clock{noon}
	s := storetest.NewAt(t, now.tell)
	project := makeProject(t, s, 1, "Shop").ID
	old := add(t, s, event(project, "a", 1, now.at(0)))
	now.forward(48 * time.Hour)
	kept := add(t, s, event(project, "a", 2, now.at(0)))
	dropExpired(t, s, 1)

	require.Equal(t, []int64{kept.ID}, storedIDs(t, s, kept.IssueID))
	_, err := s.Event(t.Context(), old.ID)
	require.True(t, core.HasCode(err, core.NotFound))
	issue, err := s.Issue(t.Context(), kept.IssueID)
	require.NoError(t, err)
	require.EqualValues(t, 2, issue.TimesSeen)
	require.EqualValues(t, 1, issue.StoredEvents)
	require.EqualValues(t, kept.ID, issue.LatestEventID)
	require.False(t, add(t, s, event(project, "a", 1, now.at(0))).Duplicate, "an event id lives as long as its event")

	now.forward(72 * time.Hour)
	dropExpired(t, s, 1)
	issue, err = s.Issue(t.Context(), kept.IssueID)
	require.NoError(t, err)
	require.Zero(t, issue.StoredEvents)
	require.Zero(t, issue.LatestEventID)
}

// openHot gives a store that keeps few events, with an issue that has as many as it may.
func openHot(t *testing.T) (s *store.Store, c *clock, issueID int64) {
	t.Helper()
	return openHotAt(t, storetest.URL(t))
}

func openHotAt(t *testing.T, url string) (s *store.Store, c *clock, issueID int64) {
	t.Helper()
	c = &clock{noon}
	s = storetest.OpenWith(t, store.Options{URL: url, Clock: c.tell, Settings: keepFew})
	makeProject(t, s, shop, "Shop")
	var events []store.NewEvent
	for n := range store.MinKeep {
		events = append(events, event(shop, "hot", n, c.at(0)))
	}
	return s, c, add(t, s, events...).IssueID
}

func TestHotIssueCountsWhatItDoesNotStore(t *testing.T) {
	t.Parallel()
	s, c, id := openHot(t)
	var events []store.NewEvent
	for n := range 10 {
		e := event(shop, "hot", 1000+n, c.at(0))
		e.User = user(n)
		events = append(events, e, event(shop, "cold", n, c.at(0)))
	}
	added, err := s.AddEvents(t.Context(), events)
	require.NoError(t, err)
	for n := 0; n < len(added); n += 2 {
		require.Equal(t, n != 18, added[n].ID == 0, "only the newest is stored")
		require.Equal(t, id, added[n].IssueID)
		require.NotZero(t, added[n+1].ID, "another issue is not concerned")
	}
	i := issue(t, s, id)
	require.EqualValues(t, store.MinKeep+10, i.TimesSeen)
	require.EqualValues(t, store.MinKeep+1, i.StoredEvents)
	require.EqualValues(t, 10, i.UsersAffected)
	require.EqualValues(t, store.MinKeep+10, i.Events24h)
	require.EqualValues(t, added[18].ID, i.LatestEventID)
}

func TestHotIssueCountsADuplicateOnce(t *testing.T) {
	t.Parallel()
	s, c, id := openHot(t)
	stored := storedIDs(t, s, id)
	for n, batch := range [][]store.NewEvent{
		{event(shop, "hot", 7, c.at(0)), event(shop, "hot", 2000, c.at(0))},                                 // a stored event again, and a new one
		{event(shop, "hot", 2001, c.at(0)), event(shop, "hot", 7, c.at(0))},                                 // the other way round
		{event(shop, "hot", 7, c.at(0)), event(shop, "hot", 7, c.at(0)), event(shop, "hot", 2002, c.at(0))}, // and twice
	} {
		added, err := s.AddEvents(t.Context(), batch)
		require.NoError(t, err)
		for i, a := range added {
			isOld := batch[i].EventID == event(shop, "hot", 7, c.at(0)).EventID
			require.Equal(t, isOld, a.Duplicate)
			if isOld {
				require.Contains(t, stored, a.ID)
			}
		}
		require.EqualValues(t, store.MinKeep+n+1, issue(t, s, id).TimesSeen)
	}
}

// TestExpiredDaysAreDroppedWhileEventsArrive has two servers drop a day whose issues get events all the while.
func TestExpiredDaysAreDroppedWhileEventsArrive(t *testing.T) {
	t.Parallel()
	pair, c := openPair(t)
	const groups, rounds = 10, 15
	old := c.at(0)
	for n := range groups {
		add(t, pair[0], event(shop, fmt.Sprint(n), 0, old))
	}
	c.forward(48 * time.Hour)
	noErrors(t, together(4, func(i int) error {
		if i < 2 {
			_, err := pair[i].DropExpired(t.Context(), 1)
			return err
		}
		for round := range rounds {
			var events []store.NewEvent
			for n := range groups {
				events = append(events, event(shop, fmt.Sprint((n*7+i)%groups), 1+i*rounds+round, c.at(0)))
			}
			if _, err := pair[i%2].AddEvents(t.Context(), events); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, s := range pair {
		dropExpired(t, s, 1)
	}
	require.EqualValues(t, groups, cell[int64](t, pair[0], `SELECT count(*) FROM issues
		WHERE times_seen = 1 + 2 * 15 AND stored_events = 2 * 15 AND latest_event_id IS NOT NULL`))
	require.EqualValues(t, groups*2*rounds, cell[int64](t, pair[0], `SELECT count(*) FROM events`))
	require.EqualValues(t, groups*2*rounds, cell[int64](t, pair[0], `SELECT count(*) FROM event_ids`))
}
