package intake

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// sendInSteps is sendStatements where the tables are distributed over nodes. The long way has locked its
// issues and found its duplicates. Each step is sent only if the one before it allows that.
func (w *Writer) sendInSteps(ctx context.Context, t *pg.Tx, b *batch) error {
	if nothing, err := w.sumUp(ctx, b); nothing || err != nil {
		return err
	}
	s := &batchSteps{batch: b, now: w.db.Now(), limit: w.newIssues()}
	first, second := &pgx.Batch{}, &pgx.Batch{}
	s.queueFirst(first)
	if err := t.SendBatch(ctx, first).Close(); err != nil {
		return err
	}
	if s.outcome.overQuota {
		return errOverQuota
	}
	s.queueSecond(second)
	if err := t.SendBatch(ctx, second).Close(); err != nil {
		return err
	}
	if s.isStale {
		return errStale
	}
	if s.outcome.spikesWanted {
		if err := s.tellSpikes(ctx, t); err != nil {
			return err
		}
	}
	w.noteOutcome(b, &s.outcome)
	return nil
}

// batchSteps is a batch that is sent in steps.
type batchSteps struct {
	*batch
	now      core.Time
	limit    int64 // of new issues an hour; 0 for any number
	newUsers []int64
	hours    []countedHour
	heard    []activity.NewDelivery // of new issues
	outcome  batchOutcome
	isStale  bool
}

// countedHour is the new count of an issue in an hour.
type countedHour struct {
	project, issue int64
	hour           time.Time
	events         int64
}

const wantsSpikes = `SELECT ` + spikesWanted

// queueFirst adds what only looks, and the users: their number is part of the counts.
func (s *batchSteps) queueFirst(q *pgx.Batch) {
	if n := collectQuotas(s.counts.projects); len(n.project) > 0 {
		q.Queue(checkQuotasInShard, n.project, n.day, n.quota, n.events).Exec(func(tag pgconn.CommandTag) error {
			s.outcome.overQuota = tag.RowsAffected() > 0
			return nil
		})
	}
	q.Queue(wantsSpikes).QueryRow(func(row pgx.Row) error { return row.Scan(&s.outcome.spikesWanted) })
	if len(s.counts.users) > 0 {
		project, issue, user := s.listUsers()
		q.Queue(addUsersInShard, project, issue, user).Query(func(rows pgx.Rows) (err error) {
			s.newUsers, err = pgx.CollectRows(rows, pgx.RowTo[int64])
			return err
		})
	}
	s.queueHearing(q)
}

// queueHearing looks which webhooks hear of the new issues.
func (s *batchSteps) queueHearing(q *pgx.Batch) {
	var project, issue, change []int64
	for i, e := range s.firstEvents {
		if !e.Test { // as in makeIssues
			project, issue, change = append(project, e.ProjectID), append(issue, s.counts.newIssues[i].issue), append(change, s.newChanges[i])
		}
	}
	if len(issue) > 0 {
		q.Queue(hearOfNewIssues, project, change, issue, s.now, s.listClientTimes(project), core.ClientSince(s.now)).Query(
			func(rows pgx.Rows) (err error) {
				s.heard, err = pgx.CollectRows(rows, pgx.RowToStructByPos[activity.NewDelivery])
				return err
			})
	}
}

// queueSecond adds the statements that write, in the order of makeStatements.
func (s *batchSteps) queueSecond(q *pgx.Batch) {
	s.queueCounts(q)
	s.queueNewIssues(q)
	s.queueEvents(q)
	queueNames(q, s.counts.names, AddEnvironments, AddReleases)
	s.queueHours(q)
	s.queueLimits(q)
}

// requireRows makes the batch stale unless the statement writes n rows.
func (s *batchSteps) requireRows(n int) func(pgconn.CommandTag) error {
	return func(tag pgconn.CommandTag) error {
		s.isStale = s.isStale || tag.RowsAffected() != int64(n)
		return nil
	}
}

func (s *batchSteps) queueCounts(q *pgx.Batch) {
	if len(s.counts.issues) == 0 {
		return
	}
	c := newSpanArrays(s.counts.issues)
	o := &s.outcome
	q.Queue(countIssuesInShard, append(c.listArgs(), MaxUsers, s.now, s.newUsers)...).QueryRow(func(row pgx.Row) error {
		err := row.Scan(&o.issues, &o.stored, &o.users, &o.returning)
		s.isStale = s.isStale || len(o.issues) != len(c.issue)
		return err
	})
}

func (s *batchSteps) queueNewIssues(q *pgx.Batch) {
	n := len(s.firstEvents)
	if n == 0 {
		return
	}
	project, version, fingerprint := s.listNewFingerprints()
	issue := newSpanArrays(s.counts.newIssues).issue
	q.Queue(addFingerprintsInShard, project, version, fingerprint, issue).Exec(s.requireRows(n))
	q.Queue(makeIssuesInShard, s.listNewIssueArgs(s.now)...).Exec(s.requireRows(n))
	features := make([]string, n)
	for i, e := range s.firstEvents {
		features[i] = e.formatFeatures()
	}
	q.Queue(addFeaturesInShard, project, issue, features)
	s.queueDeliveries(q, s.heard)
}

func (s *batchSteps) queueDeliveries(q *pgx.Batch, made []activity.NewDelivery) {
	if len(made) > 0 {
		q.Queue(activity.AddFound, activity.ListFound(made)...)
		s.outcome.deliveries += int64(len(made))
	}
}

func (s *batchSteps) queueEvents(q *pgx.Batch) {
	stored, counted := s.splitEvents()
	for _, ids := range []*eventArrays{stored, counted} {
		if n := len(ids.id); n > 0 {
			q.Queue(addEventIDsInShard, ids.project, ids.event, ids.id, ids.issue, ids.received, ids == counted).Exec(s.requireRows(n))
		}
	}
	if n := len(stored.id); n > 0 {
		q.Queue(addEventsInShard, stored.listArgs()...).Exec(s.requireRows(n))
	}
}

func (s *batchSteps) queueHours(q *pgx.Batch) {
	project, issue, hour, events, fives := s.listHours()
	q.Queue(addHoursInShard, project, issue, hour, events, fives).Query(func(rows pgx.Rows) (err error) {
		s.hours, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (h countedHour, err error) {
			return h, row.Scan(&h.project, &h.issue, &h.hour, &h.events)
		})
		return err
	})
	id, count, at := s.listProjectHours()
	q.Queue(addProjectHours, id, at, count)
	s.queueSeen(q)
}

// queueSeen records when the projects last had events. A project has a row for each of its hours.
func (s *batchSteps) queueSeen(q *pgx.Batch) {
	seen := map[int64]*projectCount{}
	for _, c := range s.counts.projects {
		if p := seen[c.project]; p != nil {
			p.last, p.server, p.client = laterTime(p.last, c.last), laterTime(p.server, c.server), laterTime(p.client, c.client)
		} else {
			seen[c.project] = &c
		}
	}
	var project []int64
	var last, server, client, hourBefore []core.Time
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		p, before := seen[id], core.Time{}
		if !p.client.IsZero() {
			before = core.At(p.client.Add(-time.Hour))
		}
		project, last, server = append(project, id), append(last, p.last), append(server, p.server)
		client, hourBefore = append(client, p.client), append(hourBefore, before)
	}
	q.Queue(seeProjectsInShard, project, last, server, client, hourBefore).Exec(s.requireRows(len(project)))
}

func laterTime(a, b core.Time) core.Time {
	if b.After(a.Time) {
		return b
	}
	return a
}

// queueLimits fails the batch when it goes beyond a limit together with others that were counted at the same time.
func (s *batchSteps) queueLimits(q *pgx.Batch) {
	if len(s.firstEvents) > 0 {
		q.Queue(countNewIssuesInShard, s.listNewIssueCounts(s.limit)...)
	}
	if n := collectQuotas(s.counts.projects); len(n.project) > 0 {
		q.Queue(failOverQuotaInShard, n.project, n.day, n.quota)
	}
}

// spike is an issue that spikes for a webhook.
type spike struct {
	Project, Issue, Webhook int64
	Hour                    time.Time
}

// tellSpikes makes the deliveries of the issues that spike now.
func (s *batchSteps) tellSpikes(ctx context.Context, t *pg.Tx) error {
	n := len(s.hours)
	project, issue, events, hour := make([]int64, n), make([]int64, n), make([]int64, n), make([]time.Time, n)
	for i, h := range s.hours {
		project[i], issue[i], events[i], hour[i] = h.project, h.issue, h.events, h.hour
	}
	found, err := querySpikes(ctx, t, findSpikes, project, issue, hour, events, s.listClientTimes(project), s.now, core.ClientSince(s.now),
		activity.MaxWebhooks)
	if err != nil || len(found) == 0 {
		return err
	}
	project, issue, hour = project[:0], issue[:0], hour[:0]
	var webhook []int64
	for _, f := range found {
		project, issue = append(project, f.Project), append(issue, f.Issue)
		webhook, hour = append(webhook, f.Webhook), append(hour, f.Hour)
	}
	told, err := querySpikes(ctx, t, addSpikes, project, issue, webhook, hour)
	if err != nil || len(told) == 0 {
		return err
	}
	made := make([]activity.NewDelivery, len(told))
	for i, f := range told {
		made[i] = activity.NewDelivery{
			ProjectID: f.Project, ID: activity.FirstDelivery(s.spikes) + int64(i), WebhookID: f.Webhook, IssueID: f.Issue, At: s.now,
			Event: core.IssueSpike,
		}
	}
	q := &pgx.Batch{}
	s.queueDeliveries(q, made)
	return t.SendBatch(ctx, q).Close()
}

func querySpikes(ctx context.Context, t *pg.Tx, sql string, args ...any) ([]spike, error) {
	rows, err := t.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[spike])
}
