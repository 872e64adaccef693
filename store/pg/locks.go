package pg

import (
	"context"
	"fmt"
	"regexp"
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

// lockName is a lock on the coordinator.
const lockName = `SELECT pg_advisory_xact_lock(hashtextextended(@name, @id))`

// rowLock finds the end of a statement that locks rows.
var rowLock = regexp.MustCompile(`\s+FOR (UPDATE|NO KEY UPDATE|SHARE)( OF \w+)?$`)

// QueryLocked is QueryOne for a statement that locks a row, with this id, of a table that each node has where tables are distributed.
// There such a lock would be one on every node, and transactions would wait for each other in a circle, so the coordinator has a lock of
// the table's name and the id instead.
func QueryLocked[T any](ctx context.Context, t *Tx, sql string, args Args, table string, id int64) (T, error) {
	if !t.isDistributed {
		return QueryOne[T](ctx, t, sql, args)
	}
	if err := t.LockRow(ctx, table, id); err != nil {
		var none T
		return none, err
	}
	return QueryOne[T](ctx, t, rowLock.ReplaceAllString(sql, ""), args)
}

// LockRow is for an update that QueryLocked has to keep waiting. Elsewhere the update locks the row itself.
func (t *Tx) LockRow(ctx context.Context, table string, id int64) error {
	if !t.isDistributed {
		return nil
	}
	return t.LockName(ctx, table, id)
}

// LockName takes a lock on the coordinator until the transaction ends.
func (t *Tx) LockName(ctx context.Context, name string, id int64) error {
	_, err := Exec(ctx, t, lockName, Args{"name": name, "id": id})
	return err
}
