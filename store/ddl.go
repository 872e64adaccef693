package store

import (
	"context"
	"fmt"
	"time"
)

// A change of tables waits for everybody who uses them, and everybody who comes later waits behind it: a running pg_dump
// would stop all of ingest. So it waits only for a moment, and comes again.
const (
	ddlWait     = 250 * time.Millisecond
	ddlPause    = time.Second
	ddlAttempts = 5
)

// changeTables runs statements that lock tables, in one transaction, which is tried a few times.
func (s *Store) changeTables(ctx context.Context, statements ...string) error {
	return retryLocks(ctx, ddlAttempts, func() error {
		return s.inTx(ctx, func(t *tx) error {
			if _, err := t.Exec(ctx, fmt.Sprintf(`SET LOCAL lock_timeout = %d`, ddlWait.Milliseconds())); err != nil {
				return err
			}
			return t.execAll(ctx, statements...)
		})
	})
}

// execAll runs statements without arguments one after the other.
func (t *tx) execAll(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := t.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// retryLocks calls attempt again, with a pause, when it gave up waiting for a lock.
func retryLocks(ctx context.Context, attempts int, attempt func() error) error {
	for n := 1; ; n++ {
		err := attempt()
		if n == attempts || !hasState(err, lockNotAvailable) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(ddlPause):
		}
	}
}
