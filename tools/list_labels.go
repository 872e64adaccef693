package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listLabels(ctx context.Context, _ core.Call, in core.ListLabelsInput) (core.Page[core.Label], error) {
	return t.store.ListLabels(ctx, in.Since, core.Paging{Limit: in.Limit, Cursor: in.Cursor})
}
