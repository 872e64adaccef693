package store

import (
	"context"
	"slices"

	"errand/core"
	"errand/store/pg"
)

const (
	// Usually there is none, and ranking regressed issues would take as long as ranking all.
	findRegressed = `
SELECT EXISTS (
	SELECT 1 FROM issues i WHERE i.status = 'regressed' AND NOT i.test AND (i.claim_expires_at IS NULL OR i.claim_expires_at <= @now)
		AND (@projects::bigint[] IS NULL OR i.project_id = ANY (@projects)) AND /* of some projects: i */ true) AS found`

	// For a token without a worker: everything that the token gave back.
	listGivenBack = `
SELECT DISTINCT target_id FROM activity
WHERE action = 'issue.release' AND data ? 'note_id' AND actor_name = @name AND at > @day_ago
	AND actor_type = @type AND actor_id IS NOT DISTINCT FROM nullif(@token_id::bigint, 0)
	AND (@worker::text = '' OR coalesce(data ->> 'worker', '') = @worker) AND /* of some projects: activity */ true`
)

// nextStart is what a search for the next issue begins with.
type nextStart struct {
	held         []heldRow
	givenBack    map[int64]bool // the issues that the actor, or its worker, gave back with a note in the last day
	hasRegressed bool           // that nobody holds
}

func (s *Store) readNextStart(ctx context.Context, actor core.Actor, project int64) (nextStart, error) {
	projects, now := projectsOf(ctx, project), s.Now()
	searched, err := s.projectsToSearch(ctx, projects)
	if err != nil {
		return nextStart{}, err
	}
	var (
		b         pg.Batch
		held      []heldRow
		given     []struct{ TargetID int64 }
		regressed []struct{ Found bool }
	)
	pg.QueueMany(&b, listHeld, pg.Args{
		"now": now, "type": string(actor.Type), "token_id": int64(actor.ID), "holder": actor.Name, "worker": actor.Worker,
		"projects": projects, "rows": heldShown,
	}, &held)
	pg.QueueMany(&b, listGivenBack, pg.Args{
		"name": actor.Name, "type": string(actor.Type), "token_id": int64(actor.ID), "worker": actor.Worker, "day_ago": now.Add(-keptBack),
	}, &given)
	pg.QueueMany(&b, findRegressed, pg.Args{"now": now, "projects": projects}, &regressed)
	if err := b.SendEach(ctx, s.db, searched); err != nil {
		return nextStart{}, err
	}
	start := nextStart{held: sortHeld(actor, held), givenBack: make(map[int64]bool, len(given))}
	for _, row := range given {
		start.givenBack[row.TargetID] = true
	}
	start.hasRegressed = slices.Contains(regressed, struct{ Found bool }{true})
	return start, nil
}
