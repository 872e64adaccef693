package store_test

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/grouping"
	"errand/store"
	"errand/store/storetest"
)

// readHours returns the events of an issue by the hours of its rows.
func readHours(t testing.TB, s *store.Store, issue int64) map[string]int64 {
	t.Helper()
	hours := map[string]int64{}
	for _, hour := range storetest.ReadColumn[time.Time](t, s, `SELECT hour FROM issue_hours WHERE issue_id = $1`, issue) {
		hours[hour.UTC().Format("01-02 15")] = storetest.ReadCell[int64](t, s, `
SELECT events FROM issue_hours WHERE issue_id = $1 AND hour = $2`, issue, hour)
	}
	return hours
}

// TestOldHoursAreFoldedIntoDays has an issue with events in several hours of an old day, a lone hour, and hours that are young.
func TestOldHoursAreFoldedIntoDays(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	noon := c.Now
	var issue int64
	add := func(n int) int64 {
		t.Helper()
		added := storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", n, c.At(0)))
		issue = added.IssueID
		return added.ID
	}
	var events []int64
	for n := range 4 { // two at noon, then one an hour
		events = append(events, add(n))
		if n > 0 {
			c.Forward(time.Hour)
		}
	}
	c.Now = noon.AddDate(0, 0, 1)
	add(4)
	c.Now = noon.AddDate(0, 0, 2)
	add(5)
	c.Forward(time.Hour)
	add(6)
	day := func(after int, hour string) string { return noon.AddDate(0, 0, after).UTC().Format("01-02 ") + hour }

	c.Now = noon.AddDate(0, 0, 32)
	before, err := s.ReadDays(t.Context(), issue)
	require.NoError(t, err)
	require.NoError(t, s.FoldHours(t.Context()))
	folded := map[string]int64{day(0, "00"): 4, day(1, "12"): 1, day(2, "12"): 1, day(2, "13"): 1}
	require.Equal(t, folded, readHours(t, s, issue), "the third day is the first whose hours are kept apart")
	after, err := s.ReadDays(t.Context(), issue)
	require.NoError(t, err)
	require.Equal(t, before, after)

	late := storetest.MakeShopEvent("pay", 7, c.At(0))
	late.OccurredAt = c.At(-32*24*time.Hour + 5*time.Hour)
	storetest.AddEvents(t, s, late)
	require.NoError(t, s.FoldHours(t.Context()))
	again := maps.Clone(folded)
	again[day(0, "00")] = 5
	require.Equal(t, again, readHours(t, s, issue), "a late event joins its day")

	split, err := s.SplitIssue(t.Context(), storetest.MakeActor(1), issue, events[:3], grouping.FindStoredType)
	require.NoError(t, err)
	again[day(0, "00")] = 2
	require.Equal(t, again, readHours(t, s, issue), "a split takes its events off the day")
	require.Equal(t, map[string]int64{day(0, "00"): 3}, readHours(t, s, split.ID))
}
