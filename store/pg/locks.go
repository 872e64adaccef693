package pg

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgerrcode"
)

// A change of tables waits for everybody who uses them, and everybody who comes later waits behind it: a running pg_dump
// would stop all of ingest. So it waits only for a moment, and comes again.
const (
	tableWait     = 250 * time.Millisecond
	tableAttempts = 5
	lockPause     = time.Second // between two attempts
)

// ChangeTables runs statements that lock tables, in one transaction, which is tried a few times.
func (db *DB) ChangeTables(ctx context.Context, statements ...string) error {
	return db.InLockTx(ctx, func(t *Tx) error {
		if err := t.WaitShortly(ctx); err != nil {
			return err
		}
		return t.ExecAll(ctx, statements...)
	})
}

// InLockTx runs fn in a transaction, and again, with pauses, while it gives up waiting for a lock.
func (db *DB) InLockTx(ctx context.Context, fn func(*Tx) error) error {
	return RetryLocks(ctx, tableAttempts, func() error { return db.InTx(ctx, fn) })
}

// WaitShortly has the next statements of the transaction wait for the locks of tables a moment only.
func (t *Tx) WaitShortly(ctx context.Context) error {
	return t.ExecAll(ctx, fmt.Sprintf(`SET LOCAL lock_timeout = %d`, tableWait.Milliseconds()))
}

// RetryLocks calls attempt again, with a pause, when it gave up waiting for a lock.
func RetryLocks(ctx context.Context, attempts int, attempt func() error) error {
	for n := 1; ; n++ {
		err := attempt()
		if n == attempts || !HasState(err, pgerrcode.LockNotAvailable) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(lockPause):
		}
	}
}
