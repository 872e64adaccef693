package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) rejectRequest(ctx context.Context, call core.Call, in core.ApprovalInput) (core.Data[core.Decision], error) {
	return wrapData(core.Decision{ID: in.ID, Decision: "reject"}, t.store.Reject(ctx, call.Actor, in.ID))
}
