package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) getIssue(ctx context.Context, _ core.Call, in core.IssueInput) (core.Data[core.IssueDetail], error) {
	return wrapData(t.store.Issue(ctx, in.ID))
}
