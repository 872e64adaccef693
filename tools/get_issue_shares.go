package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) getIssueShares(ctx context.Context, _ core.Call, in core.IssueInput) (core.Data[core.IssueShares], error) {
	return wrapData(t.store.ReadShares(ctx, in.ID))
}
