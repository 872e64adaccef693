package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) mergeIssues(ctx context.Context, call core.Call, in core.MergeIssuesInput) (core.OrHeld[core.Data[core.Issue]], error) {
	return issueOrHeld(t.CarryOut(ctx, call, store.MergeIssues{Target: in.ID, Sources: in.SourceIDs}))
}
