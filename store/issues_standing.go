package store

import (
	"context"
	"time"

	"errand/core"
	"errand/store/pg"
)

// keptEnd is how long an actor hears that its claim on an issue ran out.
const keptEnd = 7 * 24 * time.Hour

// The last claim of the actor, or of its worker, if it ran out; no row if it was given back.
const findEndedLease = `
SELECT coalesce((e.data ->> 'expired_at')::timestamptz, e.at) AS ended_at
FROM (
	SELECT c.at, c.id FROM activity c
	WHERE c.project_id = @project_id AND c.target_type = 'issue' AND c.target_id = @id AND c.action = 'issue.claim' AND c.at > @since
		AND c.actor_type = @type AND c.actor_id IS NOT DISTINCT FROM nullif(@token_id::bigint, 0)
		AND (@worker::text = '' OR coalesce(c.data ->> 'worker', '') = @worker)
	ORDER BY c.at DESC, c.id DESC LIMIT 1
) c
CROSS JOIN LATERAL (
	SELECT e.action, e.at, e.data FROM activity e
	WHERE e.project_id = @project_id AND e.target_type = 'issue' AND e.target_id = @id
		AND e.action IN ('issue.release', 'issue.claim_expire') AND (e.at, e.id) > (c.at, c.id)
	ORDER BY e.at, e.id LIMIT 1
) e
WHERE e.action = 'issue.claim_expire'`

// tellStanding notes in the call's Standing (core.StandingOf) the actor's relation to the claim on the issue before the change.
func (c *issueChange) tellStanding(ctx context.Context) error {
	standing := core.StandingOf(ctx)
	if standing == nil {
		return nil
	}
	if c.holdsClaim() {
		standing.TellHolding(true)
		return nil
	}
	if c.before.isClaimedAt(c.Now) {
		standing.WarnOfHolder(c.id, c.before.currentClaim())
	} else {
		standing.TellHolding(false)
	}
	ended, err := pg.QueryMany[struct{ EndedAt core.Time }](ctx, c, findEndedLease, pg.Args{
		"project_id": c.project, "id": c.id, "since": c.Now.Add(-keptEnd), "type": string(c.actor.Type), "token_id": int64(c.actor.ID),
		"worker": c.actor.Worker,
	})
	for _, lease := range ended {
		standing.WarnOfEnd(c.id, lease.EndedAt)
	}
	return err
}

// tellStandings is tellStanding for a change of several issues, which are locked and not changed yet.
func (t *tx) tellStandings(ctx context.Context, actor core.Actor, project int64, ids ...int64) error {
	if core.StandingOf(ctx) == nil {
		return nil
	}
	for _, id := range ids {
		before, err := t.lockIssue(ctx, project, id)
		if err != nil {
			return err
		}
		if err := t.endIfLapsed(ctx, project, id, before); err != nil {
			return err
		}
		change := &issueChange{tx: t, project: project, id: id, actor: actor, before: before}
		if err := change.tellStanding(ctx); err != nil {
			return err
		}
	}
	return nil
}
