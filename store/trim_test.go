package store_test

import (
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
		paging.Cursor = page.NextCursor
	}
}

func TestHotIssueKeepsTheFirstAndTheNewest(t *testing.T) {
	t.Parallel()
	now := &clock{noon}
	s, err := store.Open(t.Context(), store.Options{URL: storetest.URL(t), Clock: now.tell, Keep: store.MinKeep})
	require.NoError(t, err)
	t.Cleanup(s.Close)
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
	require.NoError(t, s.DropExpired(t.Context(), 1))

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
	require.NoError(t, s.DropExpired(t.Context(), 1))
	issue, err = s.Issue(t.Context(), kept.IssueID)
	require.NoError(t, err)
	require.Zero(t, issue.StoredEvents)
	require.Zero(t, issue.LatestEventID)
}
