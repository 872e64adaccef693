package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) listDeliveries(ctx context.Context, _ core.Call, in core.ListDeliveriesInput) (core.Page[core.Delivery], error) {
	return t.store.ListDeliveries(ctx, in.ID, in.Paging)
}
