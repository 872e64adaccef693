package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) ignoreIssue(ctx context.Context, call core.Call, in core.IgnoreIssueInput) (core.OrHeld[core.Data[core.Issue]], error) {
	return issueOrHeld(t.CarryOut(ctx, call, store.IgnoreIssue{ID: in.ID, Term: in.IgnoreTerm}))
}
