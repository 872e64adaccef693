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
	store    *Store
	reorders *bool // set when the transaction may change which issues come first
}

// inTx runs fn in a transaction, as pg.DB.InTx does.
func (s *Store) inTx(ctx context.Context, fn func(*tx) error) error {
	var reorders bool
	err := s.db.InTx(ctx, func(t *pg.Tx) error {
		reorders = false
		return fn(&tx{Tx: t, store: s, reorders: &reorders})
	})
	if err == nil && reorders {
		s.db.CountReorder()
	}
	return err
}

const commitSoon = `SET LOCAL synchronous_commit = off`

// inTxSoonWritten is inTx for changes that may be lost when the machine stops at the same moment: nobody waits for the
// disk. Everyone sees them immediately nevertheless.
func (s *Store) inTxSoonWritten(ctx context.Context, fn func(*tx) error) error {
	return s.inTx(ctx, func(t *tx) error {
		if _, err := pg.Exec(ctx, t, commitSoon, pg.Args{}); err != nil {
			return err
		}
		return fn(t)
	})
}

// inSavepoint runs fn in a savepoint. If it fails, its changes are undone, and the transaction goes on.
func (t *tx) inSavepoint(ctx context.Context, fn func(*tx) error) error {
	return t.InSavepoint(ctx, func(savepoint *pg.Tx) error { return fn(&tx{Tx: savepoint, store: t.store, reorders: t.reorders}) })
}

// recordActivity writes an activity row in the transaction of the change that it describes.
func (t *tx) recordActivity(ctx context.Context, e activity.Entry) (int64, error) {
	if e.Action != core.ActionIssueClaim { // taking an issue checks whether it is claimed
		*t.reorders = true
	}
	return activity.Write(ctx, t.store.db, t.Tx, e)
}

// recordOfIssue writes an activity row about an issue.
func (t *tx) recordOfIssue(ctx context.Context, actor core.Actor, project, issue int64, action core.Action, data any) error {
	_, err := t.recordActivity(ctx, activity.OfIssue(actor, project, issue, action, data))
	return err
}
