package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) resolveIssue(ctx context.Context, call core.Call, in core.IssueInput) (core.Data[core.Issue], error) {
	return wrapData(t.store.SetStatus(ctx, call.Actor, in.ID, core.Resolved))
}
