package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) ignoreIssue(ctx context.Context, call core.Call, in core.IssueInput) (core.Data[core.Issue], error) {
	return wrapData(t.carryOut(ctx, call, store.IgnoreIssue{ID: in.ID}))
}
