package store

import (
	"context"
	"math"
	"time"

	"errand/core"
	"errand/store/pg"
)

// hasFallen is the condition that the score of an issue at @start may have fallen since, although time does not count. An
// issue's users and events only grow, and its last event only becomes younger.
const hasFallen = `(coalesce(i.first_seen_lowered_at, '-infinity') > @start OR i.status_at > @start AND i.status <> 'regressed')`

// anyIssue stands for the conditions of the list in the statements of the list by priority, so that a test can prepare them as they are.
const anyIssue = `/* the conditions of the list */ true`

// rankIssues finds the best issues behind the cursor without computing all scores. The score is version 1 of the priority
// formula (primary API, Issue) at @start, not rounded: weight * (1 + events_24h) / age. core.Issue.PriorityAt computes the
// same for display.
//
//   - active: issues with an event in the last day, or not yet marked as quiet (see MarkQuiet). They are few. Their events are
//     summed up first for the issues that would be next behind the cursor without any events, and then for those that could be
//     better than the last of these if all their events were from that day.
//   - quiet: the others. Their events_24h is 0 and they are not new, so of two with the same weight the one seen later is
//     better. The first issues of each class of weights, as many as asked for, determine the minimum score of the page's last
//     issue. Then all issues that can reach it are read: in a class of one weight, the first issues and those seen within five
//     minutes of them.
//
// A weight w has the score s after w/s - 1 days without events, so the issue was seen that long before @start. The bounds
// of ranges are a second wider, since the score itself is compared too, and end where they make no difference. The index
// has listed_from, which is up to five minutes before last_seen.
//
// OFFSET 0 and LIMIT keep the planner from moving the bounds of a class out of its index.
const rankIssues = `
WITH weights AS ( -- the classes of issues.quiet_weight, each with its least and greatest weight
	SELECT n - 1 AS class, least, coalesce(lead(least) OVER (ORDER BY least) - 1, 2 * (1 + 1000)) AS most
	FROM unnest('{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,20,24,28,32,40,48,56,64,80,96,112,128,
		160,192,224,256,320,384,448,512,640,768,896,1024,1280,1536,1792}'::bigint[])
		WITH ORDINALITY AS b (least, n)
), candidates AS MATERIALIZED ( -- the active issues
	SELECT i.project_id, i.id, CASE WHEN i.last_seen >= @day_before THEN i.times_seen ELSE 0 END AS times_seen,
		((1 + i.users_affected)::float8
			* CASE WHEN i.first_seen > @day_before THEN 2 ELSE 1 END
			* CASE i.status WHEN 'regressed' THEN 2 ELSE 1 END) AS weight,
		1 + greatest(0, date_part('epoch', @start::timestamptz - i.last_seen)) / 86400 AS age
	FROM issues i
	WHERE /* the conditions of the list */ true
		AND NOT i.quiet
	UNION ALL -- marked, but with an event in the day before @start: a cursor may be older than the mark
	SELECT i.* FROM weights w CROSS JOIN LATERAL (
		SELECT i.project_id, i.id, i.times_seen,
			((1 + i.users_affected)::float8
				* CASE WHEN i.first_seen > @day_before THEN 2 ELSE 1 END
				* CASE i.status WHEN 'regressed' THEN 2 ELSE 1 END) AS weight,
			1 + greatest(0, date_part('epoch', @start::timestamptz - i.last_seen)) / 86400 AS age
		FROM issues i
		WHERE /* the conditions of the list */ true
			AND i.quiet
			AND i.quiet_weight = w.class
			AND i.last_seen >= @day_before
			AND i.listed_from > @day_before::timestamptz - interval '5 minutes'
		OFFSET 0
	) i
), ` + rankCandidates + `), heads AS ( -- the best of each class of quiet issues
	SELECT q.score FROM enough_active enough CROSS JOIN weights w CROSS JOIN LATERAL (
		SELECT s.score
		FROM issues i
		CROSS JOIN LATERAL (
			SELECT ((1 + i.users_affected)::float8
				* CASE WHEN i.first_seen > @day_before THEN 2 ELSE 1 END
				* CASE i.status WHEN 'regressed' THEN 2 ELSE 1 END)
				/ (1 + greatest(0, date_part('epoch', @start::timestamptz - i.last_seen)) / 86400) AS score
		) s
		WHERE i.quiet
			AND i.quiet_weight = w.class
			AND i.last_seen < @day_before
			AND i.listed_from < least(@day_before, -- not better than the cursor
				@start::timestamptz + interval '1 second' * (1 - 86400 * (least(w.least / @after_score, 40000) - 1)))
			AND i.listed_from >= CASE WHEN enough.score * 40000 > w.most -- good enough for the page
				THEN @start::timestamptz - interval '1 second' * (1 + 86400 * (w.most / enough.score - 1)) ELSE '-infinity' END - interval '5 minutes'
			AND (s.score, i.id) < (@after_score, @after_id)
			AND /* the conditions of the list */ true
		ORDER BY i.listed_from DESC
		LIMIT @rows
	) q
), enough AS ( -- the minimum score of the last issue of the page
	SELECT CASE WHEN count(*) = @rows THEN min(score) ELSE 0 END AS score
	FROM (
		SELECT score FROM active
		UNION ALL
		SELECT score FROM heads
		ORDER BY score DESC
		LIMIT @rows
	) b
), quiet AS ( -- all issues that can reach it
	SELECT q.project_id, q.id, q.score FROM enough CROSS JOIN weights w CROSS JOIN LATERAL (
		SELECT i.project_id, i.id, s.score
		FROM issues i
		CROSS JOIN LATERAL (
			SELECT ((1 + i.users_affected)::float8
				* CASE WHEN i.first_seen > @day_before THEN 2 ELSE 1 END
				* CASE i.status WHEN 'regressed' THEN 2 ELSE 1 END)
				/ (1 + greatest(0, date_part('epoch', @start::timestamptz - i.last_seen)) / 86400) AS score
		) s
		WHERE i.quiet
			AND i.quiet_weight = w.class
			AND i.last_seen < @day_before
			AND i.listed_from < least(@day_before,
				@start::timestamptz + interval '1 second' * (1 - 86400 * (least(w.least / @after_score, 40000) - 1)))
			AND i.listed_from >= CASE WHEN enough.score * 40000 > w.most
				THEN @start::timestamptz - interval '1 second' * (1 + 86400 * (w.most / enough.score - 1)) ELSE '-infinity' END - interval '5 minutes'
			AND (s.score, i.id) < (@after_score, @after_id)
			AND /* the conditions of the list */ true
		OFFSET 0
	) q
)
SELECT * FROM active
UNION ALL
SELECT * FROM quiet
ORDER BY score DESC, id DESC
LIMIT @rows`

// rankCandidates ranks the candidates by summing up their events of the last day. times_seen is the upper bound of a
// candidate's events.
const rankCandidates = `likely AS ( -- the next ones behind the cursor if none had an event in that day
	SELECT c.weight * (1 + h.events) / c.age AS score, c.id
	FROM (
		SELECT * FROM candidates
		WHERE weight / age <= @after_score
		ORDER BY weight / age DESC
		LIMIT 4 * @rows
	) c
	CROSS JOIN LATERAL (
		SELECT coalesce(sum(events), 0)::float8 AS events FROM issue_hours
		WHERE project_id = c.project_id AND issue_id = c.id AND hour >= @day_before AND /* of some projects: issue_hours */ true
	) h
), enough_active AS ( -- the score of the last issue of a page of these
	SELECT CASE WHEN count(*) = @rows THEN min(score) ELSE 0 END AS score
	FROM (
		SELECT score FROM likely
		WHERE (score, id) < (@after_score, @after_id)
		ORDER BY score DESC
		LIMIT @rows
	) l
), active AS (
	SELECT * FROM (
		SELECT c.project_id, c.id, c.weight * (1 + h.events) / c.age AS score
		FROM candidates c
		CROSS JOIN LATERAL (
			SELECT coalesce(sum(events), 0)::float8 AS events FROM issue_hours
			WHERE project_id = c.project_id AND issue_id = c.id AND hour >= @day_before AND /* of some projects: issue_hours */ true
		) h
		WHERE c.weight / c.age <= @after_score
			AND c.weight * (1 + c.times_seen) / c.age >= (SELECT score FROM enough_active)
	) a
	WHERE (score, id) < (@after_score, @after_id)
	ORDER BY score DESC, id DESC
	LIMIT @rows
`

// rankRegressed is rankIssues for regressed issues. They are few and have their own index; reading them by classes of
// weights would read the classes from end to end.
const rankRegressed = `
WITH candidates AS MATERIALIZED (
	SELECT i.project_id, i.id, CASE WHEN i.last_seen >= @day_before THEN i.times_seen ELSE 0 END AS times_seen,
		((1 + i.users_affected)::float8 * CASE WHEN i.first_seen > @day_before THEN 2 ELSE 1 END * 2) AS weight,
		1 + greatest(0, date_part('epoch', @start::timestamptz - i.last_seen)) / 86400 AS age
	FROM issues i
	WHERE /* the conditions of the list */ true
		AND i.status = 'regressed'
), ` + rankCandidates + `)
SELECT * FROM active
ORDER BY score DESC, id DESC
LIMIT @rows`

// rankFoundIssues is rankIssues for the few issues that a search, a release or an environment has found: it computes all their
// scores in the same way.
const rankFoundIssues = `
SELECT * FROM (
	SELECT c.project_id, c.id, c.weight * (1 + h.events) / c.age AS score
	FROM (
		SELECT i.project_id, i.id,
			((1 + i.users_affected)::float8
				* CASE WHEN i.first_seen > @day_before THEN 2 ELSE 1 END
				* CASE i.status WHEN 'regressed' THEN 2 ELSE 1 END) AS weight,
			1 + greatest(0, date_part('epoch', @start::timestamptz - i.last_seen)) / 86400 AS age,
			i.last_seen >= @day_before AS is_recent
		FROM unnest(@projects::bigint[], @ids::bigint[]) AS n (project_id, id)
		CROSS JOIN LATERAL ( -- with LIMIT 1 each is looked up by its key, however many the planner expects
			SELECT * FROM issues WHERE project_id = n.project_id AND id = n.id AND /* of some projects: issues */ true LIMIT 1
		) i
		WHERE /* the conditions of the list */ true
	) c
	CROSS JOIN LATERAL (
		SELECT coalesce(sum(events), 0)::float8 AS events FROM issue_hours
		WHERE c.is_recent AND project_id = c.project_id AND issue_id = c.id AND hour >= @day_before
			AND /* of some projects: issue_hours */ true
	) h
) f
WHERE (score, id) < (@after_score, @after_id)
ORDER BY score DESC, id DESC
LIMIT @rows`

// readRanked returns the statement that reads the issues ranked by another statement.
func readRanked(rank string) string {
	return `SELECT r.score,` + issueColumns + `
FROM (` + rank + `) r
JOIN issues i ON i.project_id = r.project_id AND i.id = r.id AND /* of some projects: i */ true` + issueJoins + `
ORDER BY r.score DESC, r.id DESC`
}

// rankedIssue is an issue with its score at the time of the first page.
type rankedIssue struct {
	issueRow
	Score float64
}

// listByPriority lists issues by priority, highest first.
//
// The order follows the scores at the time of the first page, computed from the current data. An issue that has not
// changed has the same score on every page, so it is not skipped. Events raise the score or leave it (see hasFallen), so an
// issue that was on a page cannot appear on a later one. An event before its first one, or a change of status, could lower
// it: these take the issue off the later pages. Other changes (a merge, a split) may make it appear twice. The priority
// shown is that at the time of the answer.
//
// If found is not nil, only those issues are ranked. The order of work only has less weight for low trust: see chooseRank.
func (s *Store) listByPriority(
	ctx context.Context, f IssueFilter, names storedNames, found *foundIssues, now core.Time,
) (core.Page[core.Issue], error) {
	l, rank, err := s.buildRanking(ctx, f, names, found, now)
	if err != nil {
		return core.Page[core.Issue]{}, err
	}
	rows, err := pg.RunPage(ctx, s.db, l, readRanked(rank), func(r rankedIssue) core.ListPosition {
		return core.ListPosition{Score: r.Score, ID: r.ID}
	})
	return pg.ConvertPage(rows, func(r rankedIssue) core.Issue { return r.toIssue(now) }), err
}

// buildRanking returns the list with the statement that ranks its issues.
func (s *Store) buildRanking(
	ctx context.Context, f IssueFilter, names storedNames, found *foundIssues, now core.Time,
) (l *pg.List, rank string, err error) {
	if l, err = f.buildList(ctx, names, now); err != nil {
		return nil, "", err
	}
	l.Sort = string(core.ByPriority) // also for work: a model's cursor continues over REST
	after := core.ListPosition{Score: math.Inf(1)}
	if f.Cursor != "" {
		if after, err = f.Cursor.Position(l.Sort, l.FilterDigest); err != nil {
			return nil, "", err
		}
		l.Where("NOT " + hasFallen)
	}
	l.Args["start"], l.Args["day_before"] = l.Start, l.Start.Add(-24*time.Hour)
	l.Args["after_score"], l.Args["after_id"] = max(after.Score, math.SmallestNonzeroFloat32), after.ID
	l.Args["rows"] = l.Page.Limit + 1
	l.Where("/* of some projects: i */ true")
	if found != nil {
		readOnlyFound(l, found)
	}
	rank, err = s.chooseRank(ctx, f, l, found, l.Start)
	return l, rank, err
}
