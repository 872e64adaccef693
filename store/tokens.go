package store

import (
	"context"
	"time"

	"errand/core"
	"errand/store/activity"
	"errand/store/intake"
	"errand/store/pg"
)

const tokenIDs pg.Series = "tokens"

const selectTokens = `
SELECT t.id, t.name, t.scopes, t.prefix, t.created_at, t.created_by, t.last_used_at, t.revoked_at,
	coalesce(t.project_id, 0) AS project_id, coalesce(p.name, '') AS project_name
FROM tokens t LEFT JOIN projects p ON p.id = t.project_id`

const (
	listTokens      = selectTokens + ` ORDER BY t.created_at DESC, t.id DESC`
	findTokenByHash = selectTokens + ` WHERE t.hash = @hash AND t.revoked_at IS NULL`
	findTokenByID   = selectTokens + ` WHERE t.id = @id`
	insertToken     = `
INSERT INTO tokens (id, name, hash, prefix, scopes, project_id, created_at, created_by)
VALUES (@id, @name, @hash, @prefix, @scopes, nullif(@project_id::bigint, 0), @now, @created_by)`
	revokeToken = `UPDATE tokens SET revoked_at = @now WHERE id = @id AND revoked_at IS NULL`
	touchToken  = `
UPDATE tokens SET last_used_at = @now
WHERE id = @id AND (last_used_at IS NULL OR last_used_at <= @hour_ago)`
)

// NewToken is a token to store.
type NewToken struct {
	Name      string
	Hash      []byte // SHA-256 of the token
	Prefix    string
	Scopes    []core.Scope
	ProjectID int64 // 0: all apps
}

// CreateToken stores a token; one for a project that is not there is project_not_found.
func (s *Store) CreateToken(ctx context.Context, actor core.Actor, n NewToken) (core.Token, error) {
	var token core.Token
	err := s.inTx(ctx, func(t *tx) (err error) {
		token, err = t.createToken(ctx, actor, n)
		return err
	})
	return token, err
}

func (t *tx) createToken(ctx context.Context, actor core.Actor, n NewToken) (core.Token, error) {
	if n.ProjectID != 0 { // a deletion of the project waits, and revokes the token then
		if err := intake.ShareProject(ctx, t.Tx, n.ProjectID); err != nil {
			return core.Token{}, err
		}
	}
	id, err := t.store.db.IDs.TakeOne(ctx, tokenIDs)
	if err != nil {
		return core.Token{}, err
	}
	_, err = pg.Exec(ctx, t, insertToken, pg.Args{
		"id": id, "name": n.Name, "hash": n.Hash, "prefix": n.Prefix, "scopes": n.Scopes,
		"project_id": n.ProjectID, "now": t.Now, "created_by": actor.Name,
	})
	if err != nil {
		return core.Token{}, err
	}
	created := activity.Entry{Actor: actor, Action: core.ActionTokenCreate, TargetType: core.TargetToken, TargetID: id}
	if _, err = t.recordActivity(ctx, created); err != nil {
		return core.Token{}, err
	}
	return pg.QueryOne[core.Token](ctx, t, findTokenByID, pg.Args{"id": id})
}

// ListTokens lists all tokens, most recent first.
func (s *Store) ListTokens(ctx context.Context) ([]core.Token, error) {
	return pg.QueryMany[core.Token](ctx, s.db.Main, listTokens, pg.Args{})
}

// recordRevoked writes down that tokens were revoked, and ends their claims.
func (t *tx) recordRevoked(ctx context.Context, actor core.Actor, ids ...int64) error {
	for _, id := range ids {
		_, err := t.recordActivity(ctx, activity.Entry{Actor: actor, Action: core.ActionTokenRevoke, TargetType: core.TargetToken, TargetID: id})
		if err != nil {
			return err
		}
	}
	return t.endClaims(ctx, actor, ids)
}

// RevokeToken revokes a token and ends its claims; an unknown or revoked one is not_found.
func (s *Store) RevokeToken(ctx context.Context, actor core.Actor, id int64) error {
	return s.inTx(ctx, func(t *tx) error {
		n, err := pg.Exec(ctx, t, revokeToken, pg.Args{"id": id, "now": t.Now})
		if err != nil {
			return err
		}
		if n == 0 {
			return core.NewError(core.NotFound)
		}
		return t.recordRevoked(ctx, actor, id)
	})
}

// UseToken returns the token with the hash and notes that it was used, at most once an hour. An unknown or revoked token
// is not_found: every call asks, so that a revocation acts at once.
func (s *Store) UseToken(ctx context.Context, hash []byte) (core.Token, error) {
	token, err := pg.QueryOne[core.Token](ctx, s.db.Main, findTokenByHash, pg.Args{"hash": hash})
	if err != nil {
		return core.Token{}, err
	}
	now := s.Now()
	if hourAgo := now.Add(-time.Hour); token.LastUsedAt.IsZero() || !token.LastUsedAt.After(hourAgo) {
		if _, err := pg.Exec(ctx, s.db.Main, touchToken, pg.Args{"id": token.ID, "now": now, "hour_ago": hourAgo}); err != nil {
			return core.Token{}, err
		}
	}
	return token, nil
}

const findAdmin = `SELECT EXISTS (SELECT FROM tokens WHERE 'admin' = ANY (scopes) AND revoked_at IS NULL) AS found`

// HasAdmin reports whether some token has the scope admin.
func (s *Store) HasAdmin(ctx context.Context) (bool, error) {
	row, err := pg.QueryOne[struct{ Found bool }](ctx, s.db.Main, findAdmin, pg.Args{})
	return row.Found, err
}
