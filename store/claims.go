package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

// revokedToken locks a token, so that it is not revoked before the transaction ends, and finds out whether it was before.
const revokedToken = `SELECT revoked_at FROM tokens WHERE id = @id FOR SHARE`

// shareToken keeps the actor's token from being revoked until the transaction ends; one that is revoked is unauthorized.
func (t *tx) shareToken(ctx context.Context, actor core.Actor) error {
	rows, err := pg.QueryMany[struct{ RevokedAt core.Time }](ctx, t, revokedToken, pg.Args{"id": int64(actor.ID)})
	if err != nil {
		return err
	}
	if len(rows) > 0 && !rows[0].RevokedAt.IsZero() {
		return core.NewError(core.Unauthorized)
	}
	return nil
}

const (
	lockClaims = `
SELECT i.project_id, i.id FROM issues i
WHERE i.claim_type = 'token' AND i.claim_token_id = ANY (@tokens) AND i.claim_expires_at > @now
ORDER BY i.project_id, i.id FOR UPDATE`
	endClaim = `
UPDATE issues SET claim_type = '', claim_token_id = 0, claim_holder = '', claim_expires_at = NULL
WHERE project_id = @project_id AND id = @id`
)

// endClaims ends the active claims of tokens that the actor has revoked (decisions 5).
func (t *tx) endClaims(ctx context.Context, actor core.Actor, tokens []int64) error {
	claimed, err := pg.QueryMany[struct{ ProjectID, ID int64 }](ctx, t, lockClaims, pg.Args{"tokens": tokens, "now": t.Now})
	if err != nil {
		return err
	}
	for _, i := range claimed {
		if _, err := pg.Exec(ctx, t, endClaim, pg.Args{"project_id": i.ProjectID, "id": i.ID}); err != nil {
			return err
		}
		if err := t.recordOfIssue(ctx, actor, i.ProjectID, i.ID, core.ActionIssueRelease, nil); err != nil {
			return err
		}
	}
	return nil
}
