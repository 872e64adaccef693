package sending

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"errand/store"
)

const (
	// recordAtMost is how many outcomes are written in one transaction.
	recordAtMost = 500
	// recordPause is how long a recorder waits before it tries again.
	recordPause = time.Second
)

// recorder writes down how attempts ended, those of the same moment together. While the database is away it keeps them. What a server
// that dies has not written down is sent again: the attempt was counted when it began.
type recorder struct {
	record func(context.Context, []store.DeliveryOutcome) error
	warn   func(what string, err error)
	wake   func()
	added  chan struct{} // has room for one
	// isBehind is true while the database takes no outcomes. Nothing is taken meanwhile: deliveries whose outcomes wait are due again
	// after a while, and would be sent twice.
	isBehind atomic.Bool

	mu      sync.Mutex
	waiting []store.DeliveryOutcome
	ending  bool // nothing is added any more
}

// add hands an outcome over.
func (r *recorder) add(o store.DeliveryOutcome) {
	r.mu.Lock()
	r.waiting = append(r.waiting, o)
	r.mu.Unlock()
	select {
	case r.added <- struct{}{}:
	default:
	}
}

// finish says that nothing is added any more: recordAll returns when all is written.
func (r *recorder) finish() {
	r.mu.Lock()
	r.ending = true
	r.mu.Unlock()
	select {
	case r.added <- struct{}{}:
	default:
	}
}

// take returns the oldest outcomes. They stay until they are dropped.
func (r *recorder) take() (oldest []store.DeliveryOutcome, isLast bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting[:min(len(r.waiting), recordAtMost)], r.ending
}

func (r *recorder) drop(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = r.waiting[n:]
}

// recordAll writes outcomes until all are written after finish, or ctx ends.
func (r *recorder) recordAll(ctx context.Context) {
	for {
		batch, isLast := r.take()
		if len(batch) == 0 {
			if isLast {
				return
			}
			select {
			case <-r.added:
				continue
			case <-ctx.Done():
				return
			}
		}
		if err := r.record(ctx, batch); err != nil {
			if ctx.Err() != nil {
				return
			}
			r.isBehind.Store(true)
			r.warn("how deliveries ended could not be written down and will be", err)
			select {
			case <-time.After(recordPause):
				continue
			case <-ctx.Done():
				return
			}
		}
		r.drop(len(batch))
		if r.isBehind.Swap(false) {
			r.wake()
		}
	}
}
