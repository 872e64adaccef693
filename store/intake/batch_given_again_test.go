package intake_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// Batches that are given again, because their outcome is unknown.

func TestBatchGivenAgainCountsOnce(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(*store.Store, *storetest.Clock) []intake.NewEvent{
		"of new issues": func(_ *store.Store, c *storetest.Clock) []intake.NewEvent {
			return []intake.NewEvent{storetest.MakeShopEvent("a", 1, c.At(0)), storetest.MakeShopEvent("b", 1, c.At(0)),
				storetest.MakeShopEvent("a", 2, c.At(0))}
		},
		"of known issues": func(s *store.Store, c *storetest.Clock) []intake.NewEvent {
			storetest.MakeIssue(t, s, "a")
			return []intake.NewEvent{storetest.MakeShopEvent("a", 2, c.At(0)), storetest.MakeShopEvent("a", 3, c.At(0))}
		},
		"with duplicates": func(s *store.Store, c *storetest.Clock) []intake.NewEvent {
			storetest.MakeIssue(t, s, "a")
			return []intake.NewEvent{storetest.MakeShopEvent("a", 1, c.At(0)), storetest.MakeShopEvent("a", 2, c.At(0)),
				storetest.MakeShopEvent("a", 2, c.At(0)), storetest.MakeShopEvent("b", 1, c.At(0))}
		},
		"of duplicates only": func(s *store.Store, c *storetest.Clock) []intake.NewEvent {
			storetest.MakeIssue(t, s, "a")
			return []intake.NewEvent{storetest.MakeShopEvent("a", 1, c.At(0)), storetest.MakeShopEvent("a", 1, c.At(0))}
		},
		"of an issue that keeps no more": func(_ *store.Store, c *storetest.Clock) []intake.NewEvent {
			return []intake.NewEvent{storetest.MakeShopEvent("hot", 3000, c.At(0)), storetest.MakeShopEvent("hot", 3001, c.At(0)),
				storetest.MakeShopEvent("hot", 3002, c.At(0))}
		},
		"of an issue that keeps no more, a duplicate last": func(_ *store.Store, c *storetest.Clock) []intake.NewEvent {
			return []intake.NewEvent{storetest.MakeShopEvent("hot", 3000, c.At(0)), storetest.MakeShopEvent("hot", 3001, c.At(0)),
				storetest.MakeShopEvent("hot", 7, c.At(0))}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c, _ := storetest.OpenHot(t)
			batch := first(s, c)
			added, err := s.Intake.AddEvents(t.Context(), batch)
			require.NoError(t, err)
			seen := storetest.ReadCell[int64](t, s, `SELECT sum(times_seen)::bigint FROM issues`)
			for range 2 {
				again, err := s.Intake.AddEvents(t.Context(), batch)
				require.NoError(t, err)
				require.Equal(t, added, again, "the first answer again")
				s.Intake.Forget()
			}
			require.Equal(t, seen, storetest.ReadCell[int64](t, s, `SELECT sum(times_seen)::bigint FROM issues`))
			require.Equal(t, seen, storetest.ReadCell[int64](t, s, `SELECT sum(events)::bigint FROM project_hours`))

			afresh, err := s.Intake.AddEvents(t.Context(), []intake.NewEvent{storetest.MakeShopEvent("after", 1, c.At(0))})
			require.NoError(t, err)
			require.False(t, afresh[0].Duplicate)
		})
	}
}

func TestBatchThatFailedIsAddedByTheNextTry(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.MakeIssue(t, s, "pay")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	batch := []intake.NewEvent{storetest.MakeShopEvent("pay", 2, c.At(0)), storetest.MakeShopEvent("pay", 3, c.At(0))}
	_, err := s.Intake.AddEvents(cancelled, batch)
	require.Error(t, err)
	require.EqualValues(t, 1, storetest.ReadIssue(t, s, id).TimesSeen)
	added, err := s.Intake.AddEvents(t.Context(), batch)
	require.NoError(t, err)
	require.False(t, added[0].Duplicate || added[1].Duplicate)
	require.EqualValues(t, 3, storetest.ReadIssue(t, s, id).TimesSeen)
}

func TestBatchThatWaitedForTheDatabase(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	away := storetest.Open(t, storetest.AwayURL, c.Tell)
	batch := []intake.NewEvent{storetest.MakeShopEvent("pay", 1, c.At(0))}
	_, err := away.Intake.AddEvents(t.Context(), batch)
	storetest.RequireCode(t, core.Unavailable, err)
	added, err := s.Intake.AddEvents(t.Context(), batch)
	require.NoError(t, err)
	require.Equal(t, 1, len(slices.Compact(storetest.ListStoredIDs(t, s, added[0].IssueID))))
}
