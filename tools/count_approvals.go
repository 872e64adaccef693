package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) countApprovals(ctx context.Context, _ core.Call, _ core.CountApprovalsInput) (core.Data[core.ApprovalCount], error) {
	pending, err := t.store.CountApprovals(ctx)
	return wrapData(core.ApprovalCount{Pending: pending}, err)
}
