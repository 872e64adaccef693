package pg

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"errand/core"
)

// Batch is a set of reads that go to the database together, in one round trip.
type Batch struct {
	reads   []queuedRead
	shards  map[int64]bool // which the node must still have: see findShardsHere
	onePlan bool           // see usePlan
}

// queuedRead is a statement that reads.
type queuedRead struct {
	sql     string
	args    Args
	collect func(pgx.Rows) (add func(), err error) // reads the rows; add adds them to the result
}

// QueueMany adds a read to a batch. When the batch is sent, all rows found are added to rows, read by the names of their columns.
func QueueMany[T any](b *Batch, sql string, args Args, rows *[]T) {
	b.reads = append(b.reads, queuedRead{sql, args, func(found pgx.Rows) (func(), error) {
		more, err := pgx.CollectRows(found, pgx.RowToStructByName[T])
		return func() { *rows = append(*rows, more...) }, err
	}})
}

// Send sends the batch. Its reads are one implicit transaction, but each sees the commits from before that read began.
func (b *Batch) Send(ctx context.Context, pool *pgxpool.Pool) error {
	added, err := b.sendReads(ctx, pool)
	if err == nil {
		addAll(added)
	}
	return err
}

// sendReads sends the batch, and returns what adds the rows of each read.
func (b *Batch) sendReads(ctx context.Context, pool *pgxpool.Pool) ([]func(), error) {
	var sent pgx.Batch
	added := make([]func(), len(b.reads))
	if b.onePlan {
		sent.Queue(usePlan)
	}
	if len(b.shards) > 0 {
		sent.Queue(findShardsHere, slices.Sorted(maps.Keys(b.shards)))
	}
	for i, read := range b.reads {
		sent.Queue(read.sql, read.args).Query(func(found pgx.Rows) (err error) {
			added[i], err = read.collect(found)
			return err
		})
	}
	return added, WrapError(pool.SendBatch(ctx, &sent).Close())
}

func addAll(added []func()) {
	for _, add := range added {
		add()
	}
}

// SendEach sends a batch of reads that find rows of these projects. Where the tables are distributed, each read runs on each shard of the
// projects, on its node. There it finds no tables that only the coordinator has, and must not begin with one that each node has whole,
// whose rows every shard would add. Rows are in the order of the shards.
func (b *Batch) SendEach(ctx context.Context, db *DB, projects []int64) error {
	if !db.IsDistributed() {
		return b.Send(ctx, db.Main)
	}
	return db.nodes.sendEach(ctx, b, projects)
}

// QueryOneOf is QueryOne for a statement about one project, which runs where Batch.SendEach runs it.
func QueryOneOf[T any](ctx context.Context, db *DB, project int64, sql string, args Args) (row T, err error) {
	rows, err := queryEach[T](ctx, db, sql, args, []int64{project})
	switch {
	case err != nil:
		return row, err
	case len(rows) == 0:
		return row, core.NewError(core.NotFound)
	}
	return rows[0], nil
}

// queryEach is a batch of one read.
func queryEach[T any](ctx context.Context, db *DB, sql string, args Args, projects []int64) (rows []T, err error) {
	var b Batch
	QueueMany(&b, sql, args, &rows)
	err = b.SendEach(ctx, db, projects)
	return rows, err
}
