package store

import (
	"context"
	"math"
	"time"

	"errand/core"
	"errand/store/pg"
)

// weightBounds are the least weights of the classes of issues.quiet_weight.
const weightBounds = `'{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,20,24,28,32,40,48,56,64,80,96,112,128,160,192,224,256,320,384,448,512,640,768,896,1024,1280,1536,1792}'::bigint[]`

// weights are the classes with the least and the greatest weight in each.
const weights = `
SELECT n - 1 AS class, least, coalesce(lead(least) OVER (ORDER BY least) - 1, 2 * (1 + 1000)) AS most
FROM unnest(1::bigint || ` + weightBounds + `) WITH ORDINALITY AS b (least, n)`

// Version 1 of the priority formula (primary API, Issue) at @start, not rounded, is weight * (1 + events_24h) / age;
// core.Issue.PriorityAt is the same for what is shown.
const (
	weight = `((1 + i.users_affected)::float8 * CASE WHEN i.first_seen > @day_before THEN 2 ELSE 1 END * CASE i.status WHEN 'regressed' THEN 2 ELSE 1 END)`
	age    = `(1 + greatest(0, date_part('epoch', @start::timestamptz - i.last_seen)) / 86400)`

	scoreOfQuiet = weight + ` / ` + age
)

// hasFallen tells whether the score at @start of an issue may have fallen since then, though time does not count. Its
// users and events only grow and its last event only becomes younger.
const hasFallen = `(coalesce(i.first_seen_lowered_at, '-infinity') > @start OR i.status_at > @start AND i.status <> 'regressed')`

// A weight w has the score s after w/s - 1 days without events: seen from @start that is before. Bounds of ranges are a
// second wide of it, since the score itself is compared too, and end where it makes no difference. The index has listed_from,
// which is up to listedWithin before last_seen.
const (
	seenBefore = `@start::timestamptz + interval '1 second' * (1 - 86400 * (least(w.least / @after_score, 40000) - 1))`
	seenSince  = `CASE WHEN enough.score * 40000 > w.most
		THEN @start::timestamptz - interval '1 second' * (1 + 86400 * (w.most / enough.score - 1)) ELSE '-infinity' END`
)

// eventsOfDay follows candidates, called c.
const eventsOfDay = `CROSS JOIN LATERAL (
		SELECT coalesce(sum(events), 0)::float8 AS events FROM issue_hours
		WHERE project_id = c.project_id AND issue_id = c.id AND hour >= @day_before) h`

// priorityPage finds the best issues behind the cursor without computing the score of all.
//
//   - active: those with an event in the last day, or that are not marked as quiet yet (see MarkQuiet). They are few. Their
//     events are summed up for the ones that could be the best if all their events were of that day, and from then on for
//     those that could be better than the last of these. An issue that is marked, but has an event in the day before
//     @start, is one of them: a cursor may be older than the mark.
//   - quiet: the others. Their events_24h is 0 and they are not new, so that of two with the same weight the one seen later
//     is better. Of each class of weights the heads, as many as asked for, give a score that the last issue of the page
//     has at least; then all that can have it are read, which in a class of one weight is the heads and what was seen within
//     listedWithin of them.
//
// OFFSET 0 and LIMIT keep the planner from moving the bounds of a class out of its index.
func priorityPage(filter string) string {
	quiet := `
		FROM issues i
		WHERE i.quiet AND i.quiet_weight = w.class AND i.last_seen < @day_before
			AND i.listed_from < least(@day_before, ` + seenBefore + `) AND i.listed_from >= ` + seenSince + ` - ` + listedWithin + `
			AND (` + scoreOfQuiet + `, i.id) < (@after_score, @after_id) AND ` + filter
	candidate := `SELECT i.project_id, i.id, i.times_seen, ` + weight + ` AS weight, ` + age + ` AS age FROM issues i WHERE ` + filter
	return `
WITH weights AS (` + weights + `
), candidates AS MATERIALIZED (
	` + candidate + ` AND NOT i.quiet
	UNION ALL SELECT i.* FROM weights w CROSS JOIN LATERAL (
		` + candidate + ` AND i.quiet AND i.quiet_weight = w.class AND i.last_seen >= @day_before AND i.listed_from > @day_before::timestamptz - ` + listedWithin + `
		OFFSET 0) i
), likely AS (
	SELECT c.weight * (1 + h.events) / c.age AS score, c.id
	FROM (SELECT * FROM candidates WHERE weight / age <= @after_score ORDER BY weight * (1 + times_seen) / age DESC LIMIT 2 * @rows) c ` + eventsOfDay + `
), enough_active AS (
	SELECT CASE WHEN count(*) = @rows THEN min(score) ELSE 0 END AS score FROM (
		SELECT score FROM likely WHERE (score, id) < (@after_score, @after_id) ORDER BY score DESC LIMIT @rows) l
), active AS (
	SELECT * FROM (
		SELECT c.project_id, c.id, c.weight * (1 + h.events) / c.age AS score FROM candidates c ` + eventsOfDay + `
		WHERE c.weight / c.age <= @after_score AND c.weight * (1 + c.times_seen) / c.age >= (SELECT score FROM enough_active)
	) a WHERE (score, id) < (@after_score, @after_id) ORDER BY score DESC, id DESC LIMIT @rows
), heads AS (
	SELECT q.score FROM enough_active enough CROSS JOIN weights w CROSS JOIN LATERAL (
		SELECT ` + scoreOfQuiet + ` AS score` + quiet + `
		ORDER BY i.listed_from DESC LIMIT @rows) q
), enough AS (
	SELECT CASE WHEN count(*) = @rows THEN min(score) ELSE 0 END AS score FROM (
		SELECT score FROM active UNION ALL SELECT score FROM heads ORDER BY score DESC LIMIT @rows) b
), quiet AS (
	SELECT q.project_id, q.id, q.score FROM enough CROSS JOIN weights w CROSS JOIN LATERAL (
		SELECT i.project_id, i.id, ` + scoreOfQuiet + ` AS score` + quiet + `
		OFFSET 0) q
)
SELECT r.score,` + issueColumns + `
FROM (SELECT * FROM active UNION ALL SELECT * FROM quiet ORDER BY score DESC, id DESC LIMIT @rows) r` + rankedIssues
}

// rankedIssues follows the rows of a page by priority, called r.
const rankedIssues = `
JOIN issues i ON i.project_id = r.project_id AND i.id = r.id` + issueJoins + `
ORDER BY r.score DESC, r.id DESC`

// priorityPageOfFound is priorityPage of few issues: it computes the score of all, in the same way.
func priorityPageOfFound(filter string) string {
	return `
SELECT r.score,` + issueColumns + ` FROM (
	SELECT * FROM (
		SELECT c.project_id, c.id, c.weight * (1 + h.events) / c.age AS score FROM (
			SELECT i.project_id, i.id, ` + weight + ` AS weight, ` + age + ` AS age` + fromFound + ` WHERE ` + filter + `
		) c ` + eventsOfDay + `
	) f WHERE (score, id) < (@after_score, @after_id) ORDER BY score DESC, id DESC LIMIT @rows
) r` + rankedIssues
}

// rankedIssue is an issue with its score at the time of the first page.
type rankedIssue struct {
	issueRow
	Score float64
}

// issuesByPriority lists issues by priority, highest first.
//
// The order is that of the scores at the time of the first page, computed from what the issues are now. For an issue that
// has not changed that score is the same on every page, so it is not skipped. Events make it grow, or leave it (see
// hasFallen), so that an issue that was on a page cannot come on a later one. What could make it fall takes an issue off
// the later pages: an event before its first one, and a change of status. Other changes (a merge, a split) may bring it a
// second time. What is shown as priority is that of the answer's own time.
//
// Where found is not nil, only those issues are looked at.
func (s *Store) issuesByPriority(ctx context.Context, f IssueFilter, found *foundIssues, now core.Time) (core.Page[core.Issue], error) {
	l, err := f.list(now)
	if err != nil {
		return core.Page[core.Issue]{}, err
	}
	l.Sort = string(core.ByPriority)
	after := core.Place{Score: math.Inf(1)}
	if f.Cursor != "" {
		if after, err = f.Cursor.Place(l.Sort, l.FilterDigest); err != nil {
			return core.Page[core.Issue]{}, err
		}
		l.Where("NOT " + hasFallen)
	}
	l.Args["start"], l.Args["day_before"] = l.Start, l.Start.Add(-24*time.Hour)
	l.Args["after_score"], l.Args["after_id"] = max(after.Score, math.SmallestNonzeroFloat32), after.ID
	l.Args["rows"] = l.Page.Limit + 1
	sql := priorityPage(l.Conditions())
	if found != nil {
		readOnlyFound(l, found)
		sql = priorityPageOfFound(l.Conditions())
	}
	rows, err := pg.RunPage(ctx, s.db, l, sql, func(r rankedIssue) core.Place {
		return core.Place{Score: r.Score, ID: r.ID}
	})
	return pg.ConvertPage(rows, func(r rankedIssue) core.Issue { return r.issue(now) }), err
}
