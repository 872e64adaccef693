package intake

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// sendInSteps is sendStatements for a batch of one project where the tables are distributed over nodes. The long way has locked its
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
	outcome  batchOutcome
	isStale  bool
}

// countedHour is the new count of an issue in an hour.
type countedHour struct {
	issue, events int64
	hour          time.Time
}

const wantsSpikes = `SELECT ` + spikesWanted

// queueFirst adds what only looks, and the users: their number is part of the counts.
func (s *batchSteps) queueFirst(q *pgx.Batch) {
	if n := collectQuotas(s.counts.projects); len(n.project) > 0 {
		q.Queue(checkQuotasOfProject, n.project, n.day, n.quota, n.events).Exec(func(tag pgconn.CommandTag) error {
			s.outcome.overQuota = tag.RowsAffected() > 0
			return nil
		})
	}
	q.Queue(wantsSpikes).QueryRow(func(row pgx.Row) error { return row.Scan(&s.outcome.spikesWanted) })
	if len(s.counts.users) > 0 {
		project, issue, user := s.listUsers()
		q.Queue(addUsersOfProject, project, issue, user).Query(func(rows pgx.Rows) (err error) {
			s.newUsers, err = pgx.CollectRows(rows, pgx.RowTo[int64])
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
	q.Queue(countIssuesOfProject, append(c.listArgs(), MaxUsers, s.now, s.newUsers)...).QueryRow(func(row pgx.Row) error {
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
	q.Queue(addFingerprintsOfProject, project, version, fingerprint, issue).Exec(s.requireRows(n))
	q.Queue(makeIssuesOfProject, s.listNewIssueArgs(s.now)...).Exec(s.requireRows(n))
	features := make([]string, n)
	var told, change []int64
	for i, e := range s.firstEvents {
		features[i] = e.formatFeatures()
		if !e.Test { // as in makeIssues
			told, change = append(told, issue[i]), append(change, s.newChanges[i])
		}
	}
	q.Queue(addFeaturesOfProject, project, issue, features)
	if len(told) > 0 {
		project = project[:len(told)]
		q.Queue(tellNewIssuesOfProject, project, change, told, s.now, s.listClientTimes(project), core.ClientSince(s.now)).Exec(s.addMade)
	}
}

// addMade adds the number of deliveries that a statement made.
func (s *batchSteps) addMade(tag pgconn.CommandTag) error {
	s.outcome.deliveries += tag.RowsAffected()
	return nil
}

func (s *batchSteps) queueEvents(q *pgx.Batch) {
	stored, counted := s.splitEvents()
	for _, ids := range []*eventArrays{stored, counted} {
		if n := len(ids.id); n > 0 {
			q.Queue(addEventIDsOfProject, ids.project, ids.event, ids.id, ids.issue, ids.received, ids == counted).Exec(s.requireRows(n))
		}
	}
	if n := len(stored.id); n > 0 {
		q.Queue(addEventsOfProject, stored.listArgs()...).Exec(s.requireRows(n))
	}
}

func (s *batchSteps) queueHours(q *pgx.Batch) {
	project, issue, hour, events, fives := s.listHours()
	q.Queue(addHoursOfProject, project, issue, hour, events, fives).Query(func(rows pgx.Rows) (err error) {
		s.hours, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (h countedHour, err error) {
			return h, row.Scan(&h.issue, &h.hour, &h.events)
		})
		return err
	})
	id, count, at := s.listProjectHours()
	q.Queue(addProjectHours, id, at, count)
	var last, server, hourBefore core.Time
	for _, c := range s.counts.projects {
		last, server = laterTime(last, c.last), laterTime(server, c.server)
	}
	client := s.findClientTime()
	if !client.IsZero() {
		hourBefore = core.At(client.Add(-time.Hour))
	}
	q.Queue(seeProject, s.events[0].ProjectID, last, server, client, hourBefore).Exec(s.requireRows(1))
}

// findClientTime returns when the batch's latest event of a browser or an app arrived, or the zero time.
func (s *batchSteps) findClientTime() (latest core.Time) {
	for _, c := range s.counts.projects {
		latest = laterTime(latest, c.client)
	}
	return latest
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
		q.Queue(countNewIssuesOfProject, s.listNewIssueCounts(s.limit)...)
	}
	if n := collectQuotas(s.counts.projects); len(n.project) > 0 {
		q.Queue(failOverQuotaOfProject, n.project, n.day, n.quota)
	}
}

// tellSpikes makes the deliveries of the issues that spike now.
func (s *batchSteps) tellSpikes(ctx context.Context, t *pg.Tx) error {
	project := s.events[0].ProjectID
	issue, hour, events := pg.SplitColumns(s.hours, func(h countedHour) (int64, time.Time, int64) { return h.issue, h.hour, h.events })
	rows, err := t.Query(ctx, insertSpikesOfProject, project, issue, hour, events, s.now, s.findClientTime(), core.ClientSince(s.now),
		activity.MaxWebhooks)
	if err != nil {
		return err
	}
	type spike struct{ Issue, Webhook int64 }
	spikes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[spike])
	if err != nil || len(spikes) == 0 {
		return err
	}
	spiked, webhook := make([]int64, len(spikes)), make([]int64, len(spikes))
	for i, s := range spikes {
		spiked[i], webhook[i] = s.Issue, s.Webhook
	}
	tag, err := t.Exec(ctx, tellSpikesOfProject, project, activity.FirstDelivery(s.spikes), spiked, webhook, s.now)
	if err != nil {
		return err
	}
	return s.addMade(tag)
}
