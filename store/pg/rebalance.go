package pg

import (
	"context"
	"time"
)

// While a shard moves, events come in, but nobody can delete any, because their table has no key. Citus moves it only when told so.
//
// A Postgres without Citus could not prepare these, so they are variables: tests prepare each constant.
var (
	rebalanceShards = `SELECT rebalance_table_shards(shard_transfer_mode := 'force_logical')`
	countMoves      = `
SELECT count(*) AS all_moves, count(*) FILTER (WHERE progress = 2) AS done, coalesce(sum(shard_size), 0)::bigint AS bytes
FROM get_rebalance_progress()`
)

// RebalanceProgress is how far a rebalance is. Each table of a shard moves on its own.
type RebalanceProgress struct {
	AllMoves, Done int
	Bytes          int64 // of all moves
}

// progressEvery is how often the progress of a rebalance is read.
const progressEvery = time.Second

// RebalanceShards moves shards until all nodes hold about as much. It calls tell when more is done.
func (db *DB) RebalanceShards(ctx context.Context, tell func(RebalanceProgress)) error {
	done := make(chan error, 1)
	go func() {
		_, err := db.Main.Exec(ctx, rebalanceShards)
		done <- WrapError(err)
	}()
	var last RebalanceProgress
	for {
		select {
		case err := <-done:
			return err
		case <-time.After(progressEvery):
		}
		now, err := QueryOne[RebalanceProgress](ctx, db.Main, countMoves, Args{})
		if err == nil && (now.Done != last.Done || now.AllMoves != last.AllMoves) {
			tell(now)
			last = now
		}
	}
}
