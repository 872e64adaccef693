package store

import (
	"context"
	"time"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

const apiKeyColumns = `k.id, k.name, k.prefix, k.permissions, k.created_at, k.created_by, k.last_used_at, k.revoked_at`

const (
	insertAPIKey = `
INSERT INTO api_keys (id, created_at, hash, name, prefix, permissions, created_by)
VALUES (@id, @now, @hash, @name, @prefix, @permissions, @created_by)`
	listAPIKeys = `
SELECT ` + apiKeyColumns + `
FROM api_keys k
ORDER BY k.created_at DESC, k.id DESC`
	findAPIKeyByHash = `
SELECT ` + apiKeyColumns + `
FROM api_keys k
WHERE k.hash = @hash AND k.revoked_at IS NULL`
	revokeAPIKey = `UPDATE api_keys SET revoked_at = @now WHERE id = @id AND revoked_at IS NULL`
	touchAPIKey  = `
UPDATE api_keys SET last_used_at = @now
WHERE id = @id AND (last_used_at IS NULL OR last_used_at <= @minute_ago)`
)

// NewAPIKey is an API key to store.
type NewAPIKey struct {
	Name        string
	Hash        []byte // SHA-256 of the key
	Prefix      string
	Permissions []core.Scope
}

// CreateAPIKey stores an API key.
func (s *Store) CreateAPIKey(ctx context.Context, actor core.Actor, n NewAPIKey) (core.APIKey, error) {
	key := core.APIKey{Name: n.Name, Prefix: n.Prefix, Permissions: n.Permissions, CreatedBy: core.Text(actor.Name)}
	err := s.inTx(ctx, func(t *tx) (err error) {
		if key.ID, err = s.db.IDs.TakeOne(ctx, tokenIDs); err != nil {
			return err
		}
		key.CreatedAt = t.Now
		_, err = pg.Exec(ctx, t, insertAPIKey, pg.Args{
			"id": key.ID, "now": t.Now, "hash": n.Hash, "name": n.Name, "prefix": n.Prefix, "permissions": n.Permissions,
			"created_by": actor.Name,
		})
		if err != nil {
			return err
		}
		return t.recordAPIKey(ctx, actor, core.ActionAPIKeyCreate, key.ID)
	})
	return key, err
}

func (t *tx) recordAPIKey(ctx context.Context, actor core.Actor, action core.Action, id int64) error {
	_, err := t.recordActivity(ctx, activity.Entry{Actor: actor, Action: action, TargetType: core.TargetAPIKey, TargetID: id})
	return err
}

// ListAPIKeys lists all API keys, most recent first.
func (s *Store) ListAPIKeys(ctx context.Context) ([]core.APIKey, error) {
	return pg.QueryMany[core.APIKey](ctx, s.db.Main, listAPIKeys, pg.Args{})
}

// RevokeAPIKey revokes an API key on every server immediately. An unknown or revoked key is not_found.
func (s *Store) RevokeAPIKey(ctx context.Context, actor core.Actor, id int64) error {
	return s.inTx(ctx, func(t *tx) error {
		n, err := pg.Exec(ctx, t, revokeAPIKey, pg.Args{"id": id, "now": t.Now})
		if err != nil {
			return err
		}
		if n == 0 {
			return core.NewError(core.NotFound)
		}
		return t.recordAPIKey(ctx, actor, core.ActionAPIKeyRevoke, id)
	})
}

// UseAPIKey returns the API key with the hash and notes its use, at most once a minute. An unknown or revoked key is
// not_found. Every call asks the database, so that a revocation takes effect immediately.
func (s *Store) UseAPIKey(ctx context.Context, hash []byte) (core.APIKey, error) {
	key, err := pg.QueryOne[core.APIKey](ctx, s.db.Main, findAPIKeyByHash, pg.Args{"hash": hash})
	if err != nil {
		return core.APIKey{}, err
	}
	now := s.Now()
	minuteAgo := now.Add(-time.Minute)
	if key.LastUsedAt.IsZero() || !key.LastUsedAt.After(minuteAgo) {
		_, err = pg.Exec(ctx, s.db.Main, touchAPIKey, pg.Args{"id": key.ID, "now": now, "minute_ago": minuteAgo})
	}
	return key, err
}
