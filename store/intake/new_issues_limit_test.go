package intake_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/intake"
	"errand/store/storetest"
)

// TestNewIssuesOfAnHourAreLimited holds that a batch makes all of its issues or none, on both ways, and counts no event of a refused one.
func TestNewIssuesOfAnHourAreLimited(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	storetest.SaveSettings(t, s, map[string]string{"NEW_ISSUES_PER_HOUR": "3"})
	event := func(group string, n int) intake.NewEvent { return storetest.MakeShopEvent(group, n, c.At(0)) }
	storetest.AddEvents(t, s, event("a", 1), event("b", 1), event("a", 2))
	for range 2 {
		_, err := s.Intake.AddEvents(t.Context(), []intake.NewEvent{event("a", 3), event("c", 1), event("d", 1)})
		storetest.RequireCode(t, core.TooManyIssues, err)
		require.EqualValues(t, 3, storetest.ReadCell[int64](t, s, `SELECT sum(events)::bigint FROM project_hours`), "none of them is added")
		s.Intake.Forget() // the long way
	}
	storetest.AddEvents(t, s, event("c", 1), event("a", 3))
	storetest.AddEvents(t, s, event("c", 1), event("c", 2)) // the long way, which makes no issue
	first := event("a", 1)
	hour := first.HourOf()
	counts, err := s.Intake.CountNewIssues(t.Context(), []intake.ProjectHour{hour, {ProjectID: 1, Hour: hour.Hour}})
	require.NoError(t, err)
	require.Equal(t, []int64{3, 0}, counts)
	grouped, err := s.Intake.FindGrouped(t.Context(), []intake.NewEvent{event("d", 1), event("a", 9), event("d", 2)})
	require.NoError(t, err)
	require.Equal(t, []bool{false, true, false}, grouped)
	state, err := s.ReadIngestState(t.Context(), storetest.Shop)
	require.NoError(t, err)
	require.True(t, state.TooManyIssues)

	_, err = s.Intake.AddEvents(t.Context(), []intake.NewEvent{event("d", 1)})
	storetest.RequireCode(t, core.TooManyIssues, err)
	storetest.SaveSettings(t, s, map[string]string{"NEW_ISSUES_PER_HOUR": "0"})
	storetest.AddEvents(t, s, event("d", 1))
	storetest.SaveSettings(t, s, map[string]string{"NEW_ISSUES_PER_HOUR": "3"})
	c.Forward(time.Hour)
	storetest.AddEvents(t, s, event("e", 1), event("f", 1), event("g", 1))
	c.Forward(time.Hour)
	state, err = s.ReadIngestState(t.Context(), 0)
	require.NoError(t, err)
	require.False(t, state.TooManyIssues, "in the next hour")
}

// TestServersLimitNewIssuesTogether lets two servers make issues at the same moment.
func TestServersLimitNewIssuesTogether(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	for _, s := range pair {
		storetest.SaveSettings(t, s, map[string]string{"NEW_ISSUES_PER_HOUR": "10"})
	}
	outcomes := make(chan error, 40)
	for n := range 40 {
		go func() {
			event := storetest.MakeShopEvent(fmt.Sprint("group", n), 1, c.At(0))
			_, err := pair[n%2].Intake.AddEvents(t.Context(), []intake.NewEvent{event})
			outcomes <- err
		}()
	}
	made := 0
	for range 40 {
		if err := <-outcomes; err == nil {
			made++
		} else {
			storetest.RequireCode(t, core.TooManyIssues, err)
		}
	}
	require.Equal(t, 10, made)
	require.EqualValues(t, 10, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM issues`))
	require.EqualValues(t, 10, storetest.ReadCell[int64](t, pair[0], `SELECT new_issues::bigint FROM project_hours`))
}
