package intake

import (
	"time"

	"github.com/jackc/pgx/v5"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// countHours adds to the hours of issues and projects, and records when the projects last had events. client_seen_at is
// written at most once an hour (primary API, Project).
//
// The new counts of the running hour decide in the same transaction which issues spike. That is exact, because everyone who
// counts on an issue holds its row. A webhook hears of a spike once per issue and clock hour; spikes records that. A batch
// makes at most 1,000 of these deliveries, the number of ids of one change; the rest follows with the next event. Where no
// webhook wants spikes, the only cost is finding that out.
const countHours = `
WITH of_issues AS (
	INSERT INTO issue_hours (project_id, issue_id, hour, events, fives)
	SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::bigint[], $15::int[])
	WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
	ON CONFLICT (project_id, issue_id, hour) DO UPDATE SET
		events = issue_hours.events + excluded.events,
		-- 0 stays: a server without this column has counted in that hour
		fives = CASE WHEN issue_hours.fives = 0 THEN 0 ELSE issue_hours.fives | excluded.fives END
	RETURNING project_id, issue_id, hour, events
), of_projects AS (
	INSERT INTO project_hours (project_id, hour, events)
	SELECT * FROM unnest($5::bigint[], $6::timestamptz[], $7::bigint[])
	WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
	ON CONFLICT (project_id, hour) DO UPDATE SET events = project_hours.events + excluded.events
), spiked AS (
	INSERT INTO spikes (project_id, issue_id, webhook_id, hour)
	SELECT h.project_id, h.issue_id, w.id, h.hour
	FROM of_issues h
	JOIN webhooks w ON coalesce(w.project_id, h.project_id) = h.project_id AND h.events > w.spike_threshold
	JOIN projects p ON p.id = h.project_id
	LEFT JOIN project_seen s ON s.project_id = h.project_id
	WHERE EXISTS (SELECT FROM webhooks WHERE spike_threshold IS NOT NULL AND deleted_at IS NULL)
		AND h.hour = date_trunc('hour', $11::timestamptz, 'UTC')
		AND w.deleted_at IS NULL
		AND p.deleted_at IS NULL
		AND (NOT p.demo OR w.project_id IS NOT NULL)
		AND (w.min_trust = 'low' -- as for all deliveries
			OR p.trust_setting = 'high'
			OR p.trust_setting IS NULL AND greatest(s.client_seen_at, (
				SELECT max(n.client_at) FROM unnest($5::bigint[], $10::timestamptz[]) AS n (project_id, client_at)
				WHERE n.project_id = h.project_id)) > $12 IS NOT TRUE)
		AND NOT EXISTS (
			SELECT FROM spikes k
			WHERE k.project_id = h.project_id AND k.issue_id = h.issue_id AND k.webhook_id = w.id AND k.hour = h.hour)
	LIMIT $14
	ON CONFLICT DO NOTHING
	RETURNING project_id, issue_id, webhook_id
), told AS (
	INSERT INTO deliveries (project_id, id, webhook_id, issue_id, created_at, due_at, next_attempt_at, event)
	SELECT project_id, $13::bigint - 1 + row_number() OVER (ORDER BY project_id, issue_id, webhook_id), webhook_id, issue_id, $11, $11, $11,
		'issue.spike'
	FROM spiked
	RETURNING 1
)
INSERT INTO project_seen (project_id, last_event_at, server_seen_at, client_seen_at)
SELECT project_id, max(last_at), max(server_at), max(client_at)
FROM unnest($5::bigint[], $8::timestamptz[], $9::timestamptz[], $10::timestamptz[]) AS t (project_id, last_at, server_at, client_at)
WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
GROUP BY project_id ORDER BY project_id
ON CONFLICT (project_id) DO UPDATE SET
	last_event_at = greatest(project_seen.last_event_at, excluded.last_event_at),
	server_seen_at = greatest(project_seen.server_seen_at, excluded.server_seen_at),
	client_seen_at = CASE WHEN project_seen.client_seen_at > excluded.client_seen_at - interval '1 hour'
		THEN project_seen.client_seen_at ELSE greatest(project_seen.client_seen_at, excluded.client_seen_at) END
RETURNING (SELECT count(*) FROM told)`

func (b *batch) queueHours(q *pgx.Batch, now core.Time, o *batchOutcome) {
	rows, projects := b.counts.hours, b.counts.projects
	n := len(rows)
	project, issue, events, hour := make([]int64, n), make([]int64, n), make([]int64, n), make([]time.Time, n)
	fives := make([]int32, n)
	for i, r := range rows {
		project[i], issue[i], events[i], hour[i], fives[i] = r.project, r.issue, r.events, r.hour, r.fives
	}
	id, count, at := pg.SplitColumns(projects, func(p projectCount) (int64, int64, time.Time) { return p.project, p.events, p.hour })
	last, server, client := pg.SplitColumns(projects, func(p projectCount) (core.Time, core.Time, core.Time) {
		return p.last, p.server, p.client
	})
	q.Queue(countHours, project, issue, hour, events, id, at, count, last, server, client,
		now, core.ClientSince(now), activity.FirstDelivery(b.spikes), activity.MaxWebhooks, fives).Query(o.addDeliveries)
}

// addDeliveries adds the number of deliveries that a statement made, which each of its rows repeats.
func (o *batchOutcome) addDeliveries(rows pgx.Rows) error {
	var made int64
	for rows.Next() {
		if err := rows.Scan(&made); err != nil {
			return err
		}
	}
	o.deliveries += made
	return rows.Err()
}
