package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

const (
	setupKeyColumns = `k.id, k.prefix, k.created_at, k.created_by, k.expires_at`

	insertSetupKey = `
INSERT INTO setup_keys (id, hash, prefix, created_at, created_by, expires_at)
VALUES (@id, @hash, @prefix, @now, @created_by, @expires_at)`
	findSetupKeyByHash = `
SELECT k.id, k.prefix, k.connected_at
FROM setup_keys k
WHERE k.hash = @hash AND k.revoked_at IS NULL AND k.expires_at > @now`
	touchSetupKey = `UPDATE setup_keys SET connected_at = @now WHERE id = @id AND connected_at IS NULL`
	listSetupKeys = `
SELECT ` + setupKeyColumns + `, k.apps, k.tokens, k.revoked_at
FROM setup_keys k
WHERE @only::bigint = 0 OR k.id = @only
ORDER BY k.created_at DESC, k.id DESC`
	countActiveSetupKeys = `SELECT count(*) AS n FROM setup_keys WHERE revoked_at IS NULL AND expires_at > @now`
	revokeSetupKey       = `
UPDATE setup_keys SET revoked_at = @now
WHERE id = @id AND revoked_at IS NULL AND (@only::bigint = 0 OR id = @only)`
	revokeSetupTokens = `UPDATE tokens SET revoked_at = @now WHERE setup_key_id = @id AND revoked_at IS NULL RETURNING id`
	// Whatever a key makes holds the key's row until it is done, so that counts are exact and a key that is revoked in the
	// meantime makes nothing more.
	lockSetupKey = `
SELECT k.id, k.apps, k.tokens, k.connected_at
FROM setup_keys k
WHERE k.id = @id AND k.revoked_at IS NULL AND k.expires_at > @now
FOR UPDATE`
	nameSetupProgram = `UPDATE setup_keys SET agent = @agent WHERE id = @id AND agent <> @agent AND (agent = '' OR @replace::boolean)`
)

// NewSetupKey is a setup key to store.
type NewSetupKey struct {
	Hash   []byte // SHA-256 of the key
	Prefix string
}

// CreateSetupKey stores a setup key, valid from now on for core.SetupKeyLife.
func (s *Store) CreateSetupKey(ctx context.Context, actor core.Actor, n NewSetupKey) (core.SetupKey, error) {
	id, err := s.db.IDs.TakeOne(ctx, tokenIDs)
	if err != nil {
		return core.SetupKey{}, err
	}
	now := s.Now()
	key := core.SetupKey{ID: id, Prefix: n.Prefix, CreatedAt: now, CreatedBy: actor.Name, ExpiresAt: core.At(now.Add(core.SetupKeyLife))}
	_, err = pg.Exec(ctx, s.db.Main, insertSetupKey, pg.Args{
		"id": id, "hash": n.Hash, "prefix": n.Prefix, "now": now, "created_by": actor.Name, "expires_at": key.ExpiresAt,
	})
	return key, err
}

// UsedSetupKey is the setup key of a call.
type UsedSetupKey struct {
	ID          int64
	Prefix      string
	ConnectedAt core.Time
}

// UseSetupKey returns the setup key with the hash and notes its first use. An unknown, revoked or expired key is not_found.
func (s *Store) UseSetupKey(ctx context.Context, hash []byte) (UsedSetupKey, error) {
	now := s.Now()
	key, err := pg.QueryOne[UsedSetupKey](ctx, s.db.Main, findSetupKeyByHash, pg.Args{"hash": hash, "now": now})
	if err == nil && key.ConnectedAt.IsZero() {
		_, err = pg.Exec(ctx, s.db.Main, touchSetupKey, pg.Args{"id": key.ID, "now": now})
	}
	return key, err
}

// setupKeyOf returns the id of the actor's setup key; 0 for other actors.
func setupKeyOf(actor core.Actor) int64 {
	if !actor.IsSetupKey {
		return 0
	}
	return int64(actor.ID)
}

// ListSetupKeys lists the setup keys that the actor may see, newest first: a setup key sees itself.
func (s *Store) ListSetupKeys(ctx context.Context, actor core.Actor) ([]core.ListedSetupKey, error) {
	return pg.QueryMany[core.ListedSetupKey](ctx, s.db.Main, listSetupKeys, pg.Args{"only": setupKeyOf(actor)})
}

// RevokeSetupKey revokes a setup key and the tokens that it made. A key that is unknown, revoked, or invisible to the actor is not_found.
func (s *Store) RevokeSetupKey(ctx context.Context, actor core.Actor, id int64) error {
	return s.inTx(ctx, func(t *tx) error {
		if err := t.LockRow(ctx, "setup_keys", id); err != nil {
			return err
		}
		n, err := pg.Exec(ctx, t, revokeSetupKey, pg.Args{"id": id, "now": t.Now, "only": setupKeyOf(actor)})
		if err != nil {
			return err
		}
		if n == 0 {
			return core.NewError(core.NotFound)
		}
		return t.revokeTokens(ctx, actor, revokeSetupTokens, id)
	})
}

// NameSetupProgram notes which program uses a setup key. With replace it overwrites an earlier name.
func (s *Store) NameSetupProgram(ctx context.Context, key int64, program core.Program, replace bool) error {
	_, err := pg.Exec(ctx, s.db.Main, nameSetupProgram, pg.Args{"id": key, "agent": string(program), "replace": replace})
	return err
}

// setupKeyRow is the locked row of a setup key.
type setupKeyRow struct {
	ID          int64
	Apps        int64
	Tokens      int64
	ConnectedAt core.Time
}

// lockSetupKey locks the actor's setup key. A key that was revoked or has expired is unauthorized.
func (t *tx) lockSetupKey(ctx context.Context, id int64) (setupKeyRow, error) {
	key, err := pg.QueryLocked[setupKeyRow](ctx, t.Tx, lockSetupKey, pg.Args{"id": id, "now": t.Now}, "setup_keys", id)
	if core.HasCode(err, core.NotFound) {
		err = core.NewError(core.Unauthorized)
	}
	return key, err
}
