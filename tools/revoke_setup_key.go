package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) revokeSetupKey(ctx context.Context, call core.Call, in core.RevokeSetupKeyInput) (core.None, error) {
	return core.None{}, t.store.RevokeSetupKey(ctx, call.Actor, in.ID)
}
