package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listActivity(ctx context.Context, _ core.Call, in core.ListActivityInput) (core.Page[core.Activity], error) {
	return t.store.ListActivity(ctx, in.Paging)
}
