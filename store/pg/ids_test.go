package pg_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store/pg"
	"errand/store/storetest"
)

// openDB opens the database as a server does.
func openDB(t *testing.T, url string) *pg.DB {
	t.Helper()
	db, err := pg.Open(t.Context(), pg.Options{URL: url, Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

func TestIDsRiseAndStartAtOne(t *testing.T) {
	t.Parallel()
	db := openDB(t, storetest.NewURL(t))
	next := int64(1)
	for _, n := range []int{1, 998, 2, 3000, 0, 500} { // across the ends of blocks, and more than a block
		ids, err := db.IDs.TakeMany(t.Context(), "events", n)
		require.NoError(t, err)
		require.Len(t, ids, n)
		for _, id := range ids {
			require.GreaterOrEqual(t, id, next)
			next = id + 1
		}
	}
	require.LessOrEqual(t, next, int64(6001), "few ids are lost")
	issue, err := db.IDs.TakeOne(t.Context(), "issues")
	require.NoError(t, err)
	require.EqualValues(t, 1, issue, "each series has its own")
}

func TestIDsOfTwoServersNeverOverlap(t *testing.T) {
	t.Parallel()
	url := storetest.NewURL(t)
	pair := [2]*pg.DB{openDB(t, url), openDB(t, url)}
	const takers, takes = 16, 40
	taken := make([][]int64, takers)
	storetest.RequireNoErrors(t, storetest.RunTogether(takers, func(i int) error {
		for n := range takes {
			ids, err := pair[i%2].IDs.TakeMany(t.Context(), "events", 1+(i*takes+n)%97)
			if err != nil {
				return err
			}
			taken[i] = append(taken[i], ids...)
		}
		return nil
	}))
	all := slices.Concat(taken...)
	slices.Sort(all)
	require.Len(t, slices.Compact(slices.Clone(all)), len(all))
	for _, mine := range taken {
		require.True(t, slices.IsSorted(mine), "the ids of one caller rise")
	}
	require.Less(t, all[len(all)-1], int64(1)<<53)
}

func TestIDsGoOnAfterARestart(t *testing.T) {
	t.Parallel()
	url := storetest.NewURL(t)
	pair := [2]*pg.DB{openDB(t, url), openDB(t, url)}
	before, err := pair[0].IDs.TakeMany(t.Context(), "events", 10)
	require.NoError(t, err)
	after, err := pair[1].IDs.TakeMany(t.Context(), "events", 10)
	require.NoError(t, err)
	require.Greater(t, after[0], before[9])
}
