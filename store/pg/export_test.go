package pg

import "context"

// PrepareRoleWith is PrepareRole with other settings.
func (db *DB) PrepareRoleWith(ctx context.Context, settings map[string]string) error {
	return db.prepareRole(ctx, settings)
}

// OnShard and WithAddress are onShard and withAddress.
var (
	OnShard     = onShard
	WithAddress = withAddress
)
