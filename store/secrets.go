package store

import (
	"context"

	"errand/store/pg"
)

const (
	addSecret  = `INSERT INTO install_secrets (name, value) VALUES (@name, @value) ON CONFLICT (name) DO NOTHING`
	readSecret = `SELECT value FROM install_secrets WHERE name = @name`
)

// InstallSecret gives the installation's secret of the name: the fresh value when there was none yet. All servers on
// the database have the same one.
func (s *Store) InstallSecret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	if _, err := pg.Exec(ctx, s.db.Main, addSecret, pg.Args{"name": name, "value": fresh}); err != nil {
		return nil, err
	}
	row, err := pg.QueryOne[struct{ Value []byte }](ctx, s.db.Main, readSecret, pg.Args{"name": name})
	return row.Value, err
}
