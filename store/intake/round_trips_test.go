package intake_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// openCountedShop is storetest.OpenShop on a database whose traffic is counted.
func openCountedShop(t *testing.T) (*store.Store, *storetest.Clock, *storetest.Traffic) {
	t.Helper()
	databaseURL, passed := storetest.CountTraffic(t, storetest.NewURL(t))
	clock := storetest.NewClock()
	s := storetest.Open(t, databaseURL, clock.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	return s, clock, passed
}

// TestRoundTripsOfABatch checks that settings cost no round trip: a batch of known issues takes one, and the long way no more than before.
func TestRoundTripsOfABatch(t *testing.T) {
	t.Parallel()
	s, clock, passed := openCountedShop(t)
	add := func(n int) int64 {
		before := passed.Trips.Load()
		storetest.AddEvents(t, s, storetest.MakeShopEvent("boom", n, clock.At(time.Duration(n)*time.Second)))
		return passed.Trips.Load() - before
	}
	for n := range 6 { // makes the connections and prepares the statements
		add(n)
	}
	require.EqualValues(t, 1, add(7))
	require.EqualValues(t, 1, add(8))

	issue := storetest.ReadCell[int64](t, s, `SELECT id FROM issues`)
	ignore := store.IgnoreIssue{ID: issue, Term: core.IgnoreTerm{AfterEvents: 3}}
	_, err := s.CarryOut(t.Context(), core.NewBootstrapActor(), ignore)
	require.NoError(t, err)
	require.EqualValues(t, 1, add(9), "of an ignored issue with a term")
	require.EqualValues(t, 1, add(10))
	require.Greater(t, add(11), int64(1), "the return is a transaction after the batch")
	require.Equal(t, core.Unresolved, storetest.ReadIssue(t, s, issue).Status)
	require.EqualValues(t, 1, add(12))
}

// TestBatchOverTheLimitIsTriedOnce checks that a batch with too many new issues is refused by its first transaction: no retry can help.
func TestBatchOverTheLimitIsTriedOnce(t *testing.T) {
	t.Parallel()
	s, clock, passed := openCountedShop(t)
	storetest.SaveSettings(t, s, map[string]string{"NEW_ISSUES_PER_HOUR": "1"})
	storetest.AddEvents(t, s, storetest.MakeShopEvent("a", 1, clock.At(0)))
	refuse := func(group string) int64 {
		before := passed.Trips.Load()
		_, err := s.Intake.AddEvents(t.Context(), []intake.NewEvent{storetest.MakeShopEvent(group, 1, clock.At(0))})
		storetest.RequireCode(t, core.TooManyIssues, err)
		return passed.Trips.Load() - before
	}
	refuse("b") // prepares the statements
	refuse("c")
	require.LessOrEqual(t, refuse("d"), int64(5), "a look for the issue, preparing the failed statement again, and the batch")
}
