package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) deleteProject(ctx context.Context, call core.Call, in core.ProjectInput) (core.OrHeld[core.None], error) {
	id, err := t.store.FindProjectExactly(ctx, in.Project)
	if err != nil {
		return core.OrHeld[core.None]{}, err
	}
	outcome, err := t.CarryOut(ctx, call, store.DeleteProject{ID: id})
	return core.OrHeld[core.None]{ApprovalID: outcome.ApprovalID}, err
}
