package intake

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"

	"errand/core"
	"errand/store/pg"
)

// Events that are counted and not stored are known for a day, so that one that is sent again is not counted again. Nearly
// all events of a burst are such events, so they have no row each: a batch writes one for each project, with a hash of
// each event id. The index of hashes cannot be unique. Two checks keep an event from being counted twice:
//
//   - A batch that may have such events looks for them before it counts (checkCounted), and again when it holds the
//     projects' rows, which let one batch through at a time (failCounted).
//   - A batch that expects none fails at the project's row if there are some (countHours). Then it takes the long way, which looks.

// countedFor is how long an event that is not stored is remembered, so that it does not count twice.
const countedFor = 24 * time.Hour

// aheadAtMost is by how much the clock of another server may be ahead: what such a server counts later than that is not seen. Without a
// bound, checkCounted would read the partitions of the next days.
const aheadAtMost = time.Hour

const (
	// receivedWithinDay goes with the arguments of countedSpan.
	receivedWithinDay = ` AND c.received_at > $3 AND c.received_at < $4`
	// keysOf are the keys of the events in $1 and $2.
	keysOf = `ARRAY(SELECT uuid_hash_extended(n.event_id, n.project_id) FROM unnest($1::bigint[], $2::uuid[]) AS n (project_id, event_id))`
)

// checkCounted keeps a batch from proceeding if an event of it was counted and not stored.
const checkCounted = `
SELECT set_config('errand.proceeds', 'false', true) WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
	AND EXISTS (SELECT 1 FROM counted_events c WHERE c.keys && ` + keysOf + receivedWithinDay + `)`

// failCounted fails with countedTwice if checkCounted would find an event now, or if an event that the batch only counts
// ($5, $6) has been stored. It does so at most for batches that had the same event at the same moment.
const failCounted = `
SELECT width_bucket(0::float8, 0, 1, CASE WHEN current_setting('errand.proceeds', true) IS DISTINCT FROM 'false' AND (
	EXISTS (SELECT 1 FROM counted_events c WHERE c.keys && ` + keysOf + receivedWithinDay + `)
	OR EXISTS (SELECT 1 FROM unnest($5::bigint[], $6::uuid[]) AS n (project_id, event_id)
		JOIN event_ids e ON e.project_id = n.project_id AND e.event_id = n.event_id)) THEN 0 ELSE 1 END)`

// addCounted remembers the events that the batch only counts.
const addCounted = `
INSERT INTO counted_events (project_id, received_at, first_id, keys, issue_ids)
SELECT n.project_id, max(n.received_at), min(n.id), array_agg(uuid_hash_extended(n.event_id, n.project_id)), array_agg(n.issue_id)
FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[]) AS n (project_id, event_id, id, issue_id, received_at)
WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false'
GROUP BY n.project_id`

// countedTwice is the SQLSTATE of a histogram with 0 buckets. No other statement gives their number.
const countedTwice = pgerrcode.InvalidArgumentForWidthBucketFunction

// findCountedKeys returns events that were counted and not stored: their place (from 1), the first id of their row, and the issue.
const findCountedKeys = `
SELECT e.place, e.first_id, coalesce(i.merged_into, e.issue_id)
FROM (
	SELECT n.place, c.first_id, c.issue_ids[array_position(c.keys, uuid_hash_extended(n.event_id, n.project_id))] AS issue_id
	FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS n (project_id, event_id, place)
	JOIN counted_events c ON c.keys @> ARRAY[uuid_hash_extended(n.event_id, n.project_id)]` + receivedWithinDay + `
) e
LEFT JOIN issues i ON i.id = e.issue_id`

// findCounted marks events that were counted within a day and are not stored. The batch's events are given as of listEventKeys.
func (b *batch) findCounted(ctx context.Context, t *pg.Tx, project []int64, event [][16]byte) error {
	rows, err := t.Query(ctx, findCountedKeys, append([]any{project, event}, countedSpan(t.Now)...)...)
	if err != nil {
		return err
	}
	own := make(map[int64]struct{}, len(b.events))
	for i := range b.events {
		own[b.events[i].id] = struct{}{}
	}
	var place, first, issue int64
	_, err = pgx.ForEachRow(rows, []any{&place, &first, &issue}, func() error {
		a := &b.added[b.firstIndex[eventKey{project[place-1], event[place-1]}]]
		// A row has the id of one of its events, and a batch that is given again has the same events: see findDuplicates.
		_, isOwn := own[first]
		b.wasCommitted = b.wasCommitted || isOwn
		if a.IssueID == 0 { // else it was stored since
			*a = Added{IssueID: issue, Duplicate: !isOwn}
		}
		return nil
	})
	return err
}

const listCounted = `SELECT project_id, counted_at FROM project_seen WHERE project_id = ANY ($1::bigint[]) AND counted_at IS NOT NULL`

const listAllCounted = `SELECT project_id, counted_at FROM project_seen WHERE counted_at > $1`

// RecallCounted makes the writer expect events that were counted and not stored in all projects that have some. Without it the first
// batch of each of them would fail once, and leave an error in the log of Postgres.
func (w *Writer) RecallCounted(ctx context.Context) error {
	return w.learnCounted(ctx, w.db.Main, listAllCounted, w.db.Now().Add(-countedFor))
}

// learnCounted makes the writer expect such events in the projects that a statement returns, each with its counted_at.
func (w *Writer) learnCounted(ctx context.Context, on pg.Reader, sql string, arg any) error {
	rows, err := on.Query(ctx, sql, arg)
	if err != nil {
		return err
	}
	var project int64
	var at core.Time
	_, err = pgx.ForEachRow(rows, []any{&project, &at}, func() error {
		w.memory.rememberCounted(project, at)
		return nil
	})
	return err
}

func (b *batch) queueCountedCheck(q *pgx.Batch, project []int64, event [][16]byte, now core.Time) {
	if b.expectsCounted {
		q.Queue(checkCounted, append([]any{project, event}, countedSpan(now)...)...)
	}
}

// queueCounted adds the events that are only counted. It comes when the batch holds the rows of its projects.
func (b *batch) queueCounted(q *pgx.Batch, project []int64, event [][16]byte, counted *eventArrays, now core.Time) {
	if !b.expectsCounted {
		return
	}
	q.Queue(failCounted, append(append([]any{project, event}, countedSpan(now)...), counted.project, counted.event)...)
	if len(counted.id) > 0 {
		q.Queue(addCounted, counted.project, counted.event, counted.id, counted.issue, counted.received)
	}
}

// countedSpan returns the arguments $3 and $4 of receivedWithinDay.
func countedSpan(now core.Time) []any {
	return []any{now.Add(-countedFor), now.Add(aheadAtMost)}
}

// mayHaveCounted reports whether a batch counts events that it does not store, or one of its projects may have had some within a day.
func (m *memory) mayHaveCounted(projects []projectCount, now core.Time) bool {
	since := now.Add(-countedFor).Unix()
	for i := range projects {
		last, _ := m.counted.findEntry(projects[i].project)
		if last > since || !projects[i].counted.IsZero() {
			return true
		}
	}
	return false
}

func (m *memory) rememberCounted(project int64, at core.Time) {
	if !at.IsZero() {
		m.counted.addEntry(project, at.Unix())
	}
}

const deleteNotStored = `
DELETE FROM event_ids WHERE (project_id, event_id) IN (
	SELECT project_id, event_id FROM event_ids WHERE not_stored AND received_at <= @since LIMIT @chunk)`

// ForgetCounted forgets events that are not stored, or not any more, once they are a day old: they may be sent again.
func (w *Writer) ForgetCounted(ctx context.Context) error {
	since := w.db.Now().Add(-countedFor)
	return errors.Join(w.deleteNotStored(ctx, since), w.dropCountedDays(ctx, since))
}

func (w *Writer) dropCountedDays(ctx context.Context, since time.Time) error {
	days, err := w.listDays(ctx, countedTable)
	if err != nil {
		return err
	}
	for _, day := range days {
		if day.AddDate(0, 0, 1).After(since) {
			break
		}
		if err := w.dropPartition(ctx, countedTable, day); err != nil && !pg.HasState(err, pgerrcode.UndefinedTable) {
			return err
		}
	}
	return nil
}

func (w *Writer) deleteNotStored(ctx context.Context, since time.Time) error {
	for {
		n, err := pg.Exec(ctx, w.db.Main, deleteNotStored, pg.Args{"since": since, "chunk": forgetChunk})
		if err != nil || n < forgetChunk {
			return err
		}
	}
}
