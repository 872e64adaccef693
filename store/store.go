// Package store has the SQL of the nouns: one file per noun, each statement a constant above its method. The write path of
// events is store/intake; what all statements stand on is store/pg.
//
// An exported method is one transaction, with the activity row in it. Times come from the injected clock, never from
// the database. A row that is not there is core.NotFound, a database that is away is core.Unavailable.
package store

import (
	"context"
	"maps"
	"sync/atomic"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

// Options says how to reach the database.
type Options struct {
	URL   string     // a Postgres connection string
	Clock core.Clock // what time it is
	// Settings are the values, by name, that hold on this server where the installation has none: of core.InstallationSettings.
	Settings map[string]string

	// Connections is how many connections the server makes at most (DATABASE_POOL), at least MinConnections; 0 for
	// DefaultConnections.
	Connections int
}

// How many connections a server makes.
const (
	DefaultConnections = pg.DefaultConnections
	MinConnections     = pg.MinConnections
)

// Store is the database. It is safe for concurrent use.
type Store struct {
	Intake *intake.Writer // the write path of events

	db     *pg.DB
	owners *owners

	ownSettings map[string]string // Options.Settings
	settings    atomic.Pointer[core.Settings]

	searching   searchBounds
	frequencies frequencies
}

// Open prepares the connections. They are made when they are needed.
func Open(ctx context.Context, o Options) (*Store, error) {
	settings, err := core.ReadSettings(o.Settings)
	if err != nil {
		return nil, err
	}
	db, err := pg.Open(ctx, pg.Options{URL: o.URL, Clock: o.Clock, Connections: o.Connections})
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, owners: newOwners(), searching: usualSearch, ownSettings: map[string]string{}}
	s.Intake = intake.New(db, s.storedPerIssue)
	maps.Copy(s.ownSettings, o.Settings)
	s.settings.Store(&settings)
	return s, nil
}

// storedPerIssue returns how many stored events an issue keeps.
func (s *Store) storedPerIssue() int64 { return s.settings.Load().StoredPerIssue }

// Close gives all connections back.
func (s *Store) Close() { s.db.Close() }

// Now returns the time by the store's clock, in the precision of the store.
func (s *Store) Now() core.Time { return s.db.Now() }
