package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) claimIssue(ctx context.Context, call core.Call, in core.ClaimIssueInput) (core.Data[core.ClaimedIssue], error) {
	return wrapData(t.store.ClaimIssue(ctx, call.Actor.As(in.Worker), in.ID, in.Minutes))
}
