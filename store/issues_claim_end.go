package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

// revokedToken locks a token, so that it cannot be revoked before the transaction ends, and reads whether it is revoked.
const revokedToken = `SELECT revoked_at FROM tokens WHERE id = @id FOR SHARE`

// shareToken keeps the actor's token from being revoked until the transaction ends; a revoked token is unauthorized. Other
// actors have no token: a user may have the same id as a token.
func (t *tx) shareToken(ctx context.Context, actor core.Actor) error {
	if actor.Type != core.ActorToken {
		return nil
	}
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
	hasClaimOf       = `i.claim_type = @type AND i.claim_token_id = ANY (@ids) AND i.claim_expires_at > @now`
	projectsOfClaims = `SELECT DISTINCT i.project_id FROM issues i WHERE ` + hasClaimOf
)

const lockClaims = `
SELECT i.project_id, i.id FROM issues i
WHERE ` + hasClaimOf + ` AND /* of some projects: i */ true
ORDER BY i.project_id, i.id FOR UPDATE`

// endClaims ends the active claims of tokens that the actor has revoked (decisions 5), or of users who may no longer act.
func (t *tx) endClaims(ctx context.Context, actor core.Actor, holders core.ActorType, ids ...int64) error {
	args := pg.Args{"type": string(holders), "ids": ids, "now": t.Now}
	projects, err := pg.FindProjects(ctx, t.store.db, t, projectsOfClaims, args)
	if err != nil {
		return err
	}
	claimed, err := pg.QueryEach[struct{ ProjectID, ID int64 }](ctx, t.store.db, t, lockClaims, args, projects)
	if err != nil {
		return err
	}
	for _, i := range claimed {
		if err := t.endClaim(ctx, i.ProjectID, i.ID); err != nil {
			return err
		}
		if err := t.recordOfIssue(ctx, actor, i.ProjectID, i.ID, core.ActionIssueRelease, nil); err != nil {
			return err
		}
	}
	return nil
}

// lapsedChunk bounds the claims that one transaction ends.
const lapsedChunk = 100

// An issue that another transaction is changing is left to it: every change first ends a lapsed claim.
const lockLapsed = `
SELECT i.project_id, i.id, i.claim_holder, i.claim_worker, i.claim_expires_at
FROM issues i JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
WHERE i.claim_expires_at <= @now AND /* of some projects: i */ true
ORDER BY i.project_id, i.id LIMIT @limit FOR UPDATE OF i SKIP LOCKED`

const projectsOfLapsed = `SELECT DISTINCT project_id FROM issues WHERE claim_expires_at <= @now`

// lapsedClaim is a claim that ran out.
type lapsedClaim struct {
	ProjectID      int64
	ID             int64
	ClaimHolder    string
	ClaimWorker    string
	ClaimExpiresAt core.Time
}

// EndLapsedClaims records which claims have run out. A late call does not extend any claim.
func (s *Store) EndLapsedClaims(ctx context.Context) error {
	for {
		ended := 0
		err := s.inTx(ctx, func(t *tx) error {
			projects, err := pg.FindProjects(ctx, s.db, t, projectsOfLapsed, pg.Args{"now": t.Now})
			if err != nil {
				return err
			}
			lapsed, err := pg.QueryEach[lapsedClaim](ctx, s.db, t, lockLapsed, pg.Args{"now": t.Now, "limit": lapsedChunk}, projects)
			for _, claim := range lapsed {
				if err := t.endLapsedClaim(ctx, claim); err != nil {
					return err
				}
			}
			ended = len(lapsed)
			return err
		})
		if err != nil || ended < lapsedChunk {
			return err
		}
	}
}

// endIfLapsed ends the claim of an issue that is about to change, if it has run out.
func (t *tx) endIfLapsed(ctx context.Context, project, id int64, l lockedIssue) error {
	if l.ClaimExpiresAt.IsZero() || l.isClaimedAt(t.Now) {
		return nil
	}
	return t.endLapsedClaim(ctx, lapsedClaim{project, id, l.ClaimHolder, l.ClaimWorker, l.ClaimExpiresAt})
}

// claimKeeper is the actor of changes that happen to claims automatically.
const claimKeeper = "claims"

// endLapsedClaim ends a claim that ran out, on a locked issue, and leaves the one row about it.
func (t *tx) endLapsedClaim(ctx context.Context, claim lapsedClaim) error {
	if err := t.endClaim(ctx, claim.ProjectID, claim.ID); err != nil {
		return err
	}
	return t.recordOfIssue(ctx, core.NewSystemActor(claimKeeper), claim.ProjectID, claim.ID, core.ActionIssueClaimExpire, struct {
		Holder    string    `json:"holder"`
		Worker    string    `json:"worker,omitempty"`
		ExpiredAt core.Time `json:"expired_at"`
	}{claim.ClaimHolder, claim.ClaimWorker, claim.ClaimExpiresAt})
}
