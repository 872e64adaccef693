package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listIssueEvents(ctx context.Context, _ core.Call, in core.ListOfIssueInput) (core.Page[core.EventRow], error) {
	return t.store.ListIssueEvents(ctx, in.ID, in.Paging)
}
