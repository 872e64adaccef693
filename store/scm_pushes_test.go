package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/fixes"
	"errand/store"
	"errand/store/storetest"
)

// makeChain returns steps that put a number of commits in order.
func makeChain(first, commits int) []fixes.Step {
	steps := make([]fixes.Step, commits)
	for i := range steps {
		steps[i] = fixes.Step{Commit: fmt.Sprintf("%040x", first+i+1), Before: fmt.Sprintf("%040x", first+i)}
	}
	return steps
}

func TestPushesAreKeptForAWhile(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	storetest.ChangeRows(t, s, `UPDATE projects SET repository = 'acme/shop'`)
	push := func(first, commits int) {
		d := store.RepositoryChange{Keys: []core.SCMKey{{Text: fmt.Sprint(first)}}, Repository: "acme/shop", Steps: makeChain(first, commits)}
		_, err := s.ReceiveReport(t.Context(), core.NewSystemActor("scm"), d)
		require.NoError(t, err)
	}
	count := func() int64 {
		require.NoError(t, s.DropReports(t.Context()))
		return storetest.ReadCell[int64](t, s, `SELECT count(*) FROM pushed_commits`)
	}
	for n := range 5 {
		push(1+n*2000, 2000)
		c.Forward(24 * time.Hour)
	}

	require.EqualValues(t, 10_000, count())
	push(10_001, 2000)
	require.EqualValues(t, 10_000, count())
	c.Forward(time.Hour)
	push(12_001, 1)
	require.EqualValues(t, 10_001, count(), "a push is deleted as a whole")
	c.Forward(90*24*time.Hour - time.Minute)
	require.EqualValues(t, 1, count())
	c.Forward(time.Minute)
	require.EqualValues(t, 1, count())
	c.Forward(time.Minute)
	require.Zero(t, count())
}
