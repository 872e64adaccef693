package store

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"errand/store/pg"
)

// ConnectWriter makes the connections of the writer of events, before reads take the server's last ones. What cannot be
// made now is made when it is needed; only a writer without any is an error.
func (s *Store) ConnectWriter(ctx context.Context) error { return s.db.ConnectWriter(ctx) }

// FitConnections makes no more connections than the database lets its role have, where that is known: one that is refused
// would be an error, where one that is in use is waited for. It returns how many were to be made, and how many are allowed.
// It is called before anything else uses the store.
func (s *Store) FitConnections(ctx context.Context) (wanted, allowed int, err error) {
	return s.db.FitConnections(ctx)
}

// Pools returns the state of each pool of connections, by what it is for.
func (s *Store) Pools() map[string]*pgxpool.Stat { return s.db.Pools() }

// CountWorkers returns how many background jobs may run at once, so that they leave most connections to others.
func (s *Store) CountWorkers() int { return s.db.CountWorkers() }

// NewQueueDriver lets the queue of background jobs work on the store's connections. Its tables are the queue's alone: what
// is to be done stands in ours, and a queue that is emptied loses nothing.
func (s *Store) NewQueueDriver() *riverpgxv5.Driver { return riverpgxv5.New(s.db.Main) }

// WrapError returns an error of the database with the code that its client gets, for what works on the store's connections
// by itself, such as the queue.
func WrapError(err error) error { return pg.WrapError(err) }

const writeCheck = `
INSERT INTO install_times (name, at) VALUES ('write_check', @now)
ON CONFLICT (name) DO UPDATE SET at = excluded.at`

// CheckWrites reports why nothing can be written now: the database is away, read-only, or full. It takes a connection that
// neither reads nor jobs can hold.
func (s *Store) CheckWrites(ctx context.Context) error {
	_, err := pg.Exec(ctx, s.db.Reserved, writeCheck, pg.Args{"now": s.Now()})
	return err
}

// PrepareRole sets on the role of the connections what its sessions are to have from their start. It is called before ConnectWriter.
// See pg.DB.PrepareRole for its error.
func (s *Store) PrepareRole(ctx context.Context) error { return s.db.PrepareRole(ctx) }
