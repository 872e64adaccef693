package tools

import (
	"context"

	"errand/brief"
	"errand/core"
)

func (t *Tools) getBrief(ctx context.Context, call core.Call, in core.GetBriefInput) (core.Data[core.Brief], error) {
	o := brief.Options{Budget: in.Budget, Reader: call.Actor.As(in.Worker), Random: t.random}
	return wrapData(brief.BuildBrief(ctx, t.store, in.ID, o))
}
