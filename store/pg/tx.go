package pg

import (
	"context"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"

	"errand/core"
)

// Tx is one transaction with its fixed time.
type Tx struct {
	pgx.Tx
	Now core.Time

	deliveries    *int64 // deliveries made in it
	isDistributed bool
	isOnNode      bool
}

// IsDistributed reports whether a statement that writes has to name the projects of one shard (DB.IsDistributed).
func (t *Tx) IsDistributed() bool { return t.isDistributed }

// IsOnNode reports whether the transaction is on the node of a shard (DB.InTxOf). Its locks are on that node alone.
func (t *Tx) IsOnNode() bool { return t.isOnNode }

// CountDeliveries notes that the transaction has made deliveries. They are announced after the commit.
func (t *Tx) CountDeliveries(made int64) { *t.deliveries += made }

// InTx runs fn in a transaction on a connection of the main pool.
func (db *DB) InTx(ctx context.Context, fn func(*Tx) error) error {
	return db.inTxOn(ctx, &WriterPool{pool: db.Main}, db.ChooseForm(beginTx, beginDistributedTx), fn)
}

// InWriterTx runs fn in a transaction on a connection of the writer of events.
func (db *DB) InWriterTx(ctx context.Context, fn func(*Tx) error) error {
	return db.inTxOn(ctx, db.Writer, db.ChooseForm(beginWriterTx, beginDistributedTx), fn)
}

// inTxOn runs fn in a transaction. After a serialisation failure or a deadlock it runs fn a second time. Nothing else retries.
func (db *DB) inTxOn(ctx context.Context, on *WriterPool, begin string, fn func(*Tx) error) error {
	defer db.EndFrozenWhileWaiting(ctx, on)()
	var deliveries int64
	run := func() error {
		deliveries = 0
		return pgx.BeginTxFunc(ctx, on.pool, pgx.TxOptions{BeginQuery: begin}, func(t pgx.Tx) error {
			return fn(&Tx{Tx: t, Now: db.Now(), deliveries: &deliveries, isDistributed: db.IsDistributed()})
		})
	}
	err := run()
	if HasState(err, pgerrcode.SerializationFailure, pgerrcode.DeadlockDetected) {
		err = run()
	}
	if err == nil {
		db.AnnounceDeliveries(deliveries)
	}
	return WrapError(err)
}

// InSavepoint runs fn in a savepoint of the transaction. When fn fails, its changes are undone, and the transaction goes on.
func (t *Tx) InSavepoint(ctx context.Context, fn func(*Tx) error) error {
	return pgx.BeginFunc(ctx, t.Tx, func(savepoint pgx.Tx) error {
		return fn(&Tx{Tx: savepoint, Now: t.Now, deliveries: t.deliveries, isDistributed: t.isDistributed, isOnNode: t.isOnNode})
	})
}

// findByKey keeps the planner from reading whole tables to find a few ids, which it does on tables without statistics.
const findByKey = `SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off`

// FindByKey makes the statements of the transaction find rows by their keys, even without statistics of the tables.
func (t *Tx) FindByKey(ctx context.Context) error {
	return t.ExecAll(ctx, findByKey)
}

// ExecAll runs statements without arguments one after the other.
func (t *Tx) ExecAll(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		if _, err := t.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}
