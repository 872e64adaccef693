package app

import (
	"context"
	"fmt"
	"time"

	"errand/core"
	"errand/seal"
	"errand/store"
)

func (e *examination) checkWebhooks(ctx context.Context) error {
	if e.db.Settings().HoldsOutgoing {
		e.addWarning("webhooks", "to send again: errand settings unset OUTGOING", "OUTGOING is off: no webhook is called and no mail is sent")
	}
	list, err := e.db.ListWebhooks(ctx)
	if err != nil {
		return err
	}
	keys, err := e.config.collectKeys(false)
	if err != nil {
		return err
	}
	ring, _ := seal.ParseRing(keys)
	var sealed, failing int
	for _, webhook := range list {
		if webhook.Sealed != "" {
			sealed++
		}
		if failure := describeLastFailure(&webhook); failure != "" {
			failing++
			e.addWarning("webhooks", fmt.Sprintf("look at its deliveries: GET /v1/webhooks/%d/deliveries, or its page in settings", webhook.ID),
				"the last delivery of webhook %d (%s) %s", webhook.ID, webhook.Format, failure)
		}
	}
	if sealed > 0 && !ring.CanSeal() {
		e.addWarning("webhooks", "give commands and every server the same ENCRYPTION_KEYS",
			"%d webhooks have secrets, and ENCRYPTION_KEYS is not set for %s", sealed, e.of)
	}
	oldest := e.state.OldestPendingAt
	if waits := e.db.Now().Sub(oldest.Time); !oldest.IsZero() && waits > longPending {
		e.addWarning("webhooks", "see whether their receivers answer, and whether a server has the role worker",
			"the oldest delivery has waited for %s", waits.Round(time.Minute))
	}
	if failing == 0 {
		e.addOK("webhooks", "%d webhooks, none whose last delivery failed", len(list))
	}
	return nil
}

// describeLastFailure says how the last delivery of a webhook failed; empty when it did not, or not yet.
func describeLastFailure(webhook *store.StoredWebhook) string {
	switch {
	case webhook.LastDelivery == core.DeliveryFailed:
		return "failed for good"
	case webhook.LastDelivery == core.DeliveryPending && webhook.LastAttempts > 0:
		return fmt.Sprintf("has not arrived yet; attempts that failed: %d", webhook.LastAttempts)
	}
	return ""
}
