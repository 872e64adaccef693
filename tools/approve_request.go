package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) approveRequest(ctx context.Context, call core.Call, in core.ApprovalInput) (core.Data[core.Decision], error) {
	return wrapData(core.Decision{ID: in.ID, Decision: "approve"}, t.store.Approve(ctx, call.Actor, in.ID))
}
