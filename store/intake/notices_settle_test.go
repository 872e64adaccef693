package intake_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

func TestNoticeClassesAreTheBoundsOfStatements(t *testing.T) {
	t.Parallel()
	list := strings.Join(strings.Fields(fmt.Sprint(intake.NoticeClasses)), ",")
	require.Equal(t, "'{"+strings.Trim(list, "[]")+"}'::bigint[]", intake.NoticeBounds)
}

func readClass(t *testing.T, s *store.Store) int {
	t.Helper()
	return storetest.ReadCell[int](t, s, `SELECT notices_class FROM issues`)
}

// Inside one step of listed_from an issue keeps its class: a change would write to every index.
func TestABurstKeepsTheClassOfNoticesUntilItIsOver(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	add := func(n int, ago time.Duration) {
		storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", n, c.At(-ago)))
	}
	add(1, 0)
	require.Equal(t, 1, readClass(t, s))
	c.Forward(time.Minute)
	add(2, 0)
	add(3, 0)
	require.Equal(t, 1, readClass(t, s))
	require.NoError(t, s.Intake.SettleNotices(t.Context()))
	require.Equal(t, 1, readClass(t, s), "the burst is not over")
	c.Forward(20 * time.Minute)
	require.NoError(t, s.Intake.SettleNotices(t.Context()))
	require.Equal(t, 3, readClass(t, s))
	c.Forward(time.Hour)
	add(4, 90*time.Minute)
	require.Equal(t, 4, readClass(t, s), "a late event of an issue that is settled")
	for n := range 4 {
		add(5+n, 0)
	}
	require.Equal(t, 4, readClass(t, s), "the first of them began a step; of the last one, the eighth, the class is 5")
}
