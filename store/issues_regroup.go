package store

import (
	"context"
	"strings"

	"errand/core"
	"errand/store/intake"
)

// Merges and splits both move stored events to another issue. This is their common part.

// inGroupingTx runs fn in a transaction during which no other merge or split of the project happens. So the grouping that
// fn reads before it locks issues stays valid, and fn can lock all of them in one sorted order. A deleted project is not_found.
func (s *Store) inGroupingTx(ctx context.Context, project int64, fn func(*tx) error) error {
	return s.inTx(ctx, func(t *tx) error {
		if err := t.lockGrouping(ctx, project); err != nil {
			return err
		}
		return fn(t)
	})
}

// lockProject locks a project against other merges and splits, and against its deletion.
func (t *tx) lockProject(ctx context.Context, project int64) error {
	err := intake.LockProject(ctx, t.Tx, project)
	if core.HasCode(err, core.ProjectNotFound) {
		return core.NewError(core.NotFound)
	}
	return err
}

// lockGrouping is lockProject, which keeps the events of the project on their issues. It comes before the locks on issues, as in
// intake.Writer.DropExpired.
func (t *tx) lockGrouping(ctx context.Context, project int64) error {
	if err := t.lockProject(ctx, project); err != nil {
		return err
	}
	return t.FindByKey(ctx)
}

// brokenRule is a rule that the listed ids break, in words that the ids can follow.
type brokenRule struct {
	words string
	ids   []string
}

// refuseBroken returns invalid_request with a detail for each broken rule, or nil.
func refuseBroken(path string, rules ...brokenRule) error {
	var details []core.Detail
	for _, r := range rules {
		if len(r.ids) > 0 {
			details = append(details, core.Detail{Path: path, Message: r.words + ": " + strings.Join(r.ids, ", ")})
		}
	}
	if len(details) == 0 {
		return nil
	}
	return &core.Error{Code: core.InvalidRequest, Details: details}
}
