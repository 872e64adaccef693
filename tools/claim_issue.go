package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) claimIssue(ctx context.Context, call core.Call, in core.ClaimIssueInput) (core.Data[core.Issue], error) {
	return wrapData(t.store.Claim(ctx, call.Actor, in.ID, in.Minutes))
}
