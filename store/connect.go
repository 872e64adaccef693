package store

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// How the connections of a server are shared out. The writer of events has its own, so that reads cannot starve it; so have
// the ids, whose connection also serves the question whether the server is ready: reads must not answer it.
const (
	DefaultConnections = 19
	MinConnections     = 5

	writerConnections = 2
	idConnections     = 1
)

// keepConnected is how long an unused connection stays: who gives up the server's last one might not get it back.
const keepConnected = 24 * time.Hour

// finishCanceled is how long a statement may go on after its context has ended. Nearly all are done by then, and the
// connection stays; to cancel each would leave an error in the log of Postgres whenever a server stops or a client leaves.
const finishCanceled = 500 * time.Millisecond

// sessionSettings are set on every new connection, as statements: poolers such as PgBouncer refuse them as parameters of
// a start. A frozen server must not block the others by a transaction that it does not go on with, and Postgres must
// notice that a machine has vanished.
const sessionSettings = `
SET idle_in_transaction_session_timeout = '2s';
SET tcp_keepalives_idle = 15;
SET tcp_keepalives_interval = 5;
SET tcp_keepalives_count = 3;
SET tcp_user_timeout = '30s'`

// prepareConnection is run on every new connection of a pool.
type prepareConnection = func(context.Context, *pgx.Conn) error

// openPool prepares a pool of connections to servers that take writes; connections are made when they are needed.
func openPool(ctx context.Context, url string, size int32, afterConnect prepareConnection) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The parser's own text may repeat the password that stands in the URL.
		return nil, errors.New("store: DATABASE_URL is not a Postgres connection string")
	}
	config.MaxConns = size
	config.MaxConnIdleTime = keepConnected
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, sessionSettings); err != nil {
			return err
		}
		if afterConnect == nil {
			return nil
		}
		return afterConnect(ctx, conn)
	}
	connection := &config.ConnConfig.Config
	connection.ConnectTimeout = 5 * time.Second
	connection.RuntimeParams["application_name"] = "errand"
	connection.DialFunc = (&net.Dialer{KeepAliveConfig: net.KeepAliveConfig{
		Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3,
	}}).DialContext
	if connection.ValidateConnect == nil { // else the URL has a target_session_attrs of its own
		connection.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	connection.OnPgError = keepsConnection
	connection.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn(), DeadlineDelay: finishCanceled}
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// keepsConnection reports whether a connection is used again after the error. One to a server that has become a standby
// is not: the next one finds the new primary.
func keepsConnection(_ *pgconn.PgConn, err *pgconn.PgError) bool {
	return err.SeverityUnlocalized != "FATAL" && err.Code != readOnly
}

// ConnectWriter makes the connections of the writer of events, before reads take the server's last ones. What cannot be
// made now is made when it is needed; only a writer without any is an error.
func (s *Store) ConnectWriter(ctx context.Context) error {
	for _, pool := range []*pgxpool.Pool{s.ids.pool, s.writer} {
		if err := connectAll(ctx, pool); err != nil {
			return wrap(err)
		}
	}
	return nil
}

// connectAll makes the connections of a pool, and reports why not even one could be made.
func connectAll(ctx context.Context, pool *pgxpool.Pool) error {
	held := make([]*pgxpool.Conn, 0, pool.Config().MaxConns)
	defer func() {
		for _, conn := range held {
			conn.Release()
		}
	}()
	for range cap(held) {
		conn, err := pool.Acquire(ctx)
		if err != nil && len(held) == 0 {
			return err
		}
		if err != nil {
			return nil
		}
		held = append(held, conn)
	}
	return nil
}

const checkWrites = `
INSERT INTO install_times (name, at) VALUES ('write_check', @now)
ON CONFLICT (name) DO UPDATE SET at = excluded.at`

// CheckWrites reports why nothing can be written now: the database is away, read-only, or full. It takes a connection that
// neither reads nor jobs can hold.
func (s *Store) CheckWrites(ctx context.Context) error {
	_, err := exec(ctx, s.ids.pool, checkWrites, args{"now": s.Now()})
	return err
}

// Workers returns how many background jobs may run at once, so that they leave most connections to others.
func (s *Store) Workers() int { return max(1, int(s.pool.Config().MaxConns)/4) }

// Of a role and a database, -1 is no limit.
const connectionLimit = `
SELECT coalesce(least(nullif(r.rolconnlimit, -1), nullif(d.datconnlimit, -1)), current_setting('max_connections')::int) AS limit
FROM pg_roles r, pg_database d WHERE r.rolname = current_user AND d.datname = current_database()`

// FitConnections has the store make no more connections than the database lets its role have, where that is known: one that
// is refused would be an error, where one that is in use is waited for. It returns how many it was to make, and how many
// are allowed. It is called before anything else uses the store.
func (s *Store) FitConnections(ctx context.Context) (wanted, allowed int, err error) {
	row, err := one[struct{ Limit int }](ctx, s.pool, connectionLimit, args{})
	if err != nil {
		return 0, 0, err
	}
	config, others := s.pool.Config(), writerConnections+idConnections
	wanted = int(config.MaxConns) + others
	if row.Limit >= wanted {
		return wanted, row.Limit, nil
	}
	config.MaxConns = int32(max(row.Limit, MinConnections) - others)
	fitting, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return 0, 0, err
	}
	s.pool.Close()
	s.pool = fitting
	return wanted, row.Limit, nil
}
