package store

import (
	"context"
	"fmt"
	"maps"

	"errand/core"
	"errand/fixes"
	"errand/store/pg"
	"errand/store/watch"
)

// isOverdue is the condition that the fix of an issue is overdue: the issue needs work again, though its status stays (decisions 6).
const isOverdue = `i.status = 'fix_pending' AND i.overdue_fix_id = i.fix_id AND i.fix_deployed_at IS NULL`

// isWork is the condition that an issue needs work.
const isWork = `(i.status IN ('unresolved', 'regressed') OR ` + isOverdue + `)`

const (
	// The fixes with news since they were last judged: a deploy, an event, or the end of the first day.
	waitingToJudge = `
SELECT f.project_id, f.id, f.issue_id, f.linked_at, o.deploys AS all_deploys, i.times_seen,
	coalesce(f.judged_at, 'epoch') AS judged_at,
	coalesce(f.linked_after, (SELECT max(d.number) FROM deploys d WHERE d.project_id = f.project_id AND d.deployed_at <= f.linked_at), 0)
		AS linked_after
FROM fixes f
JOIN projects p ON p.id = f.project_id AND p.deleted_at IS NULL
JOIN deploy_order o ON o.project_id = f.project_id
JOIN issues i ON i.project_id = f.project_id AND i.id = f.issue_id AND i.fix_id = f.id AND i.status = 'fix_pending'
WHERE f.deployed_at IS NULL AND f.closed_at IS NULL
	AND o.deploys > coalesce(f.linked_after, 0)
	AND (f.judged_at IS NULL OR o.deploys <> f.judged_deploys OR i.times_seen <> f.judged_events
		OR f.linked_at <= @day_ago AND f.judged_at < f.linked_at + interval '24 hours')
	AND coalesce(f.judged_at, 'epoch') < @now -- not judged in this run
	AND (coalesce(f.judged_at, 'epoch'), f.id) > (coalesce(@after_at::timestamptz, '-infinity'), @after_id)
ORDER BY judged_at, f.id LIMIT @rows`

	// For each environment the first deploy of a release that is new since the link. A release in several environments counts once.
	deploysSinceLink = `
WITH new AS (
	SELECT d.digest, d.commit, d.environment, d.deployed_at
	FROM deploys d
	WHERE d.project_id = @project_id AND d.number > @after
		AND NOT EXISTS (SELECT 1 FROM deploys e WHERE e.project_id = d.project_id AND e.digest = d.digest AND e.number <= @after)
		AND NOT EXISTS (SELECT 1 FROM deploys e WHERE e.project_id = d.project_id AND e.commit = d.commit AND e.number <= @after)
)
SELECT environment, min(deployed_at) AS at, (SELECT count(*) FROM (SELECT DISTINCT digest, commit FROM new) n) AS deploys
FROM new GROUP BY environment`

	// The releases of events that a deploy since the link names, by name or by commit. A sender may make up any number of others.
	namedSinceLink = `
WITH named AS (
	SELECT release, count(*) AS events FROM events
	WHERE project_id = @project_id AND issue_id = @issue_id AND received_at > @after AND release <> ''
	GROUP BY release
)
SELECT n.release, n.events FROM named n
WHERE EXISTS (
		SELECT 1 FROM deploys d WHERE d.project_id = @project_id AND d.number > @number AND d.digest = ` + digestOfRelease + `)
	OR EXISTS (
		SELECT 1 FROM deploys d
		WHERE d.project_id = @project_id AND d.number > @number AND d.commit_digest = split_part(n.release, E'\x1f', 3))
	OR n.release ~ '^[0-9A-Fa-f]{7,40}$' AND EXISTS (
		SELECT 1 FROM deploys d
		WHERE d.project_id = @project_id AND d.number > @number
			AND d.commit >= left(lower(n.release), @prefix) AND d.commit < left(lower(n.release), @prefix) || 'g')
ORDER BY n.events DESC LIMIT @names`

	// As for a return, an event without a release may come from the previous release for ten minutes.
	unnamedSinceLink = `
SELECT count(*) AS events FROM events e
WHERE e.project_id = @project_id AND e.issue_id = @issue_id AND e.received_at > @after AND e.release = ''
	AND EXISTS (
		SELECT 1 FROM unnest(@environments::text[], @times::timestamptz[]) AS d (environment, at)
		WHERE e.occurred_at >= d.at + interval '10 minutes' AND e.environment IN ('', d.environment))`

	setFixJudged = `
UPDATE fixes SET judged_at = @now, judged_deploys = @all_deploys, judged_events = @times_seen,
	overdue_since = CASE WHEN @overdue::boolean THEN coalesce(overdue_since, @now) ELSE overdue_since END,
	overdue_deploys = @deploys, overdue_events = greatest(overdue_events, @events)
WHERE project_id = @project_id AND id = @id AND deployed_at IS NULL AND closed_at IS NULL`
	setIssueOverdue = `
UPDATE issues SET overdue_fix_id = fix_id
WHERE project_id = @project_id AND id = @issue_id AND fix_id = @id AND status = 'fix_pending' AND overdue_fix_id IS DISTINCT FROM fix_id`
)

// namesJudged is how many releases of an issue's events are considered: those with the most events.
const namesJudged = 100

// waitingFix is a fix that no deploy has brought, with the numbers of deploys and events at the time of reading.
type waitingFix struct {
	ProjectID   int64
	ID          int64
	IssueID     int64
	LinkedAt    core.Time
	AllDeploys  int64 // the project's deploys
	TimesSeen   int64 // the issue's events
	LinkedAfter int64 // the number of the last deploy before the link
	JudgedAt    core.Time
}

func (f waitingFix) String() string {
	return fmt.Sprintf("fix %d of issue %d", f.ID, f.IssueID)
}

// JudgeWaitingFixes marks a waiting fix as overdue when its error continues in releases that were first deployed after the
// link. Each fix is judged in its own transaction, so that the job can be interrupted anywhere. The fix that was judged
// longest ago comes first.
func (s *Store) JudgeWaitingFixes(ctx context.Context) error {
	now := s.Now()
	var last waitingFix
	return decideEachFix(ctx, func(ctx context.Context) ([]waitingFix, error) {
		waiting, err := pg.QueryMany[waitingFix](ctx, s.db.Main, waitingToJudge, pg.Args{
			"day_ago": now.Add(-fixes.OverdueAfter), "now": now, "after_at": last.JudgedAt, "after_id": last.ID, "rows": verifyChunk,
		})
		if len(waiting) > 0 {
			last = waiting[len(waiting)-1]
		}
		return waiting, err
	}, func(ctx context.Context, fix waitingFix) error { return s.judgeFix(ctx, fix, now) })
}

func (s *Store) judgeFix(ctx context.Context, fix waitingFix, now core.Time) error {
	found, err := s.readSinceLink(ctx, fix)
	if err != nil {
		return err
	}
	a := pg.Args{
		"project_id": fix.ProjectID, "id": fix.ID, "now": now, "all_deploys": fix.AllDeploys, "times_seen": fix.TimesSeen,
		"deploys": found.Deploys, "events": found.Events, "overdue": found.IsOverdue(now.Time),
	}
	if !found.IsOverdue(now.Time) {
		_, err := pg.Exec(ctx, s.db.Main, setFixJudged, a)
		return err
	}
	return s.inTx(ctx, func(t *tx) error {
		issue := pg.Args{"project_id": fix.ProjectID, "issue_id": fix.IssueID, "id": fix.ID}
		if _, err := pg.Exec(ctx, t, setIssueOverdue, issue); err != nil { // before the fix, in the usual order of locks
			return err
		}
		_, err := pg.Exec(ctx, t, setFixJudged, a)
		return err
	})
}

// readSinceLink reads the deploys and events since a fix was linked.
func (s *Store) readSinceLink(ctx context.Context, fix waitingFix) (fixes.Waiting, error) {
	found := fixes.Waiting{LinkedAt: fix.LinkedAt.Time}
	first, err := pg.QueryMany[struct {
		Environment string
		At          core.Time
		Deploys     int64
	}](ctx, s.db.Main, deploysSinceLink, pg.Args{"project_id": fix.ProjectID, "after": fix.LinkedAfter})
	if err != nil || len(first) == 0 {
		return found, err
	}
	found.Deploys = first[0].Deploys
	since := pg.Args{"project_id": fix.ProjectID, "issue_id": fix.IssueID, "after": fix.LinkedAt.Add(-skewOfEvents)}
	events := maps.Clone(since)
	events["number"], events["prefix"], events["names"] = fix.LinkedAfter, fixes.PrefixLength, namesJudged
	named, err := pg.QueryMany[struct {
		Release string
		Events  int64
	}](ctx, s.db.Main, namedSinceLink, events)
	if err != nil {
		return found, err
	}
	for _, of := range named {
		deploys, err := watch.ReadDeploysOfName(ctx, s.db.Main, fix.ProjectID, of.Release)
		if err != nil {
			return found, err
		}
		if fixes.IsNewRelease(of.Release, fix.LinkedAfter, deploys) {
			found.Events += of.Events
		}
	}
	environments, times := make([]string, len(first)), make([]core.Time, len(first))
	for i, d := range first {
		environments[i], times[i] = d.Environment, d.At
	}
	since["environments"], since["times"] = environments, times
	unnamed, err := pg.QueryOne[struct{ Events int64 }](ctx, s.db.Main, unnamedSinceLink, since)
	found.Events += unnamed.Events
	return found, err
}
