package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/core"
)

const selectTokens = `
SELECT t.id, t.name, t.scopes, t.prefix, t.created_at, t.created_by, t.last_used_at, t.revoked_at,
	coalesce(t.project_id, 0) AS project_id, coalesce(p.name, '') AS project_name
FROM tokens t LEFT JOIN projects p ON p.id = t.project_id`

const (
	listTokens  = selectTokens + ` ORDER BY t.created_at DESC, t.id DESC`
	tokenByHash = selectTokens + ` WHERE t.hash = @hash AND t.revoked_at IS NULL`
	tokenByID   = selectTokens + ` WHERE t.id = @id`
	insertToken = `
INSERT INTO tokens (id, name, hash, prefix, scopes, project_id, created_at, created_by)
VALUES (@id, @name, @hash, @prefix, @scopes, nullif(@project_id::bigint, 0), @now, @created_by)`
	// The lock makes a deletion of the project wait, which revokes the token then.
	shareProject = `SELECT id FROM projects WHERE id = @id AND deleted_at IS NULL FOR SHARE`
	revokeToken  = `UPDATE tokens SET revoked_at = @now WHERE id = @id AND revoked_at IS NULL`
	touchToken   = `
UPDATE tokens SET last_used_at = @now
WHERE id = @id AND (last_used_at IS NULL OR last_used_at <= @hour_ago)`
)

func tokenRow(row pgx.CollectableRow) (core.Token, error) {
	return pgx.RowToStructByPos[core.Token](row)
}

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
	err := s.inTx(ctx, func(t *tx) error {
		if err := t.shareProject(ctx, n.ProjectID); err != nil {
			return err
		}
		id, err := s.ids.one(ctx, tokenIDs)
		if err != nil {
			return err
		}
		_, err = exec(ctx, t, insertToken, args{
			"id": id, "name": n.Name, "hash": n.Hash, "prefix": n.Prefix, "scopes": n.Scopes,
			"project_id": n.ProjectID, "now": t.now, "created_by": actor.Name,
		})
		if err != nil {
			return err
		}
		if _, err = t.record(ctx, entry{actor: actor, action: core.ActionTokenCreate, targetType: core.TargetToken, targetID: id}); err != nil {
			return err
		}
		token, err = t.token(ctx, tokenByID, args{"id": id})
		return err
	})
	return token, err
}

// shareProject keeps a project from being deleted until the transaction ends; 0 is none.
func (t *tx) shareProject(ctx context.Context, id int64) error {
	if id == 0 {
		return nil
	}
	_, err := one[struct{ ID int64 }](ctx, t, shareProject, args{"id": id})
	if core.HasCode(err, core.NotFound) {
		return core.NewError(core.ProjectNotFound)
	}
	return err
}

func (t *tx) token(ctx context.Context, sql string, a args) (core.Token, error) {
	rows, err := t.Query(ctx, sql, a)
	if err != nil {
		return core.Token{}, err
	}
	return pgx.CollectExactlyOneRow(rows, tokenRow)
}

// Tokens lists all tokens, most recent first.
func (s *Store) Tokens(ctx context.Context) ([]core.Token, error) {
	rows, err := s.pool.Query(ctx, listTokens)
	if err != nil {
		return nil, wrap(err)
	}
	list, err := pgx.CollectRows(rows, tokenRow)
	return list, wrap(err)
}

// recordRevoked writes down that tokens were revoked, and ends their claims.
func (t *tx) recordRevoked(ctx context.Context, actor core.Actor, ids ...int64) error {
	for _, id := range ids {
		_, err := t.record(ctx, entry{actor: actor, action: core.ActionTokenRevoke, targetType: core.TargetToken, targetID: id})
		if err != nil {
			return err
		}
	}
	return t.endClaims(ctx, actor, ids)
}

// RevokeToken revokes a token and ends its claims; an unknown or revoked one is not_found.
func (s *Store) RevokeToken(ctx context.Context, actor core.Actor, id int64) error {
	return s.inTx(ctx, func(t *tx) error {
		n, err := exec(ctx, t, revokeToken, args{"id": id, "now": t.now})
		if err != nil {
			return err
		}
		if n == 0 {
			return core.NewError(core.NotFound)
		}
		return t.recordRevoked(ctx, actor, id)
	})
}

// UseToken gives the token with the hash and notes that it was used, at most once an hour. An unknown or revoked token
// is not_found: every call asks, so that a revocation acts at once.
func (s *Store) UseToken(ctx context.Context, hash []byte) (core.Token, error) {
	rows, err := s.pool.Query(ctx, tokenByHash, args{"hash": hash})
	if err != nil {
		return core.Token{}, wrap(err)
	}
	found, err := pgx.CollectRows(rows, tokenRow)
	switch {
	case err != nil:
		return core.Token{}, wrap(err)
	case len(found) == 0:
		return core.Token{}, core.NewError(core.NotFound)
	}
	token, now := found[0], s.Now()
	if hourAgo := now.Add(-time.Hour); token.LastUsedAt.IsZero() || !token.LastUsedAt.After(hourAgo) {
		if _, err := exec(ctx, s.pool, touchToken, args{"id": token.ID, "now": now, "hour_ago": hourAgo}); err != nil {
			return core.Token{}, err
		}
	}
	return token, nil
}

const hasAdmin = `SELECT EXISTS (SELECT FROM tokens WHERE 'admin' = ANY (scopes) AND revoked_at IS NULL) AS found`

// HasAdmin reports whether some token has the scope admin.
func (s *Store) HasAdmin(ctx context.Context) (bool, error) {
	row, err := one[struct{ Found bool }](ctx, s.pool, hasAdmin, args{})
	return row.Found, err
}
