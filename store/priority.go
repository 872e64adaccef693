package store

import (
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/core"
)

// weightOf is the class of an issue's weight, as the indexes issues_weight have it.
const weightOf = `width_bucket((1 + i.users_affected) * CASE i.status WHEN 'regressed' THEN 2 ELSE 1 END, ` + weightBounds + `)`

const weightBounds = `'{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,20,24,28,32,40,48,56,64,80,96,112,128,160,192,224,256,320,384,448,512,640,768,896,1024,1280,1536,1792}'::bigint[]`

// weights are the classes with the least and the greatest weight in each.
const weights = `
SELECT n - 1 AS class, least, coalesce(lead(least) OVER (ORDER BY least) - 1, 2 * (1 + 1000)) AS most
FROM unnest(1::bigint || ` + weightBounds + `) WITH ORDINALITY AS b (least, n)`

// scoreWith is version 1 of the priority formula (primary API, Issue) at @start, not rounded; core.Issue.PriorityAt is the
// same for what is shown.
func scoreWith(events string) string {
	return `(1 + i.users_affected)::float8 * (1 + ` + events + `)::float8
		/ (1 + greatest(0, date_part('epoch', @start::timestamptz - i.last_seen)) / 86400)
		* CASE WHEN i.first_seen > @day_before THEN 2 ELSE 1 END * CASE i.status WHEN 'regressed' THEN 2 ELSE 1 END`
}

// hasFallen tells whether the score at @start of an issue may have fallen since then, though time does not count. Its
// users and events only grow and its last event only becomes younger.
const hasFallen = `(coalesce(i.first_seen_lowered_at, '-infinity') > @start OR i.status_at > @start AND i.status <> 'regressed')`

// A weight w has the score s after w/s - 1 days without events: seen from @start that is before. Bounds of ranges are a
// second wide of it, since the score itself is compared too, and end where it makes no difference.
const (
	seenBefore = `@start::timestamptz + interval '1 second' * (1 - 86400 * (least(w.least / @after_score, 40000) - 1))`
	seenSince  = `CASE WHEN f.score * 40000 > w.most
		THEN @start::timestamptz - interval '1 second' * (1 + 86400 * (w.most / f.score - 1)) ELSE '-infinity' END`
)

// priorityPage finds the best issues behind the cursor without computing the score of all.
//
//   - active: those with an event in the last day. They are few, and each has its score computed.
//   - quiet: the others. Their events_24h is 0 and they are not new, so that of two with the same weight the one seen later
//     is better. Of each class of weights the heads, as many as asked for, give a score that the last issue of the page
//     has at least (enough); then all that can have that score are read: in a class of one weight no more than the heads.
func priorityPage(filter string) string {
	return `
WITH active AS (
	SELECT project_id, id, score FROM (
		SELECT i.project_id, i.id, ` + scoreWith("h.events") + ` AS score
		FROM issues i LEFT JOIN LATERAL (
			SELECT coalesce(sum(events), 0) AS events FROM issue_hours
			WHERE project_id = i.project_id AND issue_id = i.id AND hour >= @day_before) h ON true
		WHERE i.last_seen >= @day_before AND ` + filter + `
	) a WHERE (score, id) < (@after_score, @after_id) ORDER BY score DESC, id DESC LIMIT @rows
), weights AS (` + weights + `
), enough_active AS (
	SELECT CASE WHEN count(*) = @rows THEN min(score) ELSE 0 END AS score FROM active
), heads AS (
	SELECT q.score FROM enough_active f CROSS JOIN weights w CROSS JOIN LATERAL (
		SELECT ` + scoreWith("0") + ` AS score FROM issues i
		WHERE ` + weightOf + ` = w.class AND i.last_seen < least(@day_before, ` + seenBefore + `) AND i.last_seen >= ` + seenSince + `
			AND (` + scoreWith("0") + `, i.id) < (@after_score, @after_id) AND ` + filter + `
		ORDER BY i.last_seen DESC, i.id DESC LIMIT @rows) q
), enough AS (
	SELECT CASE WHEN count(*) = @rows THEN min(score) ELSE 0 END AS score FROM (
		SELECT score FROM active UNION ALL SELECT score FROM heads ORDER BY score DESC LIMIT @rows) b
), quiet AS (
	SELECT q.project_id, q.id, q.score FROM enough f CROSS JOIN weights w CROSS JOIN LATERAL (
		SELECT i.project_id, i.id, ` + scoreWith("0") + ` AS score FROM issues i
		WHERE ` + weightOf + ` = w.class AND i.last_seen < least(@day_before, ` + seenBefore + `) AND i.last_seen >= ` + seenSince + `
			AND (` + scoreWith("0") + `, i.id) < (@after_score, @after_id) AND ` + filter + `) q
)
SELECT r.score,` + issueColumns + `
FROM (SELECT * FROM active UNION ALL SELECT * FROM quiet ORDER BY score DESC, id DESC LIMIT @rows) r
JOIN issues i ON i.project_id = r.project_id AND i.id = r.id` + issueJoins + `
ORDER BY r.score DESC, r.id DESC`
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
func (s *Store) issuesByPriority(ctx context.Context, f IssueFilter, now core.Time) (core.Page[core.Issue], error) {
	l := f.list(now)
	l.sort = string(core.ByPriority)
	l.where("i.project_id <> ALL (ARRAY(SELECT id FROM projects WHERE deleted_at IS NOT NULL))", "", nil)
	after := core.Place{Score: math.Inf(1)}
	if f.Cursor != "" {
		var err error
		if after, err = f.Cursor.Place(l.sort, l.filters); err != nil {
			return core.Page[core.Issue]{}, err
		}
		l.where("NOT "+hasFallen, "", nil)
	}
	l.args["start"], l.args["day_before"] = l.start, l.start.Add(-24*time.Hour)
	l.args["after_score"], l.args["after_id"] = max(after.Score, math.SmallestNonzeroFloat32), after.ID
	l.args["rows"] = l.page.Limit + 1
	rows, err := readPage(ctx, s, l, priorityPage(l.filter()), pgx.RowToStructByName[rankedIssue], func(r rankedIssue) core.Place {
		return core.Place{Score: r.Score, ID: r.ID}
	})
	page := core.Page[core.Issue]{Data: make(core.List[core.Issue], len(rows.Data)), NextCursor: rows.NextCursor}
	for i, r := range rows.Data {
		page.Data[i] = r.issue(now)
	}
	return page, err
}
