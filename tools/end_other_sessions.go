package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) endOtherSessions(ctx context.Context, call core.Call, _ core.EndOtherSessionsInput) (core.None, error) {
	return core.None{}, t.store.EndOtherSessions(ctx, call.Actor)
}
