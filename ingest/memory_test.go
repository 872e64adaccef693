package ingest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// mustWait reports whether a reservation has to wait for n more bytes. The wait is given up
// immediately.
func mustWait(t *testing.T, l *reservation, n int64) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := l.reserveMemory(ctx, n)
	if err != nil {
		require.True(t, core.HasCode(err, core.Unavailable))
	}
	return err != nil
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := newMemory(100, time.Minute)
	first, second := m.newReservation(sharedByAll), m.newReservation(sharedByAll)
	overdrawn, other := m.newReservation(sharedByAll), m.newReservation(sharedByAll)
	require.NoError(t, first.reserveMemory(t.Context(), 60))
	require.NoError(t, second.reserveMemory(t.Context(), 40))
	require.NoError(t, overdrawn.reserveMemory(t.Context(), 1000), "one may grow beyond")
	require.NoError(t, overdrawn.reserveMemory(t.Context(), 1000))
	require.True(t, mustWait(t, other, 1))
	require.True(t, mustWait(t, first, 1), "also those that hold some")

	second.keepOnly(30)
	require.False(t, mustWait(t, other, 10))
	require.True(t, mustWait(t, other, 1))
	overdrawn.keepOnly(0)
	require.False(t, mustWait(t, other, 50), "it is the one that is overdrawn now")
	for _, l := range []*reservation{first, second, overdrawn, other} {
		l.keepOnly(0)
	}
	require.EqualValues(t, 100, m.free)
	require.Nil(t, m.overdrawn)
	require.Zero(t, m.demandsWaiting)
}

func TestMemoryIsGivenInTheOrderOfAsking(t *testing.T) {
	t.Parallel()
	m := newMemory(10, time.Minute)
	holder, overdrawn := m.newReservation(sharedByAll), m.newReservation(sharedByAll)
	require.NoError(t, holder.reserveMemory(t.Context(), 10))
	require.NoError(t, overdrawn.reserveMemory(t.Context(), 1))

	granted := make(chan int, 3)
	var waiting sync.WaitGroup
	shares := []*reservation{m.newReservation(sharedByAll), m.newReservation(sharedByAll), m.newReservation(sharedByAll)}
	for n, l := range shares {
		waiting.Go(func() {
			require.NoError(t, l.reserveMemory(t.Context(), 4))
			granted <- n
		})
		require.Eventually(t, func() bool {
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.demandsWaiting == n+1
		}, 10*time.Second, time.Microsecond)
	}
	require.True(t, mustWait(t, m.newReservation(sharedByAll), 1), "nobody overtakes")
	holder.keepOnly(6)
	require.Equal(t, 0, <-granted)
	holder.keepOnly(0)
	require.Equal(t, 1, <-granted)
	overdrawn.keepOnly(0)
	require.Equal(t, 2, <-granted, "as the one that is overdrawn")
	waiting.Wait()
	for _, l := range shares {
		l.keepOnly(0)
	}
	require.EqualValues(t, 10, m.free)
}

// A request that gives up makes room for the next one, which may need less.
func TestMemoryGoesOnWhenTheFirstGivesUp(t *testing.T) {
	t.Parallel()
	m := newMemory(10, time.Minute)
	holder, overdrawn := m.newReservation(sharedByAll), m.newReservation(sharedByAll)
	require.NoError(t, holder.reserveMemory(t.Context(), 8))
	require.NoError(t, overdrawn.reserveMemory(t.Context(), 9))
	ctx, giveUp := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	waiting.Go(func() { require.Error(t, m.newReservation(sharedByAll).reserveMemory(ctx, 5)) })
	require.Eventually(t, func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.demandsWaiting == 1 }, 10*time.Second, time.Microsecond)
	small := m.newReservation(sharedByAll)
	waiting.Go(func() { require.NoError(t, small.reserveMemory(t.Context(), 2)) })
	require.Eventually(t, func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.demandsWaiting == 2 }, 10*time.Second, time.Microsecond)
	giveUp()

	waiting.Wait()

	require.EqualValues(t, 2, small.bytes)
}

func TestNoProjectHoldsAllOfTheMemory(t *testing.T) {
	t.Parallel()
	m := newMemory(100, time.Minute)
	first, second, third := m.newReservation(1), m.newReservation(2), m.newReservation(3)
	overdrawn := m.newReservation(1)
	require.NoError(t, first.reserveMemory(t.Context(), 50))
	require.NoError(t, overdrawn.reserveMemory(t.Context(), 100), "the one that may grow beyond")
	require.True(t, mustWait(t, first, 1), "it has its half")
	require.NoError(t, second.reserveMemory(t.Context(), 25))
	require.True(t, mustWait(t, second, 1))
	require.NoError(t, third.reserveMemory(t.Context(), 12))
	require.True(t, mustWait(t, m.newReservation(ofUnknownSenders), 10), "those who are not known share one part")
	require.False(t, mustWait(t, m.newReservation(ofUnknownSenders), 6))

	for _, l := range []*reservation{first, second, third, overdrawn} {
		l.keepOnly(0)
	}
	require.Len(t, m.reserved, 1)
}

// The project that holds least comes first among waiting requests, even if another one asked
// before.
func TestMemoryGoesToWhoeverHoldsLeast(t *testing.T) {
	t.Parallel()
	m := newMemory(100, time.Minute)
	large, overdrawn, other := m.newReservation(1), m.newReservation(1), m.newReservation(3)
	require.NoError(t, large.reserveMemory(t.Context(), 50))
	require.NoError(t, overdrawn.reserveMemory(t.Context(), 1))
	require.NoError(t, other.reserveMemory(t.Context(), 25))
	granted := make(chan string, 2)
	var waiting sync.WaitGroup
	ask := func(name string, of, n int64) {
		waiting.Go(func() {
			require.NoError(t, m.newReservation(of).reserveMemory(t.Context(), n))
			granted <- name
		})
	}
	waits := func(n int) func() bool {
		return func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.demandsWaiting == n }
	}
	ask("the first", 1, 25)
	require.Eventually(t, waits(1), 10*time.Second, time.Microsecond)
	ask("the second", 2, 30)
	require.Eventually(t, waits(2), 10*time.Second, time.Microsecond)
	large.keepOnly(10)
	require.Equal(t, "the second", <-granted)
	require.True(t, waits(1)())

	overdrawn.keepOnly(0)
	require.Equal(t, "the first", <-granted)

	waiting.Wait()
}

func TestMemoryIsCountedForTheProjectOnceItIsKnown(t *testing.T) {
	t.Parallel()
	m := newMemory(100, time.Minute)
	l := m.newReservation(ofUnknownSenders)
	require.NoError(t, l.reserveMemory(t.Context(), 30))
	l.countFor(7)
	require.Equal(t, map[int64]int64{7: 30}, m.reserved)
	require.EqualValues(t, 70, m.free)

	l.keepOnly(0)
	require.Empty(t, m.reserved)
	require.EqualValues(t, 100, m.free)
}

func TestMemoryEndsTheWait(t *testing.T) {
	t.Parallel()
	m := newMemory(1, time.Millisecond)
	require.NoError(t, m.newReservation(sharedByAll).reserveMemory(t.Context(), 1))
	require.NoError(t, m.newReservation(sharedByAll).reserveMemory(t.Context(), 1))

	require.True(t, core.HasCode(m.newReservation(sharedByAll).reserveMemory(t.Context(), 1), core.Unavailable))
}
