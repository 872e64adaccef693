package ingest

import (
	"time"

	"errand/core"
)

// refusingFor is how long a failed commit says that the next one will fail too. A load balancer that has heard so sends no
// more events, so that nothing else would show that commits work again.
const refusingFor = 10 * time.Second

// mayBeStored is what the answer to a refused event says when its commit was under way. SDKs that send again keep its id.
const mayBeStored = "It may be stored all the same; sent again with the same event_id it counts once."

// errLate says why a commit did not come in time. When it was under way, the events may be stored all the same.
func (w *writer) errLate(cause error, underWay bool) error {
	if !w.databaseAway.Load() {
		cause = busyError{cause}
	}
	return errUnavailable(cause, underWay)
}

// errUnavailable is the refusal of events that may be stored all the same, or are not.
func errUnavailable(cause error, maybe bool) error {
	failure := core.NewError(core.Unavailable).Because(cause)
	if maybe {
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
	away := core.HasCode(err, core.Unavailable)
	if away {
		w.failedAt.Store(time.Now().UnixNano())
	}
	switch {
	case away && !w.databaseAway.Load():
		w.metrics.outages.Inc()
		w.metrics.databaseAway.Set(1)
		w.log.Warn("the database is away or takes no writes: holding events", "error", err)
	case !away && w.databaseAway.Load():
		w.metrics.databaseAway.Set(0)
		w.log.Info("the database is back: events are committed again")
	}
	w.databaseAway.Store(away)
}
