package tools

import (
	"context"

	"errand/core"
	"errand/store"
)

func (t *Tools) listAlerts(ctx context.Context, _ core.Call, _ core.ListAlertsInput) (core.Data[core.List[core.Alert]], error) {
	stored, err := t.store.ListWebhooks(ctx)
	list := make(core.List[core.Alert], len(stored))
	for i, w := range stored {
		list[i] = core.Alert{
			ID: w.ID, Name: w.Name, URL: core.Text(store.CutQuery(w.URL)), Recipients: int64(len(w.Recipients)), WebhookTerms: describeTerms(w),
		}
	}
	return wrapData(list, err)
}
