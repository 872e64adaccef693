package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) deleteProjectKey(ctx context.Context, call core.Call, in core.DeleteProjectKeyInput) (core.None, error) {
	id, err := t.store.FindProjectExactly(ctx, in.Project)
	if err != nil {
		return core.None{}, err
	}
	return core.None{}, t.store.RevokeProjectKey(ctx, call.Actor, id, in.Key)
}
