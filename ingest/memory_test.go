package ingest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// waits tells whether a lease waits for n bytes: it gives up at once.
func waits(t *testing.T, l *lease, n int64) bool {
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
	first, second, elder, other := m.lease(), m.lease(), m.lease(), m.lease()
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
	for _, l := range []*lease{first, second, elder, other} {
		l.keep(0)
	}
	require.EqualValues(t, 100, m.free)
	require.Nil(t, m.elder)
	require.Zero(t, m.queue.Len())
}

func TestMemoryIsGivenInTheOrderOfAsking(t *testing.T) {
	t.Parallel()
	m := newMemory(10, time.Minute)
	holder, elder := m.lease(), m.lease()
	require.NoError(t, holder.grow(t.Context(), 10))
	require.NoError(t, elder.grow(t.Context(), 1))

	granted := make(chan int, 3)
	var waiting sync.WaitGroup
	leases := []*lease{m.lease(), m.lease(), m.lease()}
	for n, l := range leases {
		waiting.Go(func() {
			require.NoError(t, l.grow(t.Context(), 4))
			granted <- n
		})
		require.Eventually(t, func() bool {
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.queue.Len() == n+1
		}, 10*time.Second, time.Microsecond)
	}
	require.True(t, waits(t, m.lease(), 1), "nobody overtakes")
	holder.keep(6)
	require.Equal(t, 0, <-granted)
	holder.keep(0)
	require.Equal(t, 1, <-granted)
	elder.keep(0)
	require.Equal(t, 2, <-granted, "as the elder")
	waiting.Wait()
	for _, l := range leases {
		l.keep(0)
	}
	require.EqualValues(t, 10, m.free)
}

// One that gives up makes room for the next, who may need less.
func TestMemoryGoesOnWhenTheFirstGivesUp(t *testing.T) {
	t.Parallel()
	m := newMemory(10, time.Minute)
	holder, elder := m.lease(), m.lease()
	require.NoError(t, holder.grow(t.Context(), 8))
	require.NoError(t, elder.grow(t.Context(), 9))
	ctx, giveUp := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	waiting.Go(func() { require.Error(t, m.lease().grow(ctx, 5)) })
	require.Eventually(t, func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.queue.Len() == 1 }, 10*time.Second, time.Microsecond)
	small := m.lease()
	waiting.Go(func() { require.NoError(t, small.grow(t.Context(), 2)) })
	require.Eventually(t, func() bool { m.mu.Lock(); defer m.mu.Unlock(); return m.queue.Len() == 2 }, 10*time.Second, time.Microsecond)
	giveUp()
	waiting.Wait()
	require.EqualValues(t, 2, small.held)
}

func TestMemoryEndsTheWait(t *testing.T) {
	t.Parallel()
	m := newMemory(1, time.Millisecond)
	require.NoError(t, m.lease().grow(t.Context(), 1))
	require.NoError(t, m.lease().grow(t.Context(), 1))
	require.True(t, core.HasCode(m.lease().grow(t.Context(), 1), core.Unavailable))
}
