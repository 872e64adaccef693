package jobs

import (
	"context"
	"time"

	"errand/notify/formats"
)

// sealPortion is how many webhooks are read at a time.
const sealPortion = 100

type sealWebhooksArgs struct{}

func (sealWebhooksArgs) Kind() string { return "seal_webhooks" }

// sealWebhooks seals the secrets of webhooks with the newest key, so that older keys can be removed from ENCRYPTION_KEYS.
func sealWebhooks(o Options) job {
	return runEvery(10*time.Minute, usualTimeout, sealWebhooksArgs{}, o.sealWebhooks)
}

// sealWebhooks reads the webhooks in order of their ids, so that it meets a webhook without a key only once. It
// leaves that one unchanged, since another server may have the key.
func (o Options) sealWebhooks(ctx context.Context) error {
	if o.Keys == nil || !o.Keys.CanSeal() {
		return nil
	}
	for after := int64(0); ; {
		old, err := o.Store.ListSealedWebhooks(ctx, o.Keys.NewestID(), after, sealPortion)
		if err != nil || len(old) == 0 {
			return err
		}
		for _, webhook := range old {
			after = webhook.ID
			fresh, err := formats.SealAnew(o.Keys, webhook.ID, webhook.Sealed)
			if err != nil {
				o.Log.WarnContext(ctx, "the secrets of a webhook cannot be opened, so that its deliveries fail: create it again, or put the key "+
					"back into ENCRYPTION_KEYS", "webhook_id", webhook.ID, "error", err)
				continue
			}
			if err := o.Store.ReplaceSealed(ctx, webhook, fresh); err != nil {
				return err
			}
		}
	}
}
