package tools

import (
	"context"

	"errand/brief"
	"errand/core"
)

func (t *Tools) getBrief(ctx context.Context, call core.Call, in core.GetBriefInput) (core.Data[core.Brief], error) {
	return wrapData(brief.BuildBrief(ctx, t.store, in.ID, brief.Options{Budget: in.Budget, Reader: call.Actor, Random: t.random}))
}
