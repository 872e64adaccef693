package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) endSession(ctx context.Context, call core.Call, in core.EndSessionInput) (core.None, error) {
	return core.None{}, t.store.EndSessionOf(ctx, call.Actor, in.ID)
}
