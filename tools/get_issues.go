package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) getIssues(ctx context.Context, _ core.Call, in core.GetIssuesInput) (core.Data[core.List[core.IssueDetail]], error) {
	return wrapData(t.store.ReadIssues(ctx, in.IDs))
}
