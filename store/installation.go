package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"errand/core"
	"errand/store/pg"
)

// Installation identifies this installation and its database.
type Installation struct {
	ID         string     // a copy of the database has the same one
	Database   string     // a restored or moved database has another one
	RestoredAt *core.Time // when a server first ran on this database; nil when the installation was always on it
}

const (
	identifyDatabase = `
SELECT d.oid::bigint AS id, has_function_privilege('pg_control_system()', 'execute')
	AND has_function_privilege('pg_control_checkpoint()', 'execute') AS sees_cluster,
	CASE WHEN pg_has_role('pg_read_all_settings', 'usage') THEN current_setting('data_directory') ELSE '' END AS folder
FROM pg_database d WHERE d.datname = current_database()`
	// Recovery from a backup begins a new timeline, even where the system identifier stays.
	identifyCluster = `
SELECT s.system_identifier, c.timeline_id::bigint AS timeline FROM pg_control_system() s, pg_control_checkpoint() c`
	ensureInstallation = `
INSERT INTO install_identity (id, database) VALUES (@id, @database)
ON CONFLICT (one) DO UPDATE SET database = excluded.database,
	restored_at = CASE WHEN install_identity.database = excluded.database THEN install_identity.restored_at ELSE @now END
RETURNING id, database, restored_at`
)

// EnsureInstallation returns the identity of the installation. If there is none yet, it gets the fresh id.
func (s *Store) EnsureInstallation(ctx context.Context, freshID string) (Installation, error) {
	database, err := s.identifyDatabase(ctx)
	if err != nil {
		return Installation{}, err
	}
	var found Installation
	err = s.inTx(ctx, func(t *tx) (err error) {
		found, err = pg.QueryOne[Installation](ctx, t, ensureInstallation, pg.Args{"id": freshID, "database": database, "now": t.Now})
		return err
	})
	return found, err
}

// FindInstallation returns the id of the installation; empty when no server has needed one yet.
func (s *Store) FindInstallation(ctx context.Context) (string, error) {
	row, err := pg.QueryOne[struct{ ID string }](ctx, s.db.Main, findIdentity, pg.Args{})
	return row.ID, err
}

// identifyDatabase returns a digest of the properties that a copy of the database does not share: its id in the cluster,
// the cluster, and its folder. It leaves out properties that the role may not read.
func (s *Store) identifyDatabase(ctx context.Context) (string, error) {
	database, err := pg.QueryOne[struct {
		ID          int64
		SeesCluster bool
		Folder      string
	}](ctx, s.db.Main, identifyDatabase, pg.Args{})
	if err != nil {
		return "", err
	}
	var cluster struct{ SystemIdentifier, Timeline int64 }
	if database.SeesCluster {
		if cluster, err = pg.QueryOne[struct{ SystemIdentifier, Timeline int64 }](ctx, s.db.Main, identifyCluster, pg.Args{}); err != nil {
			return "", err
		}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %d %s", database.ID, cluster.SystemIdentifier, cluster.Timeline, database.Folder))
	return hex.EncodeToString(sum[:8]), nil
}
