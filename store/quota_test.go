package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store"
)

func TestCountDays(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	today, hour := c.at(0), time.Hour
	add(t, s, event(shop, "pay", 1, today), event(shop, "pay", 1, today), event(shop, "pay", 2, c.at(11*hour)),
		event(shop, "pay", 3, c.at(-12*hour-30*time.Minute)), // 00:00 of the day
		event(shop, "pay", 4, c.at(-12*hour-31*time.Minute)), event(shop, "pay", 5, c.at(12*hour)), event(shop+1, "pay", 6, today))
	late := event(shop, "pay", 7, today)
	late.OccurredAt = c.at(-50 * hour) // it counts on the day on which it arrives
	add(t, s, late)
	day := late.DayOf()
	require.Equal(t, store.ProjectDay{ProjectID: shop, Day: noon.Truncate(24 * hour)}, day)

	before, after, other, unknown := day, day, day, day
	before.Day, after.Day = day.Day.AddDate(0, 0, -1), day.Day.AddDate(0, 0, 1)
	other.ProjectID, unknown.ProjectID = shop+1, shop+2
	got, err := s.CountDays(t.Context(), []store.ProjectDay{after, day, unknown, before, other, day})
	require.NoError(t, err)
	require.Equal(t, []int64{1, 4, 0, 1, 1, 4}, got, "in the order of the question")

	none, err := s.CountDays(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestFindStored(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	add(t, s, event(shop, "pay", 1, c.at(0)), event(shop, "log in", 2, c.at(0)))
	moved := event(shop, "pay", 1, c.at(time.Hour))
	moved.Fingerprint[0]++
	got, err := s.FindStored(t.Context(), []store.NewEvent{
		event(shop, "pay", 2, c.at(0)), event(shop, "log in", 2, c.at(0)), moved, event(shop+1, "pay", 1, c.at(0)), moved,
	})
	require.NoError(t, err)
	require.Equal(t, []bool{false, true, true, false, true}, got)

	none, err := s.FindStored(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
}
