package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listLabels(ctx context.Context, _ core.Call, in core.ListLabelsInput) (core.Page[core.Label], error) {
	since, err := in.Since.Time(t.store.Now().Time)
	if err != nil {
		return core.Page[core.Label]{}, err
	}
	return t.store.Labels(ctx, since, core.Paging{Limit: in.Limit, Cursor: in.Cursor})
}
