package intake

import (
	"time"

	"github.com/jackc/pgx/v5"

	"errand/core"
	"errand/store/activity"
)

// countHours adds to the hours of issues and projects, and records when the projects last had events. client_seen_at is
// written at most once an hour (primary API, Project). It fails with countedTwice for a project that has events that were counted
// and not stored, if the batch did not expect them: counted_at is then NULL ($12).
// addHours and seeProjects are its parts.
const countHours = `WITH ` + addHours + seeProjects

// countSpikes does the same, and the new counts decide which issues spike (insertSpikes).
const countSpikes = `WITH ` + addHours + `
), spiked AS (` + insertSpikes + `
), told AS (
	INSERT INTO deliveries (project_id, id, webhook_id, issue_id, created_at, due_at, next_attempt_at, event)
	SELECT project_id, $15::bigint - 1 + row_number() OVER (ORDER BY project_id, issue_id, webhook_id), webhook_id, issue_id, $13, $13, $13,
		'issue.spike'
	FROM spiked
	RETURNING 1` + seeProjects + `
RETURNING (SELECT count(*) FROM told), ` + spikesWanted

const addHours = `
of_issues AS (
	INSERT INTO issue_hours (project_id, issue_id, hour, events, fives)
	SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::bigint[], $5::int[])
	WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
	` + addToHour + `
	RETURNING project_id, issue_id, hour, events
), of_projects AS (
	INSERT INTO project_hours (project_id, hour, events)
	SELECT * FROM unnest($6::bigint[], $7::timestamptz[], $8::bigint[])
	WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
	ON CONFLICT (project_id, hour) DO UPDATE SET events = project_hours.events + excluded.events`

// addToHour adds to the hour of an issue that has a row. 0 stays: a server without the column fives has counted in that hour.
const addToHour = `ON CONFLICT (project_id, issue_id, hour) DO UPDATE SET
		events = issue_hours.events + excluded.events,
		fives = CASE WHEN issue_hours.fives = 0 THEN 0 ELSE issue_hours.fives | excluded.fives END`

const seeProjects = `
)
INSERT INTO project_seen (project_id, last_event_at, server_seen_at, client_seen_at, counted_at)
SELECT project_id, max(last_at), max(server_at), max(client_at), max(counted_at)
FROM unnest($6::bigint[], $9::timestamptz[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[])
	AS t (project_id, last_at, server_at, client_at, counted_at)
WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
GROUP BY project_id ORDER BY project_id
ON CONFLICT (project_id) DO UPDATE SET
	last_event_at = greatest(project_seen.last_event_at, excluded.last_event_at),
	server_seen_at = greatest(project_seen.server_seen_at, excluded.server_seen_at),
	client_seen_at = CASE WHEN project_seen.client_seen_at > excluded.client_seen_at - interval '1 hour'
		THEN project_seen.client_seen_at ELSE greatest(project_seen.client_seen_at, excluded.client_seen_at) END,
	counted_at = CASE WHEN width_bucket(0::float8, 0, 1, CASE WHEN excluded.counted_at IS NULL -- fails with countedTwice
			AND project_seen.counted_at > excluded.last_event_at - interval '24 hours' THEN 0 ELSE 1 END) = 1
		THEN greatest(project_seen.counted_at, excluded.counted_at) END`

func (b *batch) queueHours(q *pgx.Batch, now core.Time, o *batchOutcome) {
	args := b.appendProjectHours(b.appendHours(make([]any, 0, 16)))
	if !b.mayTellSpikes {
		q.Queue(countHours, args...)
		return
	}
	args = append(args, now, core.ClientSince(now), activity.FirstDelivery(b.spikes), activity.MaxWebhooks)
	q.Queue(countSpikes, args...).Query(o.addSpikes)
}

// appendHours appends the first arguments of countHours, about issues.
func (b *batch) appendHours(args []any) []any {
	n := len(b.counts.hours)
	project, issue, events, hour := make([]int64, n), make([]int64, n), make([]int64, n), make([]time.Time, n)
	fives := make([]int32, n)
	for i, r := range b.counts.hours {
		project[i], issue[i], events[i], hour[i], fives[i] = r.project, r.issue, r.events, r.hour, r.fives
	}
	return append(args, project, issue, hour, events, fives)
}

// expectsSome stands for the time of the last event that was counted and not stored, where a batch expects such events and has none. A
// project that never had any gets it too: it is so long ago that it means nothing.
var expectsSome = time.Unix(0, 0)

// appendProjectHours appends the other arguments of countHours, about projects.
func (b *batch) appendProjectHours(args []any) []any {
	n := len(b.counts.projects)
	project, events, hour, last := make([]int64, n), make([]int64, n), make([]time.Time, n), make([]time.Time, n)
	server, client, counted := make([]*time.Time, n), make([]*time.Time, n), make([]*time.Time, n)
	for i := range b.counts.projects {
		p := &b.counts.projects[i]
		project[i], events[i], hour[i], last[i] = p.project, p.events, p.hour, p.last.Time
		server[i], client[i], counted[i] = orNull(&p.server), orNull(&p.client), orNull(&p.counted)
		if b.expectsCounted && counted[i] == nil {
			counted[i] = &expectsSome
		}
	}
	return append(args, project, hour, events, last, server, client, counted)
}

// addSpikes adds the number of deliveries, and notes whether a webhook wants spikes. Each row repeats both.
func (o *batchOutcome) addSpikes(rows pgx.Rows) error {
	var made int64
	for rows.Next() {
		if err := rows.Scan(&made, &o.spikesWanted); err != nil {
			return err
		}
	}
	o.deliveries += made
	return rows.Err()
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
