package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) releaseIssue(ctx context.Context, call core.Call, in core.IssueInput) (core.Data[core.Issue], error) {
	return wrapData(t.store.Release(ctx, call.Actor, in.ID))
}
