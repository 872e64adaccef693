package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) deleteProject(ctx context.Context, call core.Call, in core.ProjectInput) (core.None, error) {
	id, err := t.store.FindProject(ctx, in.Project)
	if err != nil {
		return core.None{}, err
	}
	return core.None{}, t.store.DeleteProject(ctx, call.Actor, id)
}
