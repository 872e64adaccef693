package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"errand/core"
)

// args are the named arguments of a statement. Every name must be there, and every one must be used.
type args = pgx.StrictNamedArgs

// tx is one transaction with its fixed time.
type tx struct {
	pgx.Tx
	store *Store
	now   core.Time
}

// within runs fn in a savepoint: when it fails, what it did is undone, and the transaction goes on.
func (t *tx) within(ctx context.Context, fn func(*tx) error) error {
	return pgx.BeginFunc(ctx, t.Tx, func(savepoint pgx.Tx) error {
		return fn(&tx{Tx: savepoint, store: t.store, now: t.now})
	})
}

// inTx runs fn in a transaction. A serialisation failure or a deadlock is tried once more: this is the only place
// that retries.
func (s *Store) inTx(ctx context.Context, fn func(*tx) error) error {
	return s.inTxOn(ctx, s.pool, fn)
}

func (s *Store) inTxOn(ctx context.Context, pool *pgxpool.Pool, fn func(*tx) error) error {
	run := func() error {
		return pgx.BeginFunc(ctx, pool, func(t pgx.Tx) error {
			return fn(&tx{Tx: t, store: s, now: s.Now()})
		})
	}
	err := run()
	if hasState(err, "40001", "40P01") {
		err = run()
	}
	return wrap(err)
}

// querier is what a pool and a transaction have in common.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// one reads exactly one row; none is not_found.
func one[T any](ctx context.Context, q querier, sql string, a args) (T, error) {
	rows, err := q.Query(ctx, sql, a)
	if err != nil {
		var zero T
		return zero, wrap(err)
	}
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	if errors.Is(err, pgx.ErrNoRows) {
		return row, core.NewError(core.NotFound)
	}
	return row, wrap(err)
}

// many reads all rows.
func many[T any](ctx context.Context, q querier, sql string, a args) ([]T, error) {
	rows, err := q.Query(ctx, sql, a)
	if err != nil {
		return nil, wrap(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	return list, wrap(err)
}

// exec runs a statement and gives the number of rows that it changed.
func exec(ctx context.Context, q querier, sql string, a args) (int64, error) {
	tag, err := q.Exec(ctx, sql, a)
	return tag.RowsAffected(), wrap(err)
}
