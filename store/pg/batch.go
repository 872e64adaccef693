package pg

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Batch is a set of reads that go to the database together, in one round trip.
type Batch struct{ reads pgx.Batch }

// QueueMany adds a read to a batch. When the batch is sent, rows is set to all rows found, read by the names of their columns.
func QueueMany[T any](b *Batch, sql string, args Args, rows *[]T) {
	b.reads.Queue(sql, args).Query(func(found pgx.Rows) (err error) {
		*rows, err = pgx.CollectRows(found, pgx.RowToStructByName[T])
		return err
	})
}

// QueueEach is QueueMany for a statement with marks, as QueryEach is QueryMany.
func QueueEach[T any](ctx context.Context, db *DB, b *Batch, sql string, args Args, projects []int64, rows *[]T) error {
	if !db.IsDistributed() {
		QueueMany(b, sql, args, rows)
		return nil
	}
	groups, err := db.shards.groupByShard(ctx, projects)
	sql, _ = NameProjects(sql)
	for _, group := range groups {
		b.reads.Queue(sql, withProjects(args, group.projects)).Query(func(found pgx.Rows) error {
			more, err := pgx.CollectRows(found, pgx.RowToStructByName[T])
			*rows = append(*rows, more...)
			return err
		})
	}
	return err
}

// Send sends the batch. Its reads are one implicit transaction, but each sees the commits from before that read began.
func (b *Batch) Send(ctx context.Context, pool *pgxpool.Pool) error {
	return WrapError(pool.SendBatch(ctx, &b.reads).Close())
}
