package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) mergeIssues(ctx context.Context, call core.Call, in core.MergeIssuesInput) (core.Data[core.Issue], error) {
	return data(t.store.MergeIssues(ctx, call.Actor, in.ID, in.SourceIDs))
}
