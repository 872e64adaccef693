package sending

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"errand/store"
)

const (
	// recordAtMost bounds the outcomes in one transaction.
	recordAtMost = 500
	// recordPause is how long a recorder waits before it tries again.
	recordPause = time.Second
)

// recorder records how attempts ended, with simultaneous ones together. While the database is away it keeps them.
// Outcomes that a crashed server did not record are sent again: an attempt is counted when it begins.
type recorder struct {
	record func(context.Context, []store.DeliveryOutcome) error
	warn   func(what string, err error)
	wake   func()
	added  chan struct{} // has room for one
	// isBehind is true while the database accepts no outcomes. Nothing is taken then: deliveries with waiting
	// outcomes become due again after a while, and would be sent twice.
	isBehind atomic.Bool

	mu      sync.Mutex
	waiting []store.DeliveryOutcome
	ending  bool // nothing more will be added
}

// add passes an outcome to the recorder.
func (r *recorder) add(o store.DeliveryOutcome) {
	r.mu.Lock()
	r.waiting = append(r.waiting, o)
	r.mu.Unlock()
	select {
	case r.added <- struct{}{}:
	default:
	}
}

// finish says that nothing more will be added, so that recordAll returns when all is written.
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
