package store

import (
	"cmp"
	"context"
	"slices"

	"errand/core"
	"errand/store/pg"
)

// heldShown bounds the actor's claims that an answer names.
const heldShown = 20

// sinceClaimed is the expression for the time since which the holder of an issue, named i, has held it without a break:
// renewing a claim leaves further rows.
const sinceClaimed = `(
	SELECT min(c.at) FROM activity c
	WHERE c.project_id = i.project_id AND c.target_type = 'issue' AND c.target_id = i.id AND c.action = 'issue.claim'
		AND /* of its project: c */ true
		AND c.actor_type = i.claim_type AND c.actor_id IS NOT DISTINCT FROM nullif(i.claim_token_id, 0)
		AND c.at >= coalesce((
			SELECT max(e.at) FROM activity e
			WHERE e.project_id = i.project_id AND e.target_type = 'issue' AND e.target_id = i.id
				AND e.action IN ('issue.release', 'issue.claim_expire') AND /* of its project: e */ true), '-infinity'))`

// listHeld lists the active claims of the actor, or of its worker: first those that it can continue, oldest first. For a token without a
// worker: all that its workers hold, too.
const listHeld = `
SELECT ` + pg.OnePlan + ` * FROM (
SELECT i.project_id, i.id, p.slug, i.status, i.claim_worker, i.claim_expires_at,
	coalesce(` + sinceClaimed + `, i.claim_expires_at - i.claim_minutes * interval '1 minute') AS since,
	EXISTS (SELECT 1 FROM approvals a WHERE ` + isAboutIssue + `) AS is_held,
	coalesce(` + isOverdue + `, false) AS is_overdue
FROM issues i JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
WHERE i.claim_expires_at > @now AND i.claim_type = @type AND i.claim_token_id = @token_id
	AND (@token_id::bigint <> 0 OR i.claim_holder = @holder) AND (@worker::text = '' OR i.claim_worker = @worker)
	AND i.status <> 'merged' AND NOT i.test
	AND (@projects::bigint[] IS NULL OR i.project_id = ANY (@projects)) AND /* of some projects: i */ true
) h
ORDER BY (claim_worker = @worker) DESC, (NOT is_held AND (status IN ('unresolved', 'regressed') OR is_overdue)) DESC, since, id
LIMIT @rows`

// heldRow is a claim of the actor.
type heldRow struct {
	ProjectID      int64
	ID             int64
	Slug           string
	Status         core.Status
	ClaimWorker    string
	ClaimExpiresAt core.Time
	Since          core.Time
	IsHeld         bool // an action on the issue waits for approval
	IsOverdue      bool // the issue's fix is overdue
}

func (r heldRow) toCore() core.HeldIssue {
	return core.HeldIssue{
		ID: r.ID, Project: r.Slug, Status: r.Status, Worker: core.Text(r.ClaimWorker), Since: r.Since, ExpiresAt: r.ClaimExpiresAt,
		WaitsForApproval: r.IsHeld,
	}
}

// isWork reports whether the claimed issue needs work now.
func (r heldRow) isWork() bool {
	return !r.IsHeld && (r.Status == core.Unresolved || r.Status == core.Regressed || r.Status == core.FixPending && r.IsOverdue)
}

// sortHeld sorts the claims of an actor in the order of listHeld, which sorts each shard alone.
func sortHeld(actor core.Actor, rows []heldRow) []heldRow {
	slices.SortStableFunc(rows, func(a, b heldRow) int {
		return cmp.Or(compareBools(b.ClaimWorker == actor.Worker, a.ClaimWorker == actor.Worker), compareBools(b.isWork(), a.isWork()),
			a.Since.Compare(b.Since.Time), cmp.Compare(a.ID, b.ID))
	})
	return rows[:min(len(rows), heldShown)]
}

// compareBools puts false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// resumeClaim renews the actor's oldest claim on an issue that still needs work, and returns the issue, or nil. The oldest
// comes first, so that every call returns the same issue until it is given back, and older work is finished first. A call
// without a worker does not take over the claims of the token's workers.
func (s *Store) resumeClaim(ctx context.Context, actor core.Actor, minutes int64, held []heldRow) (*core.ClaimedIssue, error) {
	for _, h := range held {
		if !h.isWork() || h.ClaimWorker != actor.Worker {
			continue
		}
		issue, err := s.resumeIssue(ctx, actor, minutes, h)
		if issue != nil || err != nil {
			return issue, err
		}
	}
	return nil, nil
}

// resumeIssue renews a claim. It returns nil if the actor no longer holds it, or the issue needs no more work.
func (s *Store) resumeIssue(ctx context.Context, actor core.Actor, minutes int64, held heldRow) (*core.ClaimedIssue, error) {
	var issue *core.ClaimedIssue
	err := s.inTx(ctx, func(t *tx) error {
		issue = nil
		if err := t.shareToken(ctx, actor); err != nil {
			return err
		}
		resumes := false
		detail, err := t.changeDetail(ctx, actor, held.ProjectID, held.ID, func(c *issueChange) error {
			now := heldRow{Status: c.before.Status, IsHeld: held.IsHeld, IsOverdue: held.IsOverdue}
			if resumes = c.holdsClaim() && c.before.ClaimWorker == actor.Worker && now.isWork(); !resumes {
				c.claimIsSet = true // the claim stays unchanged
				return nil
			}
			return c.extendClaim(ctx, minutes)
		})
		if err != nil || !resumes {
			return err
		}
		issue = &core.ClaimedIssue{IssueDetail: detail, Renewed: true, HeldSince: held.Since}
		return nil
	})
	if core.HasCode(err, core.NotFound) { // it was merged, or its project was deleted
		return nil, nil
	}
	return issue, err
}
