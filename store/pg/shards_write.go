package pg

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The writer of events writes to a shard on its node, in the shard's parts of the tables, as it would to one Postgres. Through the
// coordinator a batch would take ten times as long: Citus would plan its ten statements again, there and on the node.
//
// A shard can move at the same time. So a transaction begins with the lock that Citus takes for its own writes to the shard: a move
// waits for it before it copies the last rows, and keeps later ones waiting until it has ended. Then the shard is no longer on the node,
// and the writer starts again (whileMoving).
//
// A Postgres without Citus could not prepare these, so they are variables: tests prepare each constant. No other statement divides.
var (
	lockShards     = `SELECT lock_shard_metadata(5, $1::bigint[])` // 5: ShareLock
	findShardsHere = `
SELECT 1 / (count(*) = cardinality($1::bigint[]))::int FROM pg_dist_placement
WHERE shardid = ANY ($1::bigint[]) AND shardstate = 1 AND groupid = (SELECT groupid FROM pg_dist_local_group)`
)

// beginOnShard begins a transaction with both.
func beginOnShard(shard int64) string {
	return strings.ReplaceAll(beginTx+"; "+lockShards+"; "+findShardsHere, "$1", fmt.Sprintf("'{%d}'", shard))
}

// OnShard calls fn with the writer of some projects' events, and again while their shard is moving: then fn has done nothing. Where the
// tables are distributed over nodes the projects must be in one shard, or the error is ErrSeveralShards.
func (db *DB) OnShard(ctx context.Context, projects []int64, fn func(*WriterPool) error) error {
	return db.whileMoving(ctx, func() error {
		on, err := db.writerOf(ctx, projects)
		if err != nil {
			return err
		}
		return fn(on)
	})
}

// ErrSeveralShards says that projects are not in one shard, or no longer.
var ErrSeveralShards = errors.New("store: the projects are in several shards")

// writerOf returns the writer for OnShard.
func (db *DB) writerOf(ctx context.Context, projects []int64) (*WriterPool, error) {
	if !db.IsDistributed() {
		return db.Writer, nil
	}
	parts, err := db.nodes.splitByShard(ctx, projects)
	switch {
	case err != nil:
		return nil, err
	case len(parts) != 1:
		return nil, ErrSeveralShards
	}
	place := parts[0].shardPlace
	pool, err := db.nodes.writerPoolOf(ctx, place.node)
	return &WriterPool{pool: pool, isPinned: true, place: place}, err
}

// InTxOf runs fn in a transaction of a writer.
func (db *DB) InTxOf(ctx context.Context, w *WriterPool, fn func(*Tx) error) error {
	if w.place == nil {
		return db.inTxOn(ctx, w, beginWriterTx, fn)
	}
	return db.inTxOn(ctx, w, beginOnShard(w.place.id), func(t *Tx) error {
		return fn(&Tx{Tx: shardTx{t.Tx, w.place}, Now: t.Now, deliveries: t.deliveries, isOnNode: true})
	})
}

// shardTx is a transaction whose statements run on a shard.
type shardTx struct {
	pgx.Tx
	place *shardPlace
}

func (t shardTx) Begin(ctx context.Context) (pgx.Tx, error) {
	savepoint, err := t.Tx.Begin(ctx)
	return shardTx{savepoint, t.place}, err
}

func (t shardTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return t.Tx.Exec(ctx, t.place.formStatement(sql), args...)
}

func (t shardTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.Tx.Query(ctx, t.place.formStatement(sql), args...)
}

func (t shardTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return t.Tx.QueryRow(ctx, t.place.formStatement(sql), args...)
}

func (t shardTx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	return t.Tx.Prepare(ctx, name, t.place.formStatement(sql))
}

func (t shardTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return t.Tx.SendBatch(ctx, t.place.formBatch(b))
}
