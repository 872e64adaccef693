package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) listWebhooks(ctx context.Context, _ core.Call, _ core.ListWebhooksInput) (core.Data[core.List[core.Webhook]], error) {
	stored, err := t.store.ListWebhooks(ctx)
	list := make(core.List[core.Webhook], len(stored))
	for i, w := range stored {
		list[i] = describeWebhook(w)
	}
	return wrapData(list, err)
}

func describeWebhook(w store.StoredWebhook) core.Webhook {
	return core.Webhook{ID: w.ID, Name: w.Name, URL: core.Text(w.URL), To: w.Recipients, WebhookTerms: describeTerms(w)}
}

func describeTerms(w store.StoredWebhook) core.WebhookTerms {
	terms := core.WebhookTerms{
		Format: w.Format, Events: w.Events, SpikeThreshold: w.SpikeThreshold, MinTrust: w.MinTrust, ProjectID: w.ProjectID,
		CreatedAt: w.CreatedAt, CreatedBy: core.Text(w.CreatedBy),
	}
	if w.LastDelivery != "" {
		terms.LastDeliveryStatus = &w.LastDelivery
	}
	return terms
}
