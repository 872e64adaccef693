package tools

import (
	"context"

	"errand/core"
)

func (t *Tools) deleteWebhook(ctx context.Context, call core.Call, in core.WebhookInput) (core.None, error) {
	return core.None{}, t.store.DeleteWebhook(ctx, call.Actor, in.ID)
}
