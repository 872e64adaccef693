package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) listActivity(ctx context.Context, _ core.Call, in core.ListActivityInput) (core.Page[core.Activity], error) {
	project, err := t.findOptionalProject(ctx, in.Project)
	if err != nil {
		return core.Page[core.Activity]{}, err
	}
	return t.store.ListActivity(ctx, store.ActivityFilter{
		ProjectID: project, IssueID: in.Issue, Action: in.Action, Actor: in.Actor, Since: in.Since, Paging: in.Paging,
	})
}
