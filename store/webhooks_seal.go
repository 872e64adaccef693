package store

import (
	"context"

	"errand/store/pg"
)

const (
	listSealed = `
SELECT id, sealed FROM webhooks
WHERE id > @after AND sealed <> '' AND NOT starts_with(sealed, @prefix)
ORDER BY id LIMIT @limit`
	replaceSealed = `UPDATE webhooks SET sealed = @fresh WHERE id = @id AND sealed = @old`
)

// SealedWebhook is a webhook with its sealed secrets.
type SealedWebhook struct {
	ID     int64
	Sealed string
}

// ListSealedWebhooks returns webhooks after an id whose secrets are sealed with a key other than the one with this id.
func (s *Store) ListSealedWebhooks(ctx context.Context, keyID string, after int64, limit int) ([]SealedWebhook, error) {
	return pg.QueryMany[SealedWebhook](ctx, s.db.Main, listSealed, pg.Args{"prefix": keyID + ":", "after": after, "limit": limit})
}

// ReplaceSealed writes the newly sealed secrets of a webhook, unless someone has changed them since.
func (s *Store) ReplaceSealed(ctx context.Context, old SealedWebhook, fresh string) error {
	_, err := pg.Exec(ctx, s.db.Main, replaceSealed, pg.Args{"id": old.ID, "old": old.Sealed, "fresh": fresh})
	return err
}
