package pg

import (
	"context"
	"errors"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrOldPooler says that statements which one client has prepared get in the way of another.
var ErrOldPooler = errors.New("the connection pooler in front of the database mixes up the prepared statements of its clients: use PgBouncer " +
	"1.21 or later with max_prepared_statements above 0, or add default_query_exec_mode=cache_describe to the URL")

// CheckPooler returns ErrOldPooler if two connections cannot prepare statements of the same name, because a pooler in transaction mode
// lets them share a session of Postgres. Where statements are not prepared by name, nothing is checked. It has no other error:
// that the database answers is checked elsewhere.
func (db *DB) CheckPooler(ctx context.Context) error {
	if db.Main.Config().ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement {
		return nil
	}
	const name = "errand_pooler_check"
	var conns []*pgconn.PgConn
	for range 2 {
		conn, err := db.Main.Acquire(ctx)
		if err != nil {
			break
		}
		defer conn.Release()
		conns = append(conns, conn.Conn().PgConn())
	}
	for _, conn := range conns {
		_, err := conn.Prepare(ctx, name, `SELECT 1`, nil)
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
