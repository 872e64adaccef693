package ingest

import (
	"time"

	"errand/core"
)

// refusingFor is how long after a failed commit the server counts as refusing. It ends by itself: a load balancer that has heard
// of it sends no more events, so that no commit would show that they work again.
const refusingFor = 10 * time.Second

// mayBeStored is what the answer to a refused event says when its commit had begun. SDKs that send it again keep its id.
const mayBeStored = "It may be stored all the same; sent again with the same event_id it counts once."

// errLate says why a commit did not end in time. When it had begun, the events may be stored all the same.
func (w *writer) errLate(cause error, hasBegun bool) error {
	if !w.databaseAway.Load() {
		cause = busyError{cause}
	}
	return errUnavailable(cause, hasBegun)
}

// errUnavailable is the refusal of events, which may be stored all the same when a commit had begun.
func errUnavailable(cause error, isMaybeStored bool) error {
	failure := core.NewError(core.Unavailable).Because(cause)
	if isMaybeStored {
		failure.With("message", mayBeStored)
	}
	return failure
}

// isRefusing reports whether an attempt to commit failed in the last seconds, and none worked since.
func (w *writer) isRefusing() bool {
	return w.databaseAway.Load() && time.Since(time.Unix(0, w.failedAt.Load())) < refusingFor
}

// noteOutage logs once that the database went away or takes no writes, and once that it does again.
func (w *writer) noteOutage(err error) {
	isAway := core.HasCode(err, core.Unavailable)
	if isAway {
		w.failedAt.Store(time.Now().UnixNano())
	}
	switch {
	case isAway && !w.databaseAway.Load():
		w.metrics.outages.Inc()
		w.metrics.databaseAway.Set(1)
		w.log.Warn("the database is away or takes no writes: holding events", "error", err)
	case !isAway && w.databaseAway.Load():
		w.metrics.databaseAway.Set(0)
		w.log.Info("the database is back: events are committed again")
	}
	w.databaseAway.Store(isAway)
}
