// Package store is the only one that writes SQL: one file per noun, each statement a constant above its method.
//
// An exported method is one transaction, with the activity row in it. Times come from the injected clock, never from
// the database. A row that is not there is core.NotFound, a database that is away is core.Unavailable.
package store

import (
	"cmp"
	"context"
	"maps"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"errand/core"
	"errand/fixes"
)

// Options says how to reach the database.
type Options struct {
	URL   string     // a Postgres connection string
	Clock core.Clock // what time it is
	// Settings are the values, by name, that hold on this server where the installation has none: of core.InstallationSettings.
	Settings map[string]string

	// Verify bounds how long the error of a deployed fix has to stay away; the zero value is DefaultVerify.
	Verify fixes.Bounds

	// Connections is how many connections the server makes at most (DATABASE_POOL), at least MinConnections; 0 for
	// DefaultConnections.
	Connections int
}

// How many stored events an issue keeps: the first keepFirst and the newest (decisions 2).
const (
	DefaultKeep = core.DefaultStoredPerIssue
	MinKeep     = core.MinStoredPerIssue
	keepFirst   = 100
)

// DefaultVerify are the defaults of VERIFY_MIN and VERIFY_MAX (decisions 2).
var DefaultVerify = fixes.Bounds{Min: time.Hour, Max: 7 * 24 * time.Hour}

// Store is the database. It is safe for concurrent use.
type Store struct {
	pool   *pgxpool.Pool // everything but the two below
	writer *pgxpool.Pool // the writer of events: its plans are pinned
	ids    *ids
	owners *owners
	known  *known
	days   *days

	ownSettings map[string]string // Options.Settings
	settings    atomic.Pointer[core.Settings]

	searching    searchBounds
	overfull     overfull
	frequencies  frequencies
	dictionaries *dictionaries
	verify       fixes.Bounds
	clock        core.Clock
}

// Open prepares the pools; connections are made when they are needed.
func Open(ctx context.Context, o Options) (*Store, error) {
	settings, err := core.ReadSettings(o.Settings)
	if err != nil {
		return nil, err
	}
	size := int32(max(cmp.Or(o.Connections, DefaultConnections), MinConnections))
	pool, err := openPool(ctx, o.URL, size-writerConnections-idConnections, nil)
	if err != nil {
		return nil, err
	}
	writer, err := openPool(ctx, o.URL, writerConnections, prepareWriter)
	if err != nil {
		pool.Close()
		return nil, err
	}
	allocator, err := openPool(ctx, o.URL, idConnections, nil)
	if err != nil {
		pool.Close()
		writer.Close()
		return nil, err
	}
	s := &Store{
		pool: pool, writer: writer, clock: o.Clock,
		ids: newIDs(allocator), owners: newOwners(), known: newKnown(), days: &days{}, dictionaries: newDictionaries(),
		searching: usualSearch, verify: cmp.Or(o.Verify, DefaultVerify), ownSettings: map[string]string{},
	}
	maps.Copy(s.ownSettings, o.Settings)
	s.settings.Store(&settings)
	return s, nil
}

// keep is how many stored events an issue keeps.
func (s *Store) keep() int64 { return s.settings.Load().StoredPerIssue }

// Close gives all connections back.
func (s *Store) Close() {
	s.writer.Close()
	s.ids.pool.Close()
	s.pool.Close()
}

// Now is the time by the store's clock, in the precision of the store.
func (s *Store) Now() core.Time { return core.At(s.clock()) }

// Ping tells whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return wrap(s.pool.Ping(ctx)) }

// Pools gives the state of each pool of connections, by what it is for.
func (s *Store) Pools() map[string]*pgxpool.Stat {
	return map[string]*pgxpool.Stat{"main": s.pool.Stat(), "events": s.writer.Stat(), "ids": s.ids.pool.Stat()}
}
