package store

import (
	"context"
	"strings"

	"errand/core"
	"errand/store/pg"
)

// What merges and splits have in common: both move stored events to another issue.

// lockGrouping keeps the events of a project on their issues. It comes before the locks on issues, as in dropDay.
const lockGrouping = `SELECT id FROM projects WHERE id = @id AND deleted_at IS NULL FOR NO KEY UPDATE`

// regroup runs fn in a transaction in which no other merge or split of the project happens: what fn reads of the grouping
// before it locks issues stays true, so that it can lock all of them in one sorted order. A deleted project is not_found.
func (s *Store) regroup(ctx context.Context, project int64, fn func(*tx) error) error {
	return s.inTx(ctx, func(t *tx) error {
		if err := t.lockGrouping(ctx, project); err != nil {
			return err
		}
		return fn(t)
	})
}

// lockProject locks a project against other merges and splits, and against its deletion.
func (t *tx) lockProject(ctx context.Context, project int64) error {
	_, err := pg.QueryOne[struct{ ID int64 }](ctx, t, lockGrouping, pg.Args{"id": project})
	return err
}

func (t *tx) lockGrouping(ctx context.Context, project int64) error {
	if err := t.lockProject(ctx, project); err != nil {
		return err
	}
	return t.FindByKey(ctx)
}

// rule is one that the listed ids break, in words that the ids can follow.
type rule struct {
	words string
	ids   []string
}

// refusal is invalid_request with a detail for each rule that is broken, or nil.
func refusal(path string, rules ...rule) error {
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
