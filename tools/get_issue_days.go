package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) getIssueDays(ctx context.Context, _ core.Call, in core.IssueInput) (core.Data[core.IssueDays], error) {
	return wrapData(t.store.ReadDays(ctx, in.ID))
}
