package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) splitIssue(ctx context.Context, call core.Call, in core.SplitIssueInput) (core.Data[core.Issue], error) {
	return wrapData(t.store.SplitIssue(ctx, call.Actor, in.ID, in.EventIDs, t.findType))
}
