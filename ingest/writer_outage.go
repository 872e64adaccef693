package ingest

import (
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
	if !w.databaseAway.Load() {
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

// isRefusing reports whether an attempt to commit failed in the last seconds, and none succeeded since.
func (w *writer) isRefusing() bool {
	return w.databaseAway.Load() && time.Since(time.Unix(0, w.failedAt.Load())) < refusingFor
}

// noteOutage logs once when the database goes away or takes no writes, and once when it is back.
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
