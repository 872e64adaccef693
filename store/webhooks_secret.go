package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

const (
	lockSealed  = `SELECT sealed FROM webhooks WHERE id = @id AND deleted_at IS NULL FOR UPDATE`
	writeSealed = `UPDATE webhooks SET sealed = @sealed WHERE id = @id`
)

// ChangeWebhookSecrets replaces the sealed secrets of a webhook by what change makes of them, and returns the webhook. An unknown webhook
// is not_found. Two changes at the same time follow each other.
func (s *Store) ChangeWebhookSecrets(
	ctx context.Context, actor core.Actor, id int64, change func(StoredWebhook) (sealed string, err error),
) (StoredWebhook, error) {
	var webhook StoredWebhook
	err := s.inTx(ctx, func(t *tx) (err error) {
		if _, err = pg.QueryLocked[struct{ Sealed string }](ctx, t.Tx, lockSealed, pg.Args{"id": id}, "webhooks", id); err != nil {
			return err
		}
		if webhook, err = getWebhook(ctx, t, id); err != nil {
			return err
		}
		sealed, err := change(webhook)
		if err != nil {
			return err
		}
		if _, err := pg.Exec(ctx, t, writeSealed, pg.Args{"id": id, "sealed": sealed}); err != nil {
			return err
		}
		return t.recordWebhook(ctx, actor, core.ActionWebhookRotate, id, int64(webhook.ProjectID), webhook.Name, webhook.URL)
	})
	return webhook, err
}
