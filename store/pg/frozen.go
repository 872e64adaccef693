package pg

import (
	"context"
	"time"
)

// A server can freeze with its virtual machine, and keeps its locks. Between two statements of a transaction Postgres ends it
// (beginTx). In the middle of statements that are sent together no timeout of Postgres runs, so a caller that waits long looks
// for frozen servers.
const (
	waitsLong   = 3 * time.Second // then it looks for the first time
	lookAgain   = 2 * time.Second
	longestLook = 2 * time.Second
)

// endFrozen ends the connections of the role that hold a lock somebody waits for, and whose next message has been missing
// for two seconds.
const endFrozen = `
SELECT pg_terminate_backend(holder.pid)
FROM pg_stat_activity holder
WHERE holder.datname = current_database() AND holder.usename = current_user
	AND holder.state = 'active' AND holder.wait_event = 'ClientRead' AND holder.state_change < clock_timestamp() - interval '2 seconds'
	AND holder.pid IN (
		SELECT unnest(pg_blocking_pids(waiting.pid)) FROM pg_stat_activity waiting
		WHERE waiting.datname = current_database() AND waiting.wait_event_type = 'Lock')`

// EndFrozenWhileWaiting looks for frozen servers every two seconds, from the moment when the caller has waited long until it
// calls stop. Call it before anything that waits for the locks of rows where on writes.
func (db *DB) EndFrozenWhileWaiting(ctx context.Context, on *WriterPool) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(waitsLong, func() {
		for ctx.Err() == nil {
			db.endFrozen(ctx, on)
			select {
			case <-ctx.Done():
			case <-time.After(lookAgain):
			}
		}
	})
	return func() {
		timer.Stop()
		cancel()
	}
}

// endFrozen looks once, unless another caller of this server does. When it fails, the caller waits on and looks again.
func (db *DB) endFrozen(ctx context.Context, on *WriterPool) {
	if !db.looksForFrozen.CompareAndSwap(false, true) {
		return
	}
	defer db.looksForFrozen.Store(false)
	ctx, cancel := context.WithTimeout(ctx, longestLook)
	defer cancel()
	pool := db.Reserved
	if on.place != nil {
		var err error
		if pool, err = db.nodes.readerPoolOf(ctx, on.place.node); err != nil {
			return
		}
	}
	_, _ = pool.Exec(ctx, endFrozen)
}
