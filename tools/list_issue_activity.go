package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listIssueActivity(ctx context.Context, _ core.Call, in core.ListIssueActivityInput) (core.Page[core.Activity], error) {
	return t.store.ListIssueActivity(ctx, in.ID, in.Kind, in.Paging)
}
