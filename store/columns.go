package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"errand/core"
)

// columns3 turns rows into three arrays, as unnest wants them.
func columns3[T, A, B, C any](rows []T, split func(T) (A, B, C)) ([]A, []B, []C) {
	a, b, c := make([]A, len(rows)), make([]B, len(rows)), make([]C, len(rows))
	for i, row := range rows {
		a[i], b[i], c[i] = split(row)
	}
	return a, b, c
}

func queueIssues(q *pgx.Batch, rows []issueCount, users []userKey, now core.Time) {
	n := len(rows)
	project, issue, seen, stored, latest := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	first, last := make([]time.Time, n), make([]time.Time, n)
	firstKnown, lastKnown := make([]core.Time, n), make([]core.Time, n)
	firstRelease, lastRelease, level := make([]string, n), make([]string, n), make([]string, n)
	for i, r := range rows {
		project[i], issue[i], seen[i], stored[i], latest[i] = r.project, r.issue, r.seen, r.stored, r.latestEvent
		first[i], last[i], level[i] = r.FirstSeen.Time, r.LastSeen.Time, r.Level
		firstRelease[i], firstKnown[i], lastRelease[i], lastKnown[i] = r.FirstRelease, r.FirstReleaseAt, r.LastRelease, r.LastReleaseAt
	}
	userProject, userIssue, user := columns3(users, func(u userKey) (int64, int64, []byte) { return u.project, u.issue, u.user[:] })
	q.Queue(countIssues, project, issue, seen, stored, first, last, firstRelease, lastRelease, latest, now, userProject, userIssue, user, maxUsers,
		firstKnown, lastKnown, level)
}

// queueEvents adds the events that are stored, and their ids. Of the others, which leave no id, none may be a stored one.
func (b *batch) queueEvents(q *pgx.Batch) {
	n := len(b.events)
	project, id, issue, dictionary := make([]int64, 0, n), make([]int64, 0, n), make([]int64, 0, n), make([]int64, 0, n)
	event, payload := make([][16]byte, 0, n), make([][]byte, 0, n)
	received, occurred := make([]time.Time, 0, n), make([]time.Time, 0, n)
	level, release, environment := make([]string, 0, n), make([]string, 0, n), make([]string, 0, n)
	var countedProject []int64
	var counted [][16]byte
	b.fresh(func(e *NewEvent, a *Added) {
		if a.ID == 0 {
			countedProject, counted = append(countedProject, e.ProjectID), append(counted, e.EventID)
			return
		}
		project, id, issue, dictionary = append(project, e.ProjectID), append(id, a.ID), append(issue, a.IssueID), append(dictionary, e.Payload.Dictionary)
		event, payload = append(event, e.EventID), append(payload, e.Payload.Bytes)
		received, occurred = append(received, e.ReceivedAt.Time), append(occurred, e.OccurredAt.Time)
		level, release, environment = append(level, e.Level), append(release, e.Release), append(environment, e.Environment)
	})
	if len(counted) > 0 {
		q.Queue(failIfStored, countedProject, counted)
	}
	if len(id) == 0 {
		return
	}
	q.Queue(addEvents, project, event, id, issue, received, occurred, level, release, environment, dictionary, payload)
}

func queueHours(q *pgx.Batch, rows []hourCount, projects []projectCount) {
	n := len(rows)
	project, issue, events, hour := make([]int64, n), make([]int64, n), make([]int64, n), make([]time.Time, n)
	for i, r := range rows {
		project[i], issue[i], events[i], hour[i] = r.project, r.issue, r.events, r.hour
	}
	id, count, at := columns3(projects, func(p projectCount) (int64, int64, time.Time) { return p.project, p.events, p.hour })
	last, server, client := columns3(projects, func(p projectCount) (core.Time, core.Time, core.Time) { return p.last, p.server, p.client })
	q.Queue(countHours, project, issue, hour, events, id, at, count, last, server, client)
}

func queueQuotas(q *pgx.Batch, rows []projectCount) {
	var project, quota []int64
	var day []time.Time
	for _, r := range rows {
		if r.quota != nil {
			project, day, quota = append(project, r.project), append(day, r.hour.Truncate(24*time.Hour)), append(quota, *r.quota)
		}
	}
	if len(project) > 0 {
		q.Queue(failOverQuota, project, day, quota)
	}
}

// prepareWriter makes a connection one for the writer of events. The planner is kept from scanning whole tables for small
// arrays: it does so on tables without statistics, and plans for arrays are the same whatever is in them.
func prepareWriter(ctx context.Context, conn *pgx.Conn) error {
	sendArrays(conn.TypeMap())
	_, err := conn.Exec(ctx, `SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan; SET jit = off`)
	return wrap(err)
}
