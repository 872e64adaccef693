package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) resendDelivery(ctx context.Context, _ core.Call, in core.ResendDeliveryInput) (core.Data[core.Delivery], error) {
	return wrapData(t.store.ResendDelivery(ctx, in.ID, in.DeliveryID))
}
