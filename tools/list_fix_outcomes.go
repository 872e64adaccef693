package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listFixOutcomes(ctx context.Context, _ core.Call, in core.ListFixOutcomesInput) (core.Page[core.FixOutcome], error) {
	return t.store.ListFixOutcomes(ctx, in.Since, core.Paging{Limit: in.Limit, Cursor: in.Cursor})
}
