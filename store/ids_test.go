package store_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIDsRiseAndStartAtOne(t *testing.T) {
	t.Parallel()
	s, _ := openShop(t)
	next := int64(1)
	for _, n := range []int{1, 998, 2, 3000, 0, 500} { // over the ends of blocks, and more than a block
		ids, err := s.TakeEventIDs(t.Context(), n)
		require.NoError(t, err)
		require.Len(t, ids, n)
		for _, id := range ids {
			require.GreaterOrEqual(t, id, next)
			next = id + 1
		}
	}
	require.LessOrEqual(t, next, int64(6001), "few ids are lost")
	issue, err := s.TakeIssueID(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, issue, "each series has its own")
}

func TestIDsOfTwoServersNeverOverlap(t *testing.T) {
	t.Parallel()
	pair, _ := openPair(t)
	const takers, takes = 16, 40
	taken := make([][]int64, takers)
	noErrors(t, together(takers, func(i int) error {
		for n := range takes {
			ids, err := pair[i%2].TakeEventIDs(t.Context(), 1+(i*takes+n)%97)
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
		require.True(t, slices.IsSorted(mine), "one asker's ids rise")
	}
	require.Less(t, all[len(all)-1], int64(1)<<53)
}

func TestIDsGoOnAfterARestart(t *testing.T) {
	t.Parallel()
	pair, _ := openPair(t)
	before, err := pair[0].TakeEventIDs(t.Context(), 10)
	require.NoError(t, err)
	after, err := pair[1].TakeEventIDs(t.Context(), 10)
	require.NoError(t, err)
	require.Greater(t, after[0], before[9])
}
