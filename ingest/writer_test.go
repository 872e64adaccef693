package ingest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// lookedAt is a context that calls look whenever it is asked whether it has ended.
type lookedAt struct {
	context.Context
	look func()
}

func (c lookedAt) Err() error {
	c.look()
	return c.Context.Err()
}

// A request may give up at the moment when its commit begins: it is never told that its events are not stored when they may be.
func TestCommitBeginsBeforeTheLookAtWhoWaits(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(context.Background())
	end()
	for _, ctx := range []context.Context{context.Background(), ended} {
		w := &writer{metrics: newMetrics(nil)}
		waiting, looks := &waitingEvents{done: make(chan struct{})}, 0
		waiting.ctx = lookedAt{ctx, func() {
			looks++
			require.True(t, waiting.committing.Load(), "whoever gives up now must hear that a commit is under way")
		}}
		w.commitGroup(context.Background(), &stream{}, []*waitingEvents{waiting})
		require.Equal(t, 1, looks)
		require.Equal(t, ctx.Err() == nil, waiting.committing.Load(), "what came too late is not stored")
	}
}
