package ingest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// waits reports whether a share waits for n bytes: it gives up at once.
func waits(t *testing.T, l *share, n int64) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := l.grow(ctx, n)
	if err != nil {
		require.True(t, core.HasCode(err, core.Unavailable))
	}
	return err != nil
}

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := newMemory(100, time.Minute)
	first, second, elder, other := m.newShare(everybody), m.newShare(everybody), m.newShare(everybody), m.newShare(everybody)
	require.NoError(t, first.grow(t.Context(), 60))
	require.NoError(t, second.grow(t.Context(), 40))
	require.NoError(t, elder.grow(t.Context(), 1000), "one may grow beyond")
	require.NoError(t, elder.grow(t.Context(), 1000))
	require.True(t, waits(t, other, 1))
	require.True(t, waits(t, first, 1), "also those that hold some")

	second.keep(30)
	require.False(t, waits(t, other, 10))
	require.True(t, waits(t, other, 1))
	elder.keep(0)
	require.False(t, waits(t, other, 50), "it is the elder now")
	for _, l := range []*share{first, second, elder, other} {
		l.keep(0)
	}
	require.EqualValues(t, 100, m.free)
	require.Nil(t, m.elder)
	require.Zero(t, m.waiting)
}

func TestMemoryIsGivenInTheOrderOfAsking(t *testing.T) {
	t.Parallel()
	m := newMemory(10, time.Minute)
	holder, elder := m.newShare(everybody), m.newShare(everybody)
	require.NoError(t, holder.grow(t.Context(), 10))
	require.NoError(t, elder.grow(t.Context(), 1))

	granted := make(chan int, 3)
	var waiting sync.WaitGroup
	shares := []*share{m.newShare(everybody), m.newShare(everybody), m.newShare(everybody)}
	for n, l := range shares {
		waiting.Go(func() {
			require.NoError(t, l.grow(t.Context(), 4))
			granted <- n
		})
		require.Eventually(t, func() bool {
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.waiting == n+1
		}, 10*time.Second, time.Microsecond)
	}
	require.True(t, waits(t, m.newShare(everybody), 1), "nobody overtakes")
	holder.keep(6)
	require.Equal(t, 0, <-granted)
	holder.keep(0)
	require.Equal(t, 1, <-granted)
	elder.keep(0)
	require.Equal(t, 2, <-granted, "as the elder")
	waiting.Wait()
	for _, l := range shares {
		l.keep(0)
	}
	require.EqualValues(t, 10, m.free)
}

// One that gives up makes room for the next, who may need less.
func TestMemoryGoesOnWhenTheFirstGivesUp(t *testing.T) {
	t.Parallel()
	m := newMemory(10, time.Minute)
	holder, elder := m.newShare(everybody), m.newShare(everybody)
	require.NoError(t, holder.grow(t.Context(), 8))
	require.NoError(t, elder.grow(t.Context(), 9))
	ctx, giveUp := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	waiting.Go(func() { require.Error(t, m.newShare(everybody).grow(ctx, 5)) })
	require.Eventually(t, func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.waiting == 1 }, 10*time.Second, time.Microsecond)
	small := m.newShare(everybody)
	waiting.Go(func() { require.NoError(t, small.grow(t.Context(), 2)) })
	require.Eventually(t, func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.waiting == 2 }, 10*time.Second, time.Microsecond)
	giveUp()
	waiting.Wait()
	require.EqualValues(t, 2, small.held)
}

func TestNoProjectHoldsAllOfTheMemory(t *testing.T) {
	t.Parallel()
	m := newMemory(100, time.Minute)
	first, second, third := m.newShare(1), m.newShare(2), m.newShare(3)
	elder := m.newShare(1)
	require.NoError(t, first.grow(t.Context(), 50))
	require.NoError(t, elder.grow(t.Context(), 100), "the one that may grow beyond")
	require.True(t, waits(t, first, 1), "it has its half")
	require.NoError(t, second.grow(t.Context(), 25))
	require.True(t, waits(t, second, 1))
	require.NoError(t, third.grow(t.Context(), 12))
	require.True(t, waits(t, m.newShare(nobody), 10), "those who are not known share one part")
	require.False(t, waits(t, m.newShare(nobody), 6))
	for _, l := range []*share{first, second, third, elder} {
		l.keep(0)
	}
	require.Len(t, m.held, 1)
}

// Of those that wait the project that holds least comes first, whoever asked before.
func TestMemoryGoesToWhoeverHoldsLeast(t *testing.T) {
	t.Parallel()
	m := newMemory(100, time.Minute)
	large, elder, other := m.newShare(1), m.newShare(1), m.newShare(3)
	require.NoError(t, large.grow(t.Context(), 50))
	require.NoError(t, elder.grow(t.Context(), 1))
	require.NoError(t, other.grow(t.Context(), 25))
	granted := make(chan string, 2)
	var waiting sync.WaitGroup
	ask := func(name string, of, n int64) {
		waiting.Go(func() {
			require.NoError(t, m.newShare(of).grow(t.Context(), n))
			granted <- name
		})
	}
	waits := func(n int) func() bool {
		return func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.waiting == n }
	}
	ask("the first", 1, 25)
	require.Eventually(t, waits(1), 10*time.Second, time.Microsecond)
	ask("the second", 2, 30)
	require.Eventually(t, waits(2), 10*time.Second, time.Microsecond)
	large.keep(10)
	require.Equal(t, "the second", <-granted)
	require.True(t, waits(1)())
	elder.keep(0)
	require.Equal(t, "the first", <-granted)
	waiting.Wait()
}

func TestMemoryIsCountedForTheProjectOnceItIsKnown(t *testing.T) {
	t.Parallel()
	m := newMemory(100, time.Minute)
	l := m.newShare(nobody)
	require.NoError(t, l.grow(t.Context(), 30))
	l.countFor(7)
	require.Equal(t, map[int64]int64{7: 30}, m.held)
	require.EqualValues(t, 70, m.free)
	l.keep(0)
	require.Empty(t, m.held)
	require.EqualValues(t, 100, m.free)
}

func TestMemoryEndsTheWait(t *testing.T) {
	t.Parallel()
	m := newMemory(1, time.Millisecond)
	require.NoError(t, m.newShare(everybody).grow(t.Context(), 1))
	require.NoError(t, m.newShare(everybody).grow(t.Context(), 1))
	require.True(t, core.HasCode(m.newShare(everybody).grow(t.Context(), 1), core.Unavailable))
}
