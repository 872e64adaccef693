package pg

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net"
	"sync"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The connections of a server. The writer of events has its own, so that reads cannot starve it. So have the ids; their
// connection also checks whether the server is ready, because that must not wait for reads.
const (
	DefaultConnections = 19
	MinConnections     = 5

	writerConnections = 2
	idConnections     = 1
)

// keepConnected is how long an unused connection stays. A server that closes its last connection might not get another one.
const keepConnected = 24 * time.Hour

// Our own Postgres has room for all connections of the server, so that unused ones end soon, with the memory of their backends:
// 3 to 8 MB each. A backend also never forgets the tables and plans that it has used: after the jobs of a start it had 12 MB, a
// new one 4. So connections for reads and jobs are renewed.
const (
	keepOwnConnected  = 5 * time.Second
	keepOfIntake      = 30 * time.Second // the next event after that waits for connections, some 5 ms
	renewOwnConnected = 30 * time.Second
	lookForUnused     = 10 * time.Second
)

// finishCanceled is how long a statement may go on after its context has ended. Nearly all finish in that time, and the
// connection stays. Canceling each would leave an error in the log of Postgres whenever a server stops or a client leaves.
const finishCanceled = 500 * time.Millisecond

// prepareConnection is run on every new connection of a pool.
type prepareConnection = func(context.Context, *pgx.Conn) error

// ownBackends has the process ids of this program's backends: int32 -> nil.
var ownBackends sync.Map

func listOwnBackends() []int32 {
	own := []int32{}
	ownBackends.Range(func(pid, _ any) bool {
		own = append(own, pid.(int32))
		return true
	})
	return own
}

// poolOptions say how a pool differs from others.
type poolOptions struct {
	size         int32
	settings     map[string]string // of its sessions; nil for none
	afterConnect prepareConnection // may be nil

	keep  time.Duration // how long an unused connection stays; 0 for keepConnected
	stay  int32         // how many stay nevertheless
	renew time.Duration // the age at which a connection ends as soon as it is unused; 0 for an hour
}

// openPool prepares a pool of connections to servers that take writes; connections are made when they are needed.
func openPool(ctx context.Context, url string, o poolOptions) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The parser's own text may repeat the password that stands in the URL.
		return nil, errors.New("store: DATABASE_URL is not a Postgres connection string")
	}
	config.MaxConns = o.size
	config.MaxConnIdleTime, config.MinConns = cmp.Or(o.keep, keepConnected), o.stay
	if o.keep > 0 {
		config.HealthCheckPeriod = lookForUnused
	}
	if o.renew > 0 {
		config.MaxConnLifetime = o.renew
	}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		ownBackends.Store(int32(conn.PgConn().PID()), nil)
		if o.afterConnect == nil {
			return nil
		}
		return o.afterConnect(ctx, conn)
	}
	config.BeforeClose = func(conn *pgx.Conn) { ownBackends.Delete(int32(conn.PgConn().PID())) }
	connection := &config.ConnConfig.Config
	connection.ConnectTimeout = 5 * time.Second
	maps.Copy(connection.RuntimeParams, o.settings)
	connection.RuntimeParams["application_name"] = "errand"
	connection.DialFunc = (&net.Dialer{KeepAliveConfig: net.KeepAliveConfig{
		Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3,
	}}).DialContext
	if connection.ValidateConnect == nil { // otherwise the URL has its own target_session_attrs
		connection.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	connection.OnPgError = keepsConnection
	connection.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn(), DeadlineDelay: finishCanceled}
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// keepsConnection reports whether a connection is used again after the error. A connection to a server that has become a
// standby is not: the next one finds the new primary.
func keepsConnection(_ *pgconn.PgConn, err *pgconn.PgError) bool {
	return err.SeverityUnlocalized != "FATAL" && err.Code != pgerrcode.ReadOnlySQLTransaction
}

// connectAll makes the connections of a pool. It is an error when not even one could be made.
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

// prepareWriter makes a connection of the writer send its arrays with arrayCodec. It sets nothing in Postgres.
func prepareWriter(_ context.Context, conn *pgx.Conn) error {
	SendArrays(conn.TypeMap())
	return nil
}
