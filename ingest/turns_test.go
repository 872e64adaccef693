package ingest

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// order has the senders wait behind a turn that goes on, and tells in which order theirs come. Each takes so long.
func order(t *testing.T, turns *turns, takes time.Duration, senders ...sender) (got []string) {
	t.Helper()
	end, err := turns.take(t.Context(), sender{project: -1})
	require.NoError(t, err)
	for _, of := range senders {
		go func() {
			end, err := turns.take(context.Background(), of)
			require.NoError(t, err)
			got = append(got, of.address)
			time.Sleep(takes)
			end()
		}()
		synctest.Wait()
	}
	end()
	time.Sleep(takes * time.Duration(len(senders)))
	synctest.Wait()
	return got
}

func TestProjectsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		got := order(t, turns, time.Second, sender{1, "a"}, sender{1, "a"}, sender{1, "b"}, sender{2, "c"}, sender{2, "c"}, sender{3, "d"})
		require.Equal(t, []string{"a", "c", "d", "b", "c", "a"}, got, "by project, in it by address")
		require.False(t, turns.busy)
	})
}

func TestWhoeverTookLongWaitsBehindOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns, slow, quick := newTurns(), sender{1, "slow"}, sender{2, "quick"}
		end, err := turns.take(t.Context(), slow)
		require.NoError(t, err)
		time.Sleep(3 * time.Second)
		end()
		require.Equal(t, []string{"quick", "quick", "quick", "slow", "slow"}, order(t, turns, time.Millisecond, slow, slow, quick, quick, quick))
		time.Sleep(30 * halfForgotten)
		require.Equal(t, []string{"slow", "quick"}, order(t, turns, time.Millisecond, slow, quick), "that is forgotten")
		turns.refused(slow)
		require.Equal(t, []string{"quick", "slow"}, order(t, turns, time.Millisecond, slow, quick), "what is refused counts too")
	})
}

func TestWhoeverGivesUpKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		end, err := turns.take(t.Context(), sender{1, "a"})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = turns.take(ctx, sender{2, "b"})
		require.True(t, core.HasCode(err, core.Unavailable))
		require.ErrorContains(t, err, "the server is busy")
		end()
		end, err = turns.take(t.Context(), sender{3, "c"})
		require.NoError(t, err)
		end()
		require.False(t, turns.busy)
		require.Empty(t, turns.waiting)
	})
}

func TestSendersThatAreRememberedAreBounded(t *testing.T) {
	t.Parallel()
	turns := newTurns()
	for n := range 3 * maxSenders {
		turns.refused(sender{1, strconv.Itoa(n)})
	}
	require.LessOrEqual(t, len(turns.used), maxSenders+1)
	require.Positive(t, turns.used[sender{project: 1}].spent)
}
