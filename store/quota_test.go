package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
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

func TestDailyQuotaIsKept(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	limited := func(n int, quota int64) store.NewEvent {
		e := event(shop, "pay", n, c.at(0))
		e.DailyQuota = &quota
		return e
	}
	add(t, s, limited(1, 3), limited(2, 3))
	_, err := s.AddEvents(t.Context(), []store.NewEvent{limited(3, 3), limited(4, 3)})
	requireCode(t, core.Quota, err)
	s.Forget() // the long way
	_, err = s.AddEvents(t.Context(), []store.NewEvent{limited(3, 3), limited(4, 3)})
	requireCode(t, core.Quota, err)
	require.EqualValues(t, 2, cell[int64](t, s, `SELECT sum(events)::bigint FROM project_hours`), "nothing of them is added")
	require.EqualValues(t, 2, cell[int64](t, s, `SELECT count(*) FROM events`))

	add(t, s, limited(3, 3), limited(1, 3)) // the second counts nothing
	_, err = s.AddEvents(t.Context(), []store.NewEvent{limited(4, 3)})
	requireCode(t, core.Quota, err)
	add(t, s, limited(4, 3), limited(5, 5)) // the newest quota holds
	add(t, s, event(shop, "pay", 6, c.at(0)))
	tomorrow := limited(7, 1)
	tomorrow.ReceivedAt = c.at(24 * time.Hour)
	add(t, s, tomorrow)
	_, err = s.AddEvents(t.Context(), []store.NewEvent{limited(8, 6), event(shop+1, "pay", 1, c.at(0))})
	requireCode(t, core.Quota, err)
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
