package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) revokeToken(ctx context.Context, call core.Call, in core.RevokeTokenInput) (core.None, error) {
	return core.None{}, t.store.RevokeToken(ctx, call.Actor, in.ID)
}
