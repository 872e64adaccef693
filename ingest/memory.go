package ingest

import (
	"context"

	"golang.org/x/sync/semaphore"

	"errand/core"
)

// maxWaiting is how many bytes of bodies may be held at once by all requests together.
const maxWaiting = 128 << 20

// memory bounds the bytes that requests hold. A request that needs more waits for others to end.
type memory struct{ free *semaphore.Weighted }

func newMemory(bytes int64) *memory { return &memory{semaphore.NewWeighted(bytes)} }

// lease is the memory that one request holds.
type lease struct {
	memory *memory
	held   int64
}

func (m *memory) lease() *lease { return &lease{memory: m} }

// grow takes n bytes more, waiting for them; unavailable when that takes too long.
func (l *lease) grow(ctx context.Context, n int64) error {
	ctx, cancel := context.WithTimeout(ctx, waitAtMost)
	defer cancel()
	if err := l.memory.free.Acquire(ctx, n); err != nil {
		return core.NewError(core.Unavailable).Because(err)
	}
	l.held += n
	return nil
}

func (l *lease) release() {
	l.memory.free.Release(l.held)
	l.held = 0
}
