package store

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"errand/store/pg"
)

// ConnectWriter makes the connections of the writer of events, before reads take the server's last ones. Connections that
// cannot be made now are made when they are needed; it is an error only when there is none at all.
func (s *Store) ConnectWriter(ctx context.Context) error { return s.db.ConnectWriter(ctx) }

// FitConnections reduces the connections to the number that the database allows its role, where that is known. A connection
// beyond it would be refused with an error, whereas one in use is waited for. It returns the number wanted and the number
// allowed. Call it before anything else uses the store.
func (s *Store) FitConnections(ctx context.Context) (wanted, allowed int, err error) {
	return s.db.FitConnections(ctx)
}

// Pools returns the state of each pool of connections, by its purpose.
func (s *Store) Pools() map[string]*pgxpool.Stat { return s.db.Pools() }

// CountWorkers returns how many background jobs may run at the same time. They leave most connections to others.
func (s *Store) CountWorkers() int { return s.db.CountWorkers() }

// NewQueueDriver lets the queue of background jobs use the store's connections. The queue's tables belong to the queue
// alone: the work to do is recorded in ours, so an emptied queue loses nothing.
func (s *Store) NewQueueDriver() *riverpgxv5.Driver { return riverpgxv5.New(s.db.Main) }

// WrapError gives an error of the database the code that its client sees. It is for code that uses the store's connections
// directly, such as the queue.
func WrapError(err error) error { return pg.WrapError(err) }

const writeCheck = `
INSERT INTO install_times (name, at) VALUES ('write_check', @now)
ON CONFLICT (name) DO UPDATE SET at = excluded.at`

// CheckWrites returns why nothing can be written now: the database is away, read-only, or full. It uses a connection that
// neither reads nor jobs can hold.
func (s *Store) CheckWrites(ctx context.Context) error {
	_, err := pg.Exec(ctx, s.db.Reserved, writeCheck, pg.Args{"now": s.Now()})
	return err
}

// PrepareRole sets on the role of the connections the settings of its sessions. Call it before ConnectWriter. See
// pg.DB.PrepareRole for its error.
func (s *Store) PrepareRole(ctx context.Context) error { return s.db.PrepareRole(ctx) }
