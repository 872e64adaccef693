package intake_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/intake"
	"errand/store/storetest"
)

func TestCountDays(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	const office = storetest.Shop + 1
	storetest.MakeProject(t, s, office, "Office")
	midnight := c.At(11*time.Hour + 30*time.Minute)
	before := c.At(11*time.Hour + 30*time.Minute - time.Millisecond)
	storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 1, before), storetest.MakeShopEvent("pay", 2, before),
		storetest.MakeShopEvent("pay", 3, midnight), storetest.MakeEvent(office, "pay", 1, midnight))
	storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 1, before)) // a duplicate
	today, tomorrow := storetest.Noon.Truncate(24*time.Hour), midnight.Time

	counts, err := s.Intake.CountDays(t.Context(), []intake.ProjectDay{
		{ProjectID: storetest.Shop, Day: tomorrow}, {ProjectID: storetest.Shop, Day: today}, {ProjectID: office, Day: today},
		{ProjectID: office, Day: tomorrow},
		{ProjectID: 1, Day: today}, {ProjectID: storetest.Shop, Day: today},
	})
	require.NoError(t, err)
	require.Equal(t, []int64{1, 2, 0, 1, 0, 2}, counts)
	counts, err = s.Intake.CountDays(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, counts)

	e := storetest.MakeShopEvent("pay", 4, before)
	require.Equal(t, intake.ProjectDay{ProjectID: storetest.Shop, Day: today}, e.DayOf())
	e.ReceivedAt = midnight
	require.Equal(t, intake.ProjectDay{ProjectID: storetest.Shop, Day: tomorrow}, e.DayOf(), "the day of its arrival")
}

func TestDailyQuotaIsKept(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	limited := func(n int, quota int64) intake.NewEvent {
		e := storetest.MakeShopEvent("pay", n, c.At(0))
		e.DailyQuota = &quota
		return e
	}
	storetest.AddEvents(t, s, limited(1, 3), limited(2, 3))
	_, err := s.Intake.AddEvents(t.Context(), []intake.NewEvent{limited(3, 3), limited(4, 3)})
	storetest.RequireCode(t, core.Quota, err)
	s.Intake.Forget() // the long way
	_, err = s.Intake.AddEvents(t.Context(), []intake.NewEvent{limited(3, 3), limited(4, 3)})
	storetest.RequireCode(t, core.Quota, err)
	require.EqualValues(t, 2, storetest.ReadCell[int64](t, s, `SELECT sum(events)::bigint FROM project_hours`), "none of them is added")
	require.EqualValues(t, 2, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM events`))

	storetest.AddEvents(t, s, limited(3, 3), limited(1, 3)) // the second one does not count
	_, err = s.Intake.AddEvents(t.Context(), []intake.NewEvent{limited(4, 3)})
	storetest.RequireCode(t, core.Quota, err)
	storetest.AddEvents(t, s, limited(4, 3), limited(5, 5)) // the quota of the newest event applies
	storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 6, c.At(0)))
	tomorrow := limited(7, 1)
	tomorrow.ReceivedAt = c.At(24 * time.Hour)
	storetest.AddEvents(t, s, tomorrow)
	_, err = s.Intake.AddEvents(t.Context(), []intake.NewEvent{limited(8, 6), storetest.MakeEvent(storetest.Shop+1, "pay", 1, c.At(0))})
	storetest.RequireCode(t, core.Quota, err)
}

func TestFindStored(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	const office = storetest.Shop + 1
	storetest.MakeProject(t, s, office, "Office")
	first, second, elsewhere := storetest.MakeShopEvent("pay", 1, c.At(0)), storetest.MakeShopEvent("pay", 2, c.At(0)),
		storetest.MakeEvent(office, "pay", 1, c.At(0))
	storetest.AddEvents(t, s, first)
	stored, err := s.Intake.FindStored(t.Context(), []intake.NewEvent{second, first, elsewhere, first})
	require.NoError(t, err)
	require.Equal(t, []bool{false, true, false, true}, stored)
}
