package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) revokeAPIKey(ctx context.Context, call core.Call, in core.RevokeAPIKeyInput) (core.None, error) {
	return core.None{}, t.store.RevokeAPIKey(ctx, call.Actor, in.ID)
}
