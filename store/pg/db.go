package pg

import (
	"cmp"
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"

	"errand/core"
)

// DB is the database: its pools of connections, the ids that it hands out, and the clock.
type DB struct {
	Main     *pgxpool.Pool // everything but the two below, and what is read on nodes
	Writer   *WriterPool   // the writer of events, if the tables are not distributed (OnShard): its plans are pinned
	Reserved *pgxpool.Pool // for ids and for the check whether the server is ready: reads and jobs cannot hold it
	IDs      *IDs

	clock   core.Clock
	waiting atomic.Pointer[func(int64)] // called after deliveries were made
	reorder atomic.Int64                // see CountReorder

	distributed    atomic.Bool // see IsDistributed
	shards         *shards
	nodes          *shardNodes
	url            string
	looksForFrozen atomic.Bool // one caller at a time does, see endFrozen
}

// Options says how to reach the database.
type Options struct {
	URL         string     // a Postgres connection string
	Clock       core.Clock // the current time
	Connections int        // the most connections to make, at least MinConnections; 0 for DefaultConnections
	// OwnsPostgres says that the server is ours and reached directly, so that connections may have settings.
	OwnsPostgres bool
}

// Open prepares the pools. Connections are made when they are needed.
func Open(ctx context.Context, o Options) (*DB, error) {
	size := int32(max(cmp.Or(o.Connections, DefaultConnections), MinConnections))
	ofMain := poolOptions{size: size - writerConnections - idConnections}
	ofWriter := poolOptions{size: writerConnections, afterConnect: prepareWriter}
	ofIDs := poolOptions{size: idConnections}
	if o.OwnsPostgres {
		ofMain.keep, ofMain.stay, ofMain.renew = keepOwnConnected, 1, renewOwnConnected
		ofWriter.keep, ofWriter.settings = keepOfIntake, writerSettings
		ofIDs.keep = keepOfIntake
	}
	main, err := openPool(ctx, o.URL, ofMain)
	if err != nil {
		return nil, err
	}
	writer, err := openPool(ctx, o.URL, ofWriter)
	if err != nil {
		main.Close()
		return nil, err
	}
	reserved, err := openPool(ctx, o.URL, ofIDs)
	if err != nil {
		main.Close()
		writer.Close()
		return nil, err
	}
	db := &DB{
		Main: main, Writer: &WriterPool{pool: writer, isPinned: o.OwnsPostgres}, Reserved: reserved, IDs: newIDs(reserved),
		clock: o.Clock, url: o.URL,
	}
	db.shards = newShards(db)
	db.nodes = &shardNodes{db: db, readers: map[string]*pgxpool.Pool{}, writers: map[string]*pgxpool.Pool{}}
	return db, nil
}

// Close ends all connections.
func (db *DB) Close() {
	db.nodes.closePools()
	db.Writer.pool.Close()
	db.Reserved.Close()
	db.Main.Close()
}

// Now returns the time by the clock, in the precision of the database.
func (db *DB) Now() core.Time { return core.At(db.clock()) }

// OnDeliveries sets the function that is called after each commit that made deliveries, with their number. It must return
// quickly. A second call replaces the function of the first.
func (db *DB) OnDeliveries(call func(made int64)) { db.waiting.Store(&call) }

// AnnounceDeliveries calls the function of OnDeliveries: that many deliveries were made and committed.
func (db *DB) AnnounceDeliveries(made int64) {
	if call := db.waiting.Load(); call != nil && made > 0 {
		(*call)(made)
	}
}

// CountReorder notes a commit of this server that can change which issues come first: an issue is new, was reopened or was
// released. Counting events does not call it.
func (db *DB) CountReorder() { db.reorder.Add(1) }

// Reorders returns how often CountReorder was called.
func (db *DB) Reorders() int64 { return db.reorder.Load() }

// Pools returns the state of each pool of connections, by its purpose. Those to nodes are "reads" and "events", with the node's address.
func (db *DB) Pools() map[string]*pgxpool.Stat {
	stats := map[string]*pgxpool.Stat{"main": db.Main.Stat(), "events": db.Writer.pool.Stat(), "ids": db.Reserved.Stat()}
	db.nodes.addStats(stats)
	return stats
}

// WriterPools returns the pools that the intake of events needs, besides those to nodes.
func (db *DB) WriterPools() []*pgxpool.Pool { return []*pgxpool.Pool{db.Reserved, db.Writer.pool} }

// ConnectWriter makes the connections of the writer of events, before reads take the server's last ones. Connections that
// cannot be made now are made when they are needed; it is an error only when there is none at all.
func (db *DB) ConnectWriter(ctx context.Context) error {
	for _, pool := range db.WriterPools() {
		if err := connectAll(ctx, pool); err != nil {
			return WrapError(err)
		}
	}
	return nil
}

// CountWorkers returns how many background jobs may run at the same time. They leave most connections to others.
func (db *DB) CountWorkers() int { return max(1, int(db.Main.Config().MaxConns)/4) }

// In both columns -1 means no limit.
const connectionLimit = `
SELECT coalesce(least(nullif(r.rolconnlimit, -1), nullif(d.datconnlimit, -1)), current_setting('max_connections')::int) AS limit
FROM pg_roles r, pg_database d WHERE r.rolname = current_user AND d.datname = current_database()`

// FitConnections reduces the connections to the number that the database allows its role, where that is known. A connection
// beyond it would be refused with an error, whereas one in use is waited for. It returns the number wanted and the number
// allowed. Call it before anything else uses the database: it replaces the pool for reads, and Postgres counts a closed connection for a
// moment longer.
func (db *DB) FitConnections(ctx context.Context) (wanted, allowed int, err error) {
	row, err := QueryOne[struct{ Limit int }](ctx, db.Reserved, connectionLimit, Args{})
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
