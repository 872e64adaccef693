package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listApprovals(ctx context.Context, _ core.Call, in core.ListApprovalsInput) (core.Page[core.Approval], error) {
	return t.store.ListApprovals(ctx, in.Status, in.Paging)
}
