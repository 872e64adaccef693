package ingest

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/core"
)

// hostOf is the sender of a project at the n-th address.
func hostOf(project int64, n byte) sender {
	return sender{project, netip.AddrFrom4([4]byte{10, 0, 0, n})}
}

// orderOfTurns makes the senders wait behind a running turn, and returns them in the order of their turns. Each turn lasts takes.
func orderOfTurns(t *testing.T, turns *turns, takes time.Duration, senders ...sender) (got []sender) {
	t.Helper()
	end, err := turns.takeTurn(t.Context(), sender{project: -1})
	require.NoError(t, err)
	for _, of := range senders {
		go func() {
			end, err := turns.takeTurn(context.Background(), of)
			if !assert.NoError(t, err) {
				return
			}
			got = append(got, of)
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
		turns := newTurns(1, true)
		a, b, c, d := hostOf(1, 1), hostOf(1, 2), hostOf(2, 3), hostOf(3, 4)
		require.Equal(t, []sender{a, c, d, b, c, a}, orderOfTurns(t, turns, time.Second, a, a, b, c, c, d), "by project, in it by address")
		require.Equal(t, 1, turns.free)
	})
}

func TestWhoeverTookLongWaitsBehindOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns, slow, quick := newTurns(1, true), hostOf(1, 1), hostOf(2, 2)
		end, err := turns.takeTurn(t.Context(), slow)
		require.NoError(t, err)
		time.Sleep(3 * time.Second)
		end()
		require.Equal(t, []sender{quick, quick, quick, slow, slow}, orderOfTurns(t, turns, time.Millisecond, slow, slow, quick, quick, quick))
		time.Sleep(30 * halfForgotten)
		require.Equal(t, []sender{slow, quick}, orderOfTurns(t, turns, time.Millisecond, slow, quick), "that is forgotten")
		turns.chargeTooLarge(slow, true)
		require.Equal(t, []sender{quick, slow}, orderOfTurns(t, turns, time.Millisecond, slow, quick), "what is refused counts too")
	})
}

func TestWhoeverGivesUpKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(1, true)
		end, err := turns.takeTurn(t.Context(), hostOf(1, 1))
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = turns.takeTurn(ctx, hostOf(2, 2))
		require.True(t, core.HasCode(err, core.Unavailable))
		require.ErrorContains(t, err, "the server is busy")
		end()
		end, err = turns.takeTurn(t.Context(), hostOf(3, 3))
		require.NoError(t, err)
		end()
		require.Equal(t, 1, turns.free)
		require.Empty(t, turns.waiting)
	})
}

func TestSendersThatAreRememberedAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns, kept := newTurns(1, true), hostOf(1, 1)
		for n := range 3 * maxSenders {
			turns.chargeTooLarge(sender{1, netip.AddrFrom4([4]byte{11, 0, byte(n >> 8), byte(n)})}, true)
			turns.chargeTooLarge(kept, true)
		}
		require.Equal(t, maxSenders, turns.usedOfSenders.Len())
		used, _ := turns.usedOfSenders.Peek(kept)
		require.Positive(t, used.spent, "whoever goes on is not forgotten")
	})
}

// Headers that only promise a body cost the sender its place within its project, and cost the project nothing.
func TestBodiesThatWereNotReadAreTheSendersAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns, hostile, fellow, other := newTurns(1, true), hostOf(1, 1), hostOf(1, 2), hostOf(2, 3)
		for range 100 {
			turns.chargeTooLarge(hostile, false)
		}
		require.Equal(t, []sender{fellow, other, hostile}, orderOfTurns(t, turns, time.Millisecond*10, hostile, fellow, other))
	})
}

func TestWhatASenderHasUsedIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns, hostile := newTurns(1, true), hostOf(1, 1)
		for range 10_000 {
			turns.chargeTooLarge(hostile, true)
		}
		time.Sleep(20 * halfForgotten)
		require.Less(t, turns.usedOfProjects[1].leftAt(time.Now()), time.Millisecond, "it is forgotten in minutes, however much it was")
	})
}

// Several bodies are worked on at the same time. A project whose bodies take long leaves room for others.
func TestProjectsShareSeveralTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns, hostile, honest := newTurns(4, false), hostOf(1, 1), hostOf(2, 2)
		for range 400 {
			go func() {
				end, err := turns.takeTurn(t.Context(), hostile)
				if assert.NoError(t, err) {
					time.Sleep(100 * time.Millisecond)
					end()
				}
			}()
		}
		time.Sleep(150 * time.Millisecond)
		for range 20 {
			asked := time.Now()
			end, err := turns.takeTurn(t.Context(), honest)
			require.NoError(t, err)
			time.Sleep(time.Millisecond)
			end()
			require.LessOrEqual(t, time.Since(asked), 101*time.Millisecond, "it comes as soon as one ends")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, 4, turns.free)
		require.Empty(t, turns.waiting)
	})
}
