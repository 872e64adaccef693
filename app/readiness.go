package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"errand/core"
)

// How long the result of a check of the database counts, and how long a check may take. Anybody may ask /readyz, as often as they like.
const (
	readinessHolds  = time.Second
	readinessAtMost = 3 * time.Second
)

// readiness remembers whether requests can be served. Only one check runs at a time.
type readiness struct {
	checkNow func(context.Context) error

	mu     sync.Mutex
	looked time.Time
	err    error
}

// checkLately returns why requests cannot be served, as checked within the last second.
func (r *readiness) checkLately(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.looked) < readinessHolds {
		return r.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readinessAtMost)
	defer cancel()
	r.err = r.checkNow(ctx)
	r.looked = time.Now()
	return r.err
}

// checkReady reports whether requests can be served: the database takes writes, its schema is current, and events are committed.
func (a *App) checkReady(ctx context.Context) error {
	if err := a.db.CheckWrites(ctx); err != nil {
		return err
	}
	if a.ingest != nil && a.ingest.IsRefusing() {
		return core.NewError(core.Unavailable).Because(errors.New("events could not be committed just now"))
	}
	return a.db.CheckSchema(ctx)
}
