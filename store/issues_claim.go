package store

import (
	"context"
	"time"

	"errand/core"
	"errand/store/pg"
)

const setClaim = `
UPDATE issues SET claim_type = @type, claim_token_id = @token_id, claim_holder = @holder, claim_expires_at = @expires_at
WHERE project_id = @project_id AND id = @id`

// ClaimIssue lets the actor hold an issue for some minutes, or renews its own claim. While another holds it the error is
// claimed; for a token that was revoked meanwhile it is unauthorized.
func (s *Store) ClaimIssue(ctx context.Context, actor core.Actor, id, minutes int64) (core.Issue, error) {
	var issue core.Issue
	project, err := s.findIssueOwner(ctx, id)
	if err != nil {
		return issue, err
	}
	err = s.inTx(ctx, func(t *tx) error {
		if err := t.shareToken(ctx, actor); err != nil { // before the issue, as a revocation locks them
			return err
		}
		issue, err = t.changeIssue(ctx, actor, project, id, func(c *issueChange) error { return c.claimIssue(ctx, minutes) })
		return err
	})
	return issue, err
}

func (c *issueChange) claimIssue(ctx context.Context, minutes int64) error {
	if c.before.isClaimedAt(c.Now) && !c.before.isHeldBy(c.actor) {
		return core.NewError(core.Claimed).With("claim", c.before.currentClaim())
	}
	expires := core.At(c.Now.Add(time.Duration(minutes) * time.Minute))
	if err := c.setClaim(ctx, c.actor, expires); err != nil {
		return err
	}
	_, err := c.recordChange(ctx, core.ActionIssueClaim, struct {
		Minutes   int64     `json:"minutes"`
		ExpiresAt core.Time `json:"expires_at"`
	}{minutes, expires})
	return err
}

// ReleaseIssue ends the claim on an issue. Without an active claim nothing changes; a claim of somebody else is
// not_claim_holder unless the actor is an admin.
func (s *Store) ReleaseIssue(ctx context.Context, actor core.Actor, id int64) (core.Issue, error) {
	return s.changeIssue(ctx, actor, id, func(c *issueChange) error {
		switch {
		case !c.before.isClaimedAt(c.Now):
			return nil
		case !c.before.isHeldBy(actor) && !actor.Has(core.Admin):
			return core.NewError(core.NotClaimHolder).With("claim", c.before.currentClaim())
		}
		if err := c.setClaim(ctx, core.Actor{}, core.Time{}); err != nil {
			return err
		}
		_, err := c.recordChange(ctx, core.ActionIssueRelease, nil)
		return err
	})
}

func (c *issueChange) setClaim(ctx context.Context, holder core.Actor, expires core.Time) error {
	return c.tx.setClaim(ctx, c.project, c.id, holder, expires)
}

// setClaim writes who holds an issue; the zero actor is nobody.
func (t *tx) setClaim(ctx context.Context, project, id int64, holder core.Actor, expires core.Time) error {
	_, err := pg.Exec(ctx, t, setClaim, pg.Args{
		"type": string(holder.Type), "token_id": int64(holder.ID), "holder": holder.Name, "expires_at": expires,
		"project_id": project, "id": id,
	})
	return err
}

func (l lockedIssue) isClaimedAt(now core.Time) bool { return l.ClaimExpiresAt.After(now.Time) }

func (l lockedIssue) isHeldBy(a core.Actor) bool {
	return a.IsSame(core.Actor{Type: l.ClaimType, ID: core.OptInt(l.ClaimTokenID), Name: l.ClaimHolder})
}

func (l lockedIssue) currentClaim() core.Claim {
	return core.Claim{Holder: l.ClaimHolder, ExpiresAt: l.ClaimExpiresAt}
}

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

const lockClaims = `
SELECT i.project_id, i.id FROM issues i
WHERE i.claim_type = 'token' AND i.claim_token_id = ANY (@tokens) AND i.claim_expires_at > @now
ORDER BY i.project_id, i.id FOR UPDATE`

// endClaims ends the active claims of tokens that the actor has revoked (decisions 5).
func (t *tx) endClaims(ctx context.Context, actor core.Actor, tokens []int64) error {
	claimed, err := pg.QueryMany[struct{ ProjectID, ID int64 }](ctx, t, lockClaims, pg.Args{"tokens": tokens, "now": t.Now})
	if err != nil {
		return err
	}
	for _, i := range claimed {
		if err := t.setClaim(ctx, i.ProjectID, i.ID, core.Actor{}, core.Time{}); err != nil {
			return err
		}
		if err := t.recordOfIssue(ctx, actor, i.ProjectID, i.ID, core.ActionIssueRelease, nil); err != nil {
			return err
		}
	}
	return nil
}
