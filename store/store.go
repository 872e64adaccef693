// Package store has the SQL of the nouns: one file per noun, each statement a constant above its method. store/intake is
// the write path of events; store/pg is the layer below all statements.
//
// An exported method is one transaction, which includes the activity row. Times come from the injected clock, never from
// the database. A row that does not exist is core.NotFound; an absent database is core.Unavailable.
package store

import (
	"cmp"
	"context"
	"maps"
	"sync/atomic"
	"time"

	"errand/core"
	"errand/fixes"
	"errand/store/intake"
	"errand/store/pg"
)

// Options says how to reach the database.
type Options struct {
	URL   string     // a Postgres connection string
	Clock core.Clock // the current time
	// Settings are this server's values, by name, for the core.InstallationSettings that the installation does not set.
	Settings map[string]string

	// Verify bounds how long the error of a deployed fix has to stay away. The zero value is DefaultVerify.
	Verify fixes.Bounds

	// Connections is the most connections that the server makes (DATABASE_POOL), at least MinConnections; 0 for
	// DefaultConnections.
	Connections int
	// OwnsPostgres says that the server is ours and reached directly, so that connections may have settings.
	OwnsPostgres bool
}

// How many connections a server makes.
const (
	DefaultConnections = pg.DefaultConnections
	MinConnections     = pg.MinConnections
)

// DefaultVerify are the defaults of VERIFY_MIN and VERIFY_MAX (decisions 2).
var DefaultVerify = fixes.Bounds{Min: time.Hour, Max: 7 * 24 * time.Hour}

// Store is the database. It is safe for concurrent use.
type Store struct {
	Intake *intake.Writer // the write path of events

	db     *pg.DB
	owners *owners

	ownSettings map[string]string // Options.Settings
	settings    atomic.Pointer[core.Settings]

	searchBounds searchBounds
	frequencies  frequencies
	noiseSweep   noiseSweep
	verify       fixes.Bounds // Options.Verify
	rankings     rankings
	totals       totals
	statuses     keptCounts[core.IssueCounts]
	filterValues keptCounts[core.FilterValues]
}

// Open prepares the connections. They are made when they are needed.
func Open(ctx context.Context, o Options) (*Store, error) {
	settings, err := core.ReadSettings(o.Settings)
	if err != nil {
		return nil, err
	}
	db, err := pg.Open(ctx, pg.Options{URL: o.URL, Clock: o.Clock, Connections: o.Connections, OwnsPostgres: o.OwnsPostgres})
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, owners: newOwners(), searchBounds: usualSearch, verify: cmp.Or(o.Verify, DefaultVerify),
		ownSettings: map[string]string{}}
	s.Intake = intake.New(db, s.storedPerIssue, func() int64 { return s.Settings().NewIssuesPerHour })
	maps.Copy(s.ownSettings, o.Settings)
	s.settings.Store(&settings)
	return s, nil
}

// storedPerIssue returns how many stored events an issue keeps.
func (s *Store) storedPerIssue() int64 { return s.settings.Load().StoredPerIssue }

// OnDeliveries sets the function that is called after each commit of this server that made deliveries, with their number.
// It must return quickly.
func (s *Store) OnDeliveries(call func(made int64)) { s.db.OnDeliveries(call) }

// Close ends all connections.
func (s *Store) Close() { s.db.Close() }

// ReadClock asks the database what time it is (pg.DB.ReadClock).
func (s *Store) ReadClock(ctx context.Context) (pg.ClockReading, error) { return s.db.ReadClock(ctx) }

// Now returns the time by the store's clock, in the precision of the store.
func (s *Store) Now() core.Time { return s.db.Now() }

// forgetCounts drops the counts of a project that this server has changed.
func (s *Store) forgetCounts(project int64) {
	s.totals.forgetProject(project)
	s.statuses.forgetProject(project)
	s.filterValues.forgetProject(project)
}
