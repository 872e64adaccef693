package store

import (
	"context"

	"errand/store/pg"
)

const (
	addSecret  = `INSERT INTO install_secrets (name, value) VALUES (@name, @value) ON CONFLICT (name) DO NOTHING`
	readSecret = `SELECT value FROM install_secrets WHERE name = @name`
)

// EnsureSecret returns the installation's secret with the name. If there is none yet, it stores the fresh value. All
// servers on the database have the same secret.
func (s *Store) EnsureSecret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	if _, err := pg.Exec(ctx, s.db.Main, addSecret, pg.Args{"name": name, "value": fresh}); err != nil {
		return nil, err
	}
	row, err := pg.QueryOne[struct{ Value []byte }](ctx, s.db.Main, readSecret, pg.Args{"name": name})
	return row.Value, err
}
