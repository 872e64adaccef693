package pg

import (
	"cmp"
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"

	"errand/core"
)

// DB is the database: its pools of connections, the ids that it hands out, and the clock that says what time it is.
type DB struct {
	Main     *pgxpool.Pool // everything but the two below
	Writer   WriterPool    // the writer of events: its plans are pinned
	Reserved *pgxpool.Pool // of ids, and of the question whether the server is ready: reads and jobs cannot hold it
	IDs      *IDs

	clock   core.Clock
	waiting atomic.Pointer[func(int64)] // is called after deliveries were made
	reorder atomic.Int64                // see CountReorder
}

// Options says how to reach the database.
type Options struct {
	URL         string     // a Postgres connection string
	Clock       core.Clock // what time it is
	Connections int        // how many to make at most, at least MinConnections; 0 for DefaultConnections
}

// Open prepares the pools. Connections are made when they are needed.
func Open(ctx context.Context, o Options) (*DB, error) {
	size := int32(max(cmp.Or(o.Connections, DefaultConnections), MinConnections))
	main, err := openPool(ctx, o.URL, size-writerConnections-idConnections, nil)
	if err != nil {
		return nil, err
	}
	writer, err := openPool(ctx, o.URL, writerConnections, prepareWriter)
	if err != nil {
		main.Close()
		return nil, err
	}
	reserved, err := openPool(ctx, o.URL, idConnections, nil)
	if err != nil {
		main.Close()
		writer.Close()
		return nil, err
	}
	return &DB{Main: main, Writer: WriterPool{writer}, Reserved: reserved, IDs: newIDs(reserved), clock: o.Clock}, nil
}

// Close ends all connections.
func (db *DB) Close() {
	db.Writer.pool.Close()
	db.Reserved.Close()
	db.Main.Close()
}

// Now returns the time by the clock, in the precision of the database.
func (db *DB) Now() core.Time { return core.At(db.clock()) }

// OnDeliveries has a function called after each commit that made deliveries, with how many; it must return at once. There is
// one at a time.
func (db *DB) OnDeliveries(call func(made int64)) { db.waiting.Store(&call) }

// AnnounceDeliveries says that deliveries were made and committed.
func (db *DB) AnnounceDeliveries(made int64) {
	if call := db.waiting.Load(); call != nil && made > 0 {
		(*call)(made)
	}
}

// CountReorder says that this server has committed what can change which issues come first, beside counting events: an issue is new,
// or has become open, or was released.
func (db *DB) CountReorder() { db.reorder.Add(1) }

// Reorders returns how often CountReorder was called.
func (db *DB) Reorders() int64 { return db.reorder.Load() }

// Pools returns the state of each pool of connections, by what it is for.
func (db *DB) Pools() map[string]*pgxpool.Stat {
	return map[string]*pgxpool.Stat{"main": db.Main.Stat(), "events": db.Writer.pool.Stat(), "ids": db.Reserved.Stat()}
}

// WriterPools returns the pools that taking events in needs.
func (db *DB) WriterPools() []*pgxpool.Pool { return []*pgxpool.Pool{db.Reserved, db.Writer.pool} }

// ConnectWriter makes the connections of the writer of events, before reads take the server's last ones. What cannot be
// made now is made when it is needed; only a writer without any is an error.
func (db *DB) ConnectWriter(ctx context.Context) error {
	for _, pool := range db.WriterPools() {
		if err := connectAll(ctx, pool); err != nil {
			return WrapError(err)
		}
	}
	return nil
}

// CountWorkers returns how many background jobs may run at once, so that they leave most connections to others.
func (db *DB) CountWorkers() int { return max(1, int(db.Main.Config().MaxConns)/4) }

// Of a role and a database, -1 is no limit.
const connectionLimit = `
SELECT coalesce(least(nullif(r.rolconnlimit, -1), nullif(d.datconnlimit, -1)), current_setting('max_connections')::int) AS limit
FROM pg_roles r, pg_database d WHERE r.rolname = current_user AND d.datname = current_database()`

// FitConnections makes no more connections than the database lets its role have, where that is known: one that
// is refused would be an error, where one that is in use is waited for. It returns how many it was to make, and how many
// are allowed. It is called before anything else uses the database.
func (db *DB) FitConnections(ctx context.Context) (wanted, allowed int, err error) {
	row, err := QueryOne[struct{ Limit int }](ctx, db.Main, connectionLimit, Args{})
	if err != nil {
		return 0, 0, err
	}
	config, others := db.Main.Config(), writerConnections+idConnections
	wanted = int(config.MaxConns) + others
	if row.Limit >= wanted {
		return wanted, row.Limit, nil
	}
	config.MaxConns = int32(max(row.Limit, MinConnections) - others)
	fitting, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return 0, 0, err
	}
	db.Main.Close()
	db.Main = fitting
	return wanted, row.Limit, nil
}
