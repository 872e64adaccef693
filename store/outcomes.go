package store

import (
	"context"
	"math"

	"errand/core"
	"errand/store/pg"
)

// maxWorkers is how many tokens, people and workers get_outcomes names; the totals are of all.
const maxWorkers = 100

// A row without actor_type is the total. A claim that is renewed leaves more rows, so issues are counted.
const selectOutcomes = `
WITH work AS (
	SELECT a.actor_type, a.actor_name, coalesce(a.data ->> 'worker', '') AS worker,
		CASE WHEN a.action = 'issue.claim' THEN a.target_id END AS claimed, a.action = 'issue.release' AND a.data ? 'note_id' AS given_back,
		NULL::boolean AS is_fix, NULL::text AS outcome, false AS waits, NULL::float8 AS hours
	FROM activity a
	JOIN projects p ON p.id = a.project_id AND p.deleted_at IS NULL
	WHERE a.action IN ('issue.claim', 'issue.release') AND a.at >= @since
		AND (@projects::bigint[] IS NULL OR a.project_id = ANY (@projects))
	UNION ALL
	SELECT f.linked_by_type, f.linked_by, f.linked_worker, NULL, false, true, f.outcome, f.outcome IS NULL AND f.closed_at IS NULL,
		CASE WHEN f.outcome = 'verified' THEN extract(epoch FROM f.verified_at - f.linked_at)::float8 / 3600 END
	FROM fixes f
	JOIN projects p ON p.id = f.project_id AND p.deleted_at IS NULL
	WHERE f.linked_at >= @since AND (@projects::bigint[] IS NULL OR f.project_id = ANY (@projects))
)
SELECT coalesce(actor_type, '') AS actor_type, coalesce(actor_name, '') AS actor, coalesce(worker, '') AS worker,
	count(DISTINCT claimed) AS claims, count(*) FILTER (WHERE given_back) AS given_back, count(is_fix) AS fixes,
	count(*) FILTER (WHERE outcome = 'verified') AS verified, count(*) FILTER (WHERE outcome = 'regressed') AS regressed,
	count(*) FILTER (WHERE waits) AS waiting,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY hours) AS hours_to_verified
FROM work
GROUP BY GROUPING SETS ((actor_type, actor_name, worker), ())
ORDER BY grouping(actor_type) DESC, fixes DESC, claims DESC, actor_type, actor_name, worker
LIMIT @rows`

// ReadOutcomes counts the work since a time and what came of it, in one project or in all in reach (0).
func (s *Store) ReadOutcomes(ctx context.Context, project int64, since core.Time) (core.Outcomes, error) {
	outcomes := core.Outcomes{Since: since}
	rows, err := pg.QueryMany[core.WorkerOutcome](ctx, s.db.Main, selectOutcomes, pg.Args{
		"projects": projectsOf(ctx, project), "since": since, "rows": maxWorkers + 1,
	})
	for _, row := range rows {
		row.HoursToVerified = roundHours(row.HoursToVerified)
		if row.ActorType == "" {
			outcomes.Total = row.WorkOutcome
			continue
		}
		outcomes.Workers = append(outcomes.Workers, row)
	}
	return outcomes, err
}

// roundHours rounds to 3 decimals, as the hours of list_fix_outcomes are.
func roundHours(hours *float64) *float64 {
	if hours == nil {
		return nil
	}
	const decimals = 1000
	rounded := math.Round(*hours*decimals) / decimals
	return &rounded
}
