package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store/storetest"
)

func TestMarkQuiet(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	old, young := makeIssue(t, s, "old"), int64(0)
	c.forward(time.Hour)
	young = makeIssue(t, s, "young")
	quiet := func() []int64 { return column[int64](t, s, `SELECT id FROM issues WHERE quiet`) }

	c.forward(22 * time.Hour)
	require.NoError(t, s.MarkQuiet(t.Context()))
	require.Empty(t, quiet(), "both had an event in the last day")
	c.forward(90 * time.Minute)
	require.NoError(t, s.MarkQuiet(t.Context()))
	require.Equal(t, []int64{old}, quiet())
	c.forward(time.Hour)
	require.NoError(t, s.MarkQuiet(t.Context()))
	require.ElementsMatch(t, []int64{old, young}, quiet())

	again := event(shop, "old", 9, c.at(0))
	require.Equal(t, old, add(t, s, again).IssueID)
	require.Equal(t, []int64{young}, quiet(), "its next event takes the mark off")
}

// TestCountingIsHeapOnly holds what makes counting cheap: an event of an issue that had one in the same five minutes changes
// no index.
func TestCountingIsHeapOnly(t *testing.T) {
	t.Parallel()
	c, url := &clock{noon}, storetest.URL(t)
	s, reader := storetest.Open(t, url, c.tell), storetest.Open(t, url, c.tell)
	makeProject(t, s, shop, "Shop")
	for n := range 20 {
		e := event(shop, "pay", n, c.at(0))
		e.User = user(n)
		add(t, s, e)
		c.forward(14 * time.Second)
	}
	s.Close() // its connections tell what they have done
	require.Eventually(t, func() bool {
		return cell[int](t, reader, `SELECT pg_stat_get_tuples_hot_updated('issues'::regclass)::int`) >= 10 // a full page takes one elsewhere
	}, 30*time.Second, 10*time.Millisecond)
}
