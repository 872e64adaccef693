package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) changeIssues(ctx context.Context, call core.Call, in core.ChangeIssuesInput) (core.Data[core.ChangedIssues], error) {
	issues, err := t.store.ChangeIssues(ctx, call.Actor, store.BulkChange{
		IDs: in.IDs, Action: in.Action, Term: in.IgnoreTerm,
		Holds: in.Action == core.BulkIgnore && t.holdsAction(core.HoldIgnore),
	})
	changed := core.ChangedIssues{Issues: issues}
	counts := map[core.BulkOutcome]*int64{
		core.BulkChanged: &changed.Changed, core.BulkUnchanged: &changed.Unchanged, core.BulkHeld: &changed.Held,
		core.BulkRefused: &changed.Refused,
	}
	for _, issue := range issues {
		*counts[issue.Outcome]++
	}
	return wrapData(changed, err)
}
