package pg

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"errand/core"
)

// Args are the named arguments of a statement. Every name in the statement needs an argument, and every argument must be used.
type Args = pgx.StrictNamedArgs

// Reader is what all pools and transactions have in common.
type Reader interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Querier is what transactions and pools have in common, except the pool of the writer of events.
type Querier interface {
	Reader
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// QueryOne reads exactly one row by the names of its columns. No row is core.NotFound.
func QueryOne[T any](ctx context.Context, q Reader, sql string, args Args) (T, error) {
	rows, err := q.Query(ctx, sql, args)
	if err != nil {
		var zero T
		return zero, WrapError(err)
	}
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	if errors.Is(err, pgx.ErrNoRows) {
		return row, core.NewError(core.NotFound)
	}
	return row, WrapError(err)
}

// QueryMany reads all rows by the names of their columns.
func QueryMany[T any](ctx context.Context, q Reader, sql string, args Args) ([]T, error) {
	rows, err := q.Query(ctx, sql, args)
	if err != nil {
		return nil, WrapError(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	return list, WrapError(err)
}

// Exec runs a statement and returns the number of rows that it changed.
func Exec(ctx context.Context, q Querier, sql string, args Args) (int64, error) {
	tag, err := q.Exec(ctx, sql, args)
	return tag.RowsAffected(), WrapError(err)
}
