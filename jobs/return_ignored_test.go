package jobs_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

func TestIgnoredIssueReturnsByTheJob(t *testing.T) {
	t.Parallel()
	url := storetest.NewURL(t)
	past := storetest.Open(t, url, func() time.Time { return time.Now().Add(-2 * time.Hour) })
	storetest.MakeProject(t, past, storetest.Shop, "Shop")
	due, later := storetest.MakeIssue(t, past, "pay"), storetest.MakeIssue(t, past, "cart")
	for id, until := range map[int64]core.Deadline{due: "1h", later: "3h"} {
		_, err := past.CarryOut(t.Context(), core.NewBootstrapActor(), store.IgnoreIssue{ID: id, Term: core.IgnoreTerm{Until: until}})
		require.NoError(t, err)
	}
	startQueue(t, url)
	s := storetest.Open(t, url, time.Now)
	require.Eventually(t, func() bool { return storetest.ReadIssue(t, s, due).Status == core.Unresolved }, atMost, often)
	require.Equal(t, core.Ignored, storetest.ReadIssue(t, s, later).Status)
}
