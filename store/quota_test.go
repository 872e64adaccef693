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
	const office = shop + 1
	makeProject(t, s, office, "Office")
	midnight := c.at(11*time.Hour + 30*time.Minute)
	before := c.at(11*time.Hour + 30*time.Minute - time.Millisecond)
	add(t, s, event(shop, "pay", 1, before), event(shop, "pay", 2, before), event(shop, "pay", 3, midnight), event(office, "pay", 1, midnight))
	add(t, s, event(shop, "pay", 1, before)) // a duplicate
	today, tomorrow := noon.Truncate(24*time.Hour), midnight.Time

	counts, err := s.CountDays(t.Context(), []store.ProjectDay{
		{ProjectID: shop, Day: tomorrow}, {ProjectID: shop, Day: today}, {ProjectID: office, Day: today}, {ProjectID: office, Day: tomorrow},
		{ProjectID: 1, Day: today}, {ProjectID: shop, Day: today},
	})
	require.NoError(t, err)
	require.Equal(t, []int64{1, 2, 0, 1, 0, 2}, counts)
	counts, err = s.CountDays(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, counts)

	e := event(shop, "pay", 4, before)
	require.Equal(t, store.ProjectDay{ProjectID: shop, Day: today}, e.DayOf())
	e.ReceivedAt = midnight
	require.Equal(t, store.ProjectDay{ProjectID: shop, Day: tomorrow}, e.DayOf(), "the day of its arrival")
}

func TestFindStored(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	const office = shop + 1
	makeProject(t, s, office, "Office")
	first, second, elsewhere := event(shop, "pay", 1, c.at(0)), event(shop, "pay", 2, c.at(0)), event(office, "pay", 1, c.at(0))
	add(t, s, first)
	stored, err := s.FindStored(t.Context(), []store.NewEvent{second, first, elsewhere, first})
	require.NoError(t, err)
	require.Equal(t, []bool{false, true, false, true}, stored)
}
