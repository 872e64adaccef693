package store

import (
	"context"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// tx is one transaction of the store's methods.
type tx struct {
	*pg.Tx
	store *Store
}

// inTx runs fn in a transaction, as pg.DB.InTx does.
func (s *Store) inTx(ctx context.Context, fn func(*tx) error) error {
	return s.db.InTx(ctx, func(t *pg.Tx) error { return fn(&tx{Tx: t, store: s}) })
}

// within runs fn in a savepoint: when it fails, what it did is undone, and the transaction goes on.
func (t *tx) within(ctx context.Context, fn func(*tx) error) error {
	return t.InSavepoint(ctx, func(savepoint *pg.Tx) error { return fn(&tx{Tx: savepoint, store: t.store}) })
}

// record writes an activity row in the transaction of the change that it is about.
func (t *tx) record(ctx context.Context, e activity.Entry) (int64, error) {
	return activity.Write(ctx, t.store.db, t.Tx, e)
}

// recordOfIssue writes an activity row about an issue.
func (t *tx) recordOfIssue(ctx context.Context, actor core.Actor, project, issue int64, action core.Action, data any) error {
	_, err := t.record(ctx, activity.OfIssue(actor, project, issue, action, data))
	return err
}
