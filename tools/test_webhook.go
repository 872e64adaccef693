package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) testWebhook(ctx context.Context, _ core.Call, in core.WebhookInput) (core.Data[core.AddedDelivery], error) {
	id, err := t.store.AddPing(ctx, in.ID)
	return wrapData(core.AddedDelivery{DeliveryID: id}, err)
}
