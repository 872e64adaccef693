package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) deleteProject(ctx context.Context, call core.Call, in core.ProjectInput) (core.None, error) {
	id, err := t.store.FindProject(ctx, in.Project)
	if err != nil {
		return core.None{}, err
	}
	_, err = t.carryOut(ctx, call, store.DeleteProject{ID: id})
	return core.None{}, err
}
