package store

import (
	"context"
)

const (
	addSecret  = `INSERT INTO install_secrets (name, value) VALUES (@name, @value) ON CONFLICT (name) DO NOTHING`
	readSecret = `SELECT value FROM install_secrets WHERE name = @name`
)

// InstallSecret gives the installation's secret of the name: the fresh value when there was none yet. All servers on
// the database have the same one.
func (s *Store) InstallSecret(ctx context.Context, name string, fresh []byte) ([]byte, error) {
	if _, err := exec(ctx, s.pool, addSecret, args{"name": name, "value": fresh}); err != nil {
		return nil, err
	}
	row, err := one[struct{ Value []byte }](ctx, s.pool, readSecret, args{"name": name})
	return row.Value, err
}
