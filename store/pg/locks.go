package pg

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgerrcode"
)

// A statement that changes a table waits for everyone who uses it, and everyone who comes later waits behind the statement:
// a running pg_dump would stop the whole intake. So it waits only for a moment and tries again later.
const (
	tableWait     = 250 * time.Millisecond
	tableAttempts = 5
	lockPause     = time.Second // between two attempts
)

// ChangeTables runs statements that lock tables, in one transaction. It tries a few times.
func (db *DB) ChangeTables(ctx context.Context, statements ...string) error {
	return db.InLockTx(ctx, func(t *Tx) error {
		if err := t.WaitShortly(ctx); err != nil {
			return err
		}
		return t.ExecAll(ctx, statements...)
	})
}

// InLockTx runs fn in a transaction. When that gives up waiting for a lock, it tries again after a pause.
func (db *DB) InLockTx(ctx context.Context, fn func(*Tx) error) error {
	return RetryLocks(ctx, tableAttempts, func() error { return db.InTx(ctx, fn) })
}

// WaitShortly lets the next statements of the transaction wait only for a moment for the locks of tables.
func (t *Tx) WaitShortly(ctx context.Context) error {
	return t.ExecAll(ctx, fmt.Sprintf(`SET LOCAL lock_timeout = %d`, tableWait.Milliseconds()))
}

// RetryLocks calls attempt, and calls it again after a pause as long as it gives up waiting for a lock.
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
