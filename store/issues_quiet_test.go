package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

func TestMarkQuiet(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	old, young := storetest.MakeIssue(t, s, "old"), int64(0)
	c.Forward(time.Hour)
	young = storetest.MakeIssue(t, s, "young")
	quiet := func() []int64 { return storetest.ReadColumn[int64](t, s, `SELECT id FROM issues WHERE quiet`) }

	c.Forward(22 * time.Hour)
	require.NoError(t, s.MarkQuiet(t.Context()))
	require.Empty(t, quiet(), "both had an event in the last day")
	c.Forward(90 * time.Minute)
	require.NoError(t, s.MarkQuiet(t.Context()))
	require.Equal(t, []int64{old}, quiet())
	c.Forward(time.Hour)
	require.NoError(t, s.MarkQuiet(t.Context()))
	require.ElementsMatch(t, []int64{old, young}, quiet())

	again := storetest.MakeShopEvent("old", 9, c.At(0))
	require.Equal(t, old, storetest.AddEvents(t, s, again).IssueID)
	require.Equal(t, []int64{young}, quiet(), "its next event removes the mark")
}

// TestCountingIsHeapOnly checks what makes counting cheap: an event of an issue that had one in the same five minutes changes no index.
func TestCountingIsHeapOnly(t *testing.T) {
	t.Parallel()
	c, url := storetest.NewClock(), storetest.NewURL(t)
	s, reader := storetest.Open(t, url, c.Tell), storetest.Open(t, url, c.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	for n := range 20 {
		e := storetest.MakeShopEvent("pay", n, c.At(0))
		e.User = storetest.HashUser(n)
		storetest.AddEvents(t, s, e)
		c.Forward(14 * time.Second)
	}
	s.Close() // its connections report their statistics when they end
	require.Eventually(t, func() bool {
		// an update in a full page goes to another page
		return storetest.ReadCell[int](t, reader, `SELECT pg_stat_get_tuples_hot_updated('issues'::regclass)::int`) >= 10
	}, 30*time.Second, 10*time.Millisecond)
}
