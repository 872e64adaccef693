package store_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// Batches that are given again, because it is not known what became of them.

func TestBatchGivenAgainCountsOnce(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(*store.Store, *clock) []store.NewEvent{
		"of new issues": func(_ *store.Store, c *clock) []store.NewEvent {
			return []store.NewEvent{event(shop, "a", 1, c.at(0)), event(shop, "b", 1, c.at(0)), event(shop, "a", 2, c.at(0))}
		},
		"of known issues": func(s *store.Store, c *clock) []store.NewEvent {
			makeIssue(t, s, "a")
			return []store.NewEvent{event(shop, "a", 2, c.at(0)), event(shop, "a", 3, c.at(0))}
		},
		"with duplicates": func(s *store.Store, c *clock) []store.NewEvent {
			makeIssue(t, s, "a")
			return []store.NewEvent{event(shop, "a", 1, c.at(0)), event(shop, "a", 2, c.at(0)), event(shop, "a", 2, c.at(0)), event(shop, "b", 1, c.at(0))}
		},
		"of duplicates only": func(s *store.Store, c *clock) []store.NewEvent {
			makeIssue(t, s, "a")
			return []store.NewEvent{event(shop, "a", 1, c.at(0)), event(shop, "a", 1, c.at(0))}
		},
		"of an issue that keeps no more": func(_ *store.Store, c *clock) []store.NewEvent {
			return []store.NewEvent{event(shop, "hot", 3000, c.at(0)), event(shop, "hot", 3001, c.at(0)), event(shop, "hot", 3002, c.at(0))}
		},
		"of an issue that keeps no more, a duplicate last": func(_ *store.Store, c *clock) []store.NewEvent {
			return []store.NewEvent{event(shop, "hot", 3000, c.at(0)), event(shop, "hot", 3001, c.at(0)), event(shop, "hot", 7, c.at(0))}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c, _ := openHot(t)
			batch := first(s, c)
			added, err := s.AddEvents(t.Context(), batch)
			require.NoError(t, err)
			seen := cell[int64](t, s, `SELECT sum(times_seen)::bigint FROM issues`)
			for range 2 {
				again, err := s.AddEvents(t.Context(), batch)
				require.NoError(t, err)
				require.Equal(t, added, again, "the answer is that of the first time")
				s.Forget()
			}
			require.Equal(t, seen, cell[int64](t, s, `SELECT sum(times_seen)::bigint FROM issues`))
			require.Equal(t, seen, cell[int64](t, s, `SELECT sum(events)::bigint FROM project_hours`))

			afresh, err := s.AddEvents(t.Context(), []store.NewEvent{event(shop, "after", 1, c.at(0))})
			require.NoError(t, err)
			require.False(t, afresh[0].Duplicate)
		})
	}
}

func TestBatchThatFailedIsAddedByTheNextTry(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	id := makeIssue(t, s, "pay")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	batch := []store.NewEvent{event(shop, "pay", 2, c.at(0)), event(shop, "pay", 3, c.at(0))}
	_, err := s.AddEvents(cancelled, batch)
	require.Error(t, err)
	require.EqualValues(t, 1, issue(t, s, id).TimesSeen)
	added, err := s.AddEvents(t.Context(), batch)
	require.NoError(t, err)
	require.False(t, added[0].Duplicate || added[1].Duplicate)
	require.EqualValues(t, 3, issue(t, s, id).TimesSeen)
}

func TestBatchThatWaitedForTheDatabase(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	away := storetest.Open(t, awayURL, c.tell)
	batch := []store.NewEvent{event(shop, "pay", 1, c.at(0))}
	_, err := away.AddEvents(t.Context(), batch)
	requireCode(t, core.Unavailable, err)
	added, err := s.AddEvents(t.Context(), batch)
	require.NoError(t, err)
	require.Equal(t, 1, len(slices.Compact(storedIDs(t, s, added[0].IssueID))))
}
