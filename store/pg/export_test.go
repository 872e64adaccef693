package pg

import "context"

// PrepareRoleWith is PrepareRole with other settings.
func (db *DB) PrepareRoleWith(ctx context.Context, settings map[string]string) error {
	return db.prepareRole(ctx, settings)
}

// OnShard is onShard.
var OnShard = onShard

// WithAddress is withAddress.
var WithAddress = withAddress

// PickRows is pickRows.
var PickRows = pickRows
