// Package service is the format "service": signed JSON that agent runners start work from (webhooks, Resources).
package service

import (
	"context"
	"net/http"

	"errand/core"
	"errand/notify"
)

// body is the JSON that a receiver gets.
type body struct {
	Event      notify.EventName `json:"event"`
	DeliveryID int64            `json:"delivery_id"`
	WebhookID  int64            `json:"webhook_id"`
	CreatedAt  core.Time        `json:"created_at"`
	Issue      *notify.Issue    `json:"issue"`
	Brief      *notify.Brief    `json:"brief"`
}

// NewRequest returns the request of a delivery, signed with the secret of the webhook.
func NewRequest(ctx context.Context, m *notify.Message, target notify.Target) (*http.Request, error) {
	encoded, err := notify.EncodeJSON(body{
		Event: m.Event, DeliveryID: m.DeliveryID, WebhookID: m.WebhookID, CreatedAt: m.CreatedAt, Issue: m.Issue, Brief: m.Brief,
	})
	if err != nil {
		return nil, err
	}
	request, err := notify.NewRequest(ctx, target.URL, encoded)
	if err != nil {
		return nil, err
	}
	return request, notify.AddDeliveryHeaders(request, m, target)
}
