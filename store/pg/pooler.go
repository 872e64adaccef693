package pg

import (
	"context"
	"errors"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrOldPooler says that statements which one client has prepared get in the way of another.
var ErrOldPooler = errors.New("the connection pooler in front of the database mixes up the prepared statements of its clients: " +
	"use PgBouncer 1.21 or later with max_prepared_statements above 0, or add default_query_exec_mode=cache_describe to the URL")

// CheckPooler returns ErrOldPooler if two connections cannot prepare statements of the same name, because a pooler in transaction mode
// lets them share a session of Postgres. Where statements are not prepared by name, and before our own Postgres, nothing is checked.
// It has no other error: that the database answers is checked elsewhere.
func (db *DB) CheckPooler(ctx context.Context) error {
	if db.Writer.isPinned || db.Main.Config().ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		return nil
	}
	const name = "errand_pooler_check"
	for _, pool := range []*pgxpool.Pool{db.Main, db.Reserved} { // one each: whoever waits for a second one of a pool may wait for ever
		held, err := pool.Acquire(ctx)
		if err != nil {
			return nil
		}
		defer held.Release()
		conn := held.Conn().PgConn()
		_, err = conn.Prepare(ctx, name, `SELECT 1`, nil)
		if HasState(err, pgerrcode.DuplicatePreparedStatement) {
			return ErrOldPooler
		}
		if err != nil {
			return nil
		}
		defer func() { _ = conn.Deallocate(context.WithoutCancel(ctx), name) }() // a lost connection has lost it
	}
	return nil
}
