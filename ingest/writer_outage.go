package ingest

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"errand/core"
)

// refusingFor is how long after a failed commit the server counts as refusing. It ends by itself: a load balancer that sees a
// refusing server sends no more events, so no commit could show that it works again.
const refusingFor = 10 * time.Second

// mayBeStored is the message to a refused event whose commit had begun. SDKs that send it again keep its id.
const mayBeStored = "It may be stored all the same; sent again with the same event_id it counts once."

// errLate says why a commit did not end in time. When it had begun, the events may be stored.
func (w *writer) errLate(cause error, hasBegun bool) error {
	if !w.outages.any.Load() {
		cause = busyError{cause}
	}
	return errUnavailable(cause, hasBegun)
}

// errUnavailable refuses events, and says that they may be stored when a commit had begun.
func errUnavailable(cause error, isMaybeStored bool) error {
	failure := core.NewError(core.Unavailable).Because(cause)
	if isMaybeStored {
		failure.With("message", mayBeStored)
	}
	return failure
}

// outages remember each shard whose last attempt to commit failed, because its database is away or takes no writes. Where the tables are
// not distributed over nodes there is one shard, 0.
type outages struct {
	mu       sync.Mutex
	failedAt map[int64]time.Time // when the last attempt for a shard failed, if it did
	any      atomic.Bool
}

// isRefusing reports whether an attempt to commit failed in the last seconds, and none succeeded since. Where the tables are distributed
// one node says nothing about the others.
func (w *writer) isRefusing() bool {
	if !w.outages.any.Load() || w.store.Intake.IsDistributed() {
		return false
	}
	w.outages.mu.Lock()
	defer w.outages.mu.Unlock()
	return time.Since(w.outages.failedAt[0]) < refusingFor
}

// noteOutage takes the outcome of an attempt to commit. It logs once when the database or a node of it goes away or takes no
// writes, and once when it is back.
func (w *writer) noteOutage(s *stream, err error) {
	o, isAway := &w.outages, core.HasCode(err, core.Unavailable)
	if !isAway && !o.any.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	was := len(o.failedAt)
	o.noteAttempt(s.shard, isAway, time.Now())
	switch {
	case was == 0 && isAway:
		w.metrics.outages.Inc()
		w.metrics.databaseAway.Set(1)
		w.log.Warn("the database is away or takes no writes: holding events", "error", err)
	case was > 0 && len(o.failedAt) == 0:
		w.metrics.databaseAway.Set(0)
		w.log.Info("the database is back: events are committed again")
	}
	o.any.Store(len(o.failedAt) > 0)
}

// forgottenAfter is when an outage ends for a shard whose projects send no more events.
const forgottenAfter = time.Minute

func (o *outages) noteAttempt(shard int64, isAway bool, now time.Time) {
	if !isAway {
		delete(o.failedAt, shard)
		maps.DeleteFunc(o.failedAt, func(_ int64, at time.Time) bool { return now.Sub(at) > forgottenAfter })
		return
	}
	if o.failedAt == nil {
		o.failedAt = map[int64]time.Time{}
	}
	o.failedAt[shard] = now
}
