package store

import (
	"context"
	"crypto/sha256"
	"time"

	"errand/core"
	"errand/store/activity"
	"errand/store/intake"
	"errand/store/pg"
)

const tokenIDs pg.Series = "tokens"

const tokenColumns = `t.id, t.name, t.scopes, t.prefix, t.created_at, t.created_by, t.last_used_at, t.revoked_at,
	coalesce(t.project_id, 0) AS project_id, coalesce(p.name, '') AS project_name, t.only_project`

const selectTokens = `
SELECT ` + tokenColumns + `
FROM tokens t LEFT JOIN projects p ON p.id = t.project_id`

const (
	listTokens      = selectTokens + ` ORDER BY t.created_at DESC, t.id DESC`
	findTokenByID   = selectTokens + ` WHERE t.id = @id`
	findTokenByHash = `
SELECT ` + tokenColumns + `, t.is_agent
FROM tokens t LEFT JOIN projects p ON p.id = t.project_id
WHERE t.hash IN (@hash, @limited_hash) AND t.only_project = (t.hash = @limited_hash) AND t.revoked_at IS NULL`
	insertToken = `
INSERT INTO tokens (id, name, hash, prefix, scopes, project_id, created_at, created_by, setup_key_id, is_agent, only_project)
VALUES (@id, @name, @hash, @prefix, @scopes, nullif(@project_id::bigint, 0), @now, @created_by, nullif(@setup_key_id::bigint, 0),
	@is_agent, @only_project)`
	countSetupToken = `UPDATE setup_keys SET tokens = tokens + 1 WHERE id = @key`
	revokeToken     = `UPDATE tokens SET revoked_at = @now WHERE id = @id AND revoked_at IS NULL`
	touchToken      = `
UPDATE tokens SET last_used_at = @now
WHERE id = @id AND (last_used_at IS NULL OR last_used_at <= @hour_ago)`
)

// NewToken is a token to store.
type NewToken struct {
	Name      string
	Hash      []byte // SHA-256 of the token
	Prefix    string
	Scopes    []core.Scope
	ProjectID int64 // 0: all projects
	IsAgent   bool  // made by a setup

	OnlyProject bool // nothing but the project exists for it
}

// limitHash returns the stored hash of a token that stays in its project. An older server looks only for the plain hash, so
// it refuses the token instead of letting it in everywhere.
func limitHash(hash []byte) []byte {
	limited := sha256.Sum256(append([]byte("only_project"), hash...))
	return limited[:]
}

// CreateToken stores a token. An unknown project is project_not_found. A setup key that may make no more tokens gets limit.
func (s *Store) CreateToken(ctx context.Context, actor core.Actor, n NewToken) (core.Token, error) {
	var token core.Token
	err := s.inTx(ctx, func(t *tx) (err error) {
		token, err = t.createToken(ctx, actor, n)
		return err
	})
	return token, err
}

func (t *tx) createToken(ctx context.Context, actor core.Actor, n NewToken) (core.Token, error) {
	if err := t.countSetupToken(ctx, actor); err != nil {
		return core.Token{}, err
	}
	if n.ProjectID != 0 { // a deletion of the project waits, and then revokes the token
		if err := intake.ShareProject(ctx, t.Tx, n.ProjectID); err != nil {
			return core.Token{}, err
		}
	}
	id, err := t.store.db.IDs.TakeOne(ctx, tokenIDs)
	if err != nil {
		return core.Token{}, err
	}
	hash := n.Hash
	if n.OnlyProject {
		hash = limitHash(hash)
	}
	_, err = pg.Exec(ctx, t, insertToken, pg.Args{
		"id": id, "name": n.Name, "hash": hash, "prefix": n.Prefix, "scopes": n.Scopes,
		"project_id": n.ProjectID, "now": t.Now, "created_by": actor.Name, "setup_key_id": setupKeyOf(actor), "is_agent": n.IsAgent,
		"only_project": n.OnlyProject,
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

// countSetupToken counts a token that a setup key makes. It does nothing for other actors.
func (t *tx) countSetupToken(ctx context.Context, actor core.Actor) error {
	if !actor.IsSetupKey {
		return nil
	}
	key, err := t.lockTokenMaker(ctx, actor)
	if err != nil {
		return err
	}
	_, err = pg.Exec(ctx, t, countSetupToken, pg.Args{"key": key.ID})
	return err
}

// lockTokenMaker locks the actor's setup key. A key that may make no more tokens gets limit.
func (t *tx) lockTokenMaker(ctx context.Context, actor core.Actor) (setupKeyRow, error) {
	key, err := t.lockSetupKey(ctx, int64(actor.ID))
	if err == nil && key.Tokens >= core.SetupKeyMaxTokens {
		err = core.NewError(core.Limit).With("message", "a setup key makes at most 5 tokens; revoked ones count too").
			Tell("hint", "Go on with what there is; get_setup_progress shows it. An admin makes further setup keys.")
	}
	return key, err
}

// ListTokens lists all tokens, most recent first.
func (s *Store) ListTokens(ctx context.Context) ([]core.Token, error) {
	return pg.QueryMany[core.Token](ctx, s.db.Main, listTokens, pg.Args{})
}

// recordRevoked records that tokens were revoked, and ends their claims.
func (t *tx) recordRevoked(ctx context.Context, actor core.Actor, ids ...int64) error {
	for _, id := range ids {
		_, err := t.recordActivity(ctx, activity.Entry{Actor: actor, Action: core.ActionTokenRevoke, TargetType: core.TargetToken, TargetID: id})
		if err != nil {
			return err
		}
	}
	return t.endClaims(ctx, actor, core.ActorToken, ids...)
}

// RevokeToken revokes a token and ends its claims. An unknown or revoked token is not_found.
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

// UsedToken is the token of a call.
type UsedToken struct {
	core.Token
	IsAgent bool
}

// UseToken returns the token with the hash and notes its use, at most once an hour. An unknown or revoked token is
// not_found. Every call asks the database, so that a revocation takes effect immediately.
func (s *Store) UseToken(ctx context.Context, hash []byte) (UsedToken, error) {
	token, err := pg.QueryOne[UsedToken](ctx, s.db.Main, findTokenByHash, pg.Args{"hash": hash, "limited_hash": limitHash(hash)})
	if err != nil {
		return UsedToken{}, err
	}
	now := s.Now()
	if hourAgo := now.Add(-time.Hour); token.LastUsedAt.IsZero() || !token.LastUsedAt.After(hourAgo) {
		if _, err := pg.Exec(ctx, s.db.Main, touchToken, pg.Args{"id": token.ID, "now": now, "hour_ago": hourAgo}); err != nil {
			return UsedToken{}, err
		}
	}
	return token, nil
}

const findAdmin = `SELECT EXISTS (SELECT 1 FROM tokens WHERE 'admin' = ANY (scopes) AND revoked_at IS NULL) AS found`

// HasAdmin reports whether any token has the scope admin.
func (s *Store) HasAdmin(ctx context.Context) (bool, error) {
	row, err := pg.QueryOne[struct{ Found bool }](ctx, s.db.Main, findAdmin, pg.Args{})
	return row.Found, err
}
