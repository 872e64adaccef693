package store

import (
	"context"
	"errors"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// tx is one transaction of the store's methods.
type tx struct {
	*pg.Tx
	store    *Store
	recorded int  // activity rows that were written: what changes nothing writes none
	trial    bool // an action is only tried: see Store.Ask
}

// inTx runs fn in a transaction, as pg.DB.InTx does.
func (s *Store) inTx(ctx context.Context, fn func(*tx) error) error {
	return s.db.InTx(ctx, func(t *pg.Tx) error { return fn(&tx{Tx: t, store: s}) })
}

// within runs fn in a savepoint: when it fails, what it did is undone, and the transaction goes on.
func (t *tx) within(ctx context.Context, fn func(*tx) error) error {
	inner := &tx{store: t.store}
	err := t.InSavepoint(ctx, func(savepoint *pg.Tx) error {
		inner.Tx = savepoint
		return fn(inner)
	})
	if err == nil {
		t.recorded += inner.recorded
	}
	return err
}

// record writes an activity row in the transaction of the change that it tells of.
func (t *tx) record(ctx context.Context, e activity.Entry) (int64, error) {
	t.recorded++
	return activity.Write(ctx, t.store.db, t.Tx, e)
}

// recordOfIssue writes an activity row about an issue.
func (t *tx) recordOfIssue(ctx context.Context, actor core.Actor, project, issue int64, action core.Action, data any) error {
	_, err := t.record(ctx, activity.OfIssue(actor, project, issue, action, data))
	return err
}

// errPossible says of an action that is only tried that it could be carried out, and would change something.
var errPossible = errors.New("store: the action is possible")

// checked is what an action with much to change calls between its checks and its changes, to spare them in a trial.
func (t *tx) checked() error {
	if t.trial {
		return errPossible
	}
	return nil
}
