package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// DueWebhook is a webhook with deliveries that are due.
type DueWebhook struct {
	ID         int64
	Name       string
	Format     core.WebhookFormat
	URL        string   // as people see it; empty for email
	Recipients []string // email addresses
	Sealed     string
}

const listDueWebhooks = `
SELECT w.id, w.name, w.format, w.url, w.recipients, w.sealed
FROM webhooks w
WHERE w.id IN (SELECT d.webhook_id FROM deliveries d WHERE d.status = 'pending' AND d.due_at <= @now)
ORDER BY w.id`

// ListDueWebhooks lists the webhooks that have due deliveries, including webhooks that were deleted since.
func (s *Store) ListDueWebhooks(ctx context.Context) ([]DueWebhook, error) {
	return pg.QueryMany[DueWebhook](ctx, s.db.Main, listDueWebhooks, pg.Args{"now": s.Now()})
}

// TakenDelivery is a delivery for one attempt.
type TakenDelivery struct {
	ProjectID   int64 // 0: a ping of a webhook for all projects
	ID          int64
	WebhookID   int64
	IssueID     core.OptInt // 0: a ping
	Event       core.WebhookEvent
	CreatedAt   core.Time
	Attempt     int64 // the number of this attempt; the first is 1
	Lease       int64
	ProjectName string
	IssueNumber int64 // the issue's number in source control; 0: none
}

// lastLease is how long a last attempt may take before its server counts as lost. Other attempts have until the next one.
const lastLease = time.Minute

const (
	// Two servers must not open two issues in source control for one of ours, so each issue has one attempt at a time. The
	// snapshot of takeDeliveries misses the changes of another server at the same moment: this lock makes the servers wait for each other.
	lockIssueOpeners = `
SELECT id FROM webhooks WHERE id = ANY (@webhooks) AND format = 'scm_issue' ORDER BY id FOR NO KEY UPDATE`

	// An attempt counts when it begins, and the next one is planned as if this one had failed. Whatever happens to the
	// server, every attempt is counted and the delivery is tried again in time. The server later only records how the attempt ended.
	//
	// A last attempt leaves no next one: if it becomes due again, its server was lost. A delivery that was sent again by
	// hand has a next attempt.
	takeDeliveries = `
WITH due AS MATERIALIZED (
	SELECT d.project_id, d.id
	FROM unnest(@webhooks::bigint[], @rooms::bigint[]) AS r (webhook_id, room)
	JOIN webhooks w ON w.id = r.webhook_id
	CROSS JOIN LATERAL (
		SELECT d.project_id, d.id FROM deliveries d
		WHERE d.webhook_id = r.webhook_id AND d.status = 'pending' AND d.due_at <= @now AND /* of some projects: d */ true
			AND (w.format <> 'scm_issue' OR NOT EXISTS (
				SELECT 1 FROM deliveries o
				WHERE o.webhook_id = d.webhook_id AND o.status = 'pending' AND o.issue_id = d.issue_id AND o.id <> d.id
					AND /* of some projects: o */ true
					AND (o.due_at > @now OR (o.due_at, o.id) < (d.due_at, d.id))))
		ORDER BY d.due_at, d.id
		LIMIT r.room
		FOR UPDATE SKIP LOCKED
	) d
), judged AS (
	SELECT d.project_id, d.id, coalesce(p.name, '') AS project_name, coalesce(n.number, 0) AS issue_number,
		CASE
			WHEN w.deleted_at IS NOT NULL THEN 'the webhook was deleted'
			WHEN d.project_id <> 0 AND (p.id IS NULL OR p.deleted_at IS NOT NULL) THEN 'the project was deleted'
			WHEN d.issue_id IS NOT NULL AND i.id IS NULL THEN 'the issue was deleted'
			WHEN i.status = 'merged' THEN 'the issue was merged into ' || i.merged_into
			WHEN d.issue_id IS NOT NULL AND w.min_trust <> 'low' AND NOT ` + activity.IsTrusted + `
				THEN 'the trust of the project is low by now, and the webhook wants high'
			WHEN d.attempts >= @max_attempts AND d.next_attempt_at IS NULL THEN 'the server was lost during the last attempt'
			ELSE ''
		END AS refusal
	FROM due u
	JOIN deliveries d ON d.project_id = u.project_id AND d.id = u.id AND /* of some projects: d */ true
	JOIN webhooks w ON w.id = d.webhook_id
	LEFT JOIN projects p ON p.id = d.project_id
	LEFT JOIN project_seen s ON s.project_id = d.project_id AND /* of some projects: s */ true
	CROSS JOIN LATERAL (SELECT s.client_seen_at AS client_seen, @client_since::timestamptz AS client_since) t
	LEFT JOIN issues i ON i.id = d.issue_id AND i.project_id = d.project_id AND /* of some projects: i */ true
	LEFT JOIN scm_issues n ON n.project_id = d.project_id AND n.issue_id = d.issue_id AND n.webhook_id = d.webhook_id
		AND /* of some projects: n */ true
)
UPDATE deliveries d SET
	status = CASE WHEN j.refusal = '' THEN 'pending' ELSE 'failed' END,
	attempts = d.attempts + CASE WHEN j.refusal = '' THEN 1 ELSE 0 END,
	lease = d.lease + 1,
	due_at = CASE WHEN j.refusal = '' THEN coalesce((@nexts::timestamptz[])[d.attempts + 1], @lost_at) ELSE d.due_at END,
	next_attempt_at = CASE WHEN j.refusal = '' THEN (@nexts::timestamptz[])[d.attempts + 1] END,
	last_status = CASE WHEN j.refusal <> '' THEN d.last_status END,
	last_error = CASE WHEN j.refusal = '' THEN @underway ELSE j.refusal END
FROM judged j
WHERE d.project_id = j.project_id AND d.id = j.id AND /* of some projects: d */ true
RETURNING d.project_id, d.id, d.webhook_id, coalesce(d.issue_id, 0) AS issue_id, d.event, d.created_at, d.attempts::bigint AS attempt,
	d.lease, j.project_name, j.issue_number, j.refusal`
)

// TakeDeliveries takes due deliveries, each for one attempt: for each webhook at most as many as its room. waits are the
// times between attempts, so there is one attempt more than waits. A delivery that must no longer be sent fails, for
// instance when its project was deleted or is no longer trusted enough.
func (s *Store) TakeDeliveries(ctx context.Context, rooms map[int64]int64, waits []time.Duration) (taken []TakenDelivery, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		taken = taken[:0]
		webhooks := slices.Sorted(maps.Keys(rooms))
		if err := t.lockIssueOpeners(ctx, webhooks); err != nil {
			return err
		}
		projects, err := pg.FindProjects(ctx, s.db, t, projectsOfDue, pg.Args{"webhooks": webhooks, "now": t.Now})
		if err != nil {
			return err
		}
		if !s.db.IsDistributed() {
			projects = []int64{0} // all of them at once
		}
		left := maps.Clone(rooms)
		for _, project := range projects {
			some, err := t.takeDeliveries(ctx, left, waits, project)
			if err != nil {
				return err
			}
			for _, d := range some {
				left[d.WebhookID]--
			}
			taken = append(taken, some...)
		}
		return nil
	})
	return taken, err
}

func (t *tx) lockIssueOpeners(ctx context.Context, webhooks []int64) error {
	if t.IsDistributed() {
		return t.LockName(ctx, "issue openers", 0)
	}
	_, err := pg.Exec(ctx, t, lockIssueOpeners, pg.Args{"webhooks": webhooks})
	return err
}

// projectsOfDue is for takeDeliveries.
const projectsOfDue = `
SELECT DISTINCT project_id FROM deliveries WHERE webhook_id = ANY (@webhooks::bigint[]) AND status = 'pending' AND due_at <= @now`

// takeDeliveries takes due deliveries. Where the tables are distributed, it takes only the project's.
func (t *tx) takeDeliveries(
	ctx context.Context, rooms map[int64]int64, waits []time.Duration, project int64,
) (taken []TakenDelivery, err error) {
	webhooks, room := make([]int64, 0, len(rooms)), make([]int64, 0, len(rooms))
	for id, n := range rooms {
		webhooks, room = append(webhooks, id), append(room, n)
	}
	nexts := make([]core.Time, len(waits))
	for i, wait := range waits {
		nexts[i] = core.At(t.Now.Add(wait))
	}
	rows, err := pg.QueryEach[struct {
		TakenDelivery
		Refusal string
	}](ctx, t.store.db, t, takeDeliveries, pg.Args{
		"webhooks": webhooks, "rooms": room, "now": t.Now, "client_since": core.ClientSince(t.Now), "max_attempts": len(waits) + 1,
		"nexts": nexts, "lost_at": core.At(t.Now.Add(lastLease)), "underway": core.AttemptUnderway,
	}, []int64{project})
	for _, row := range rows {
		if row.Refusal == "" {
			taken = append(taken, row.TakenDelivery)
		}
	}
	return taken, err
}

// DeliveryOutcome is how an attempt ended.
type DeliveryOutcome struct {
	TakenDelivery
	Status     core.DeliveryStatus // pending: it is tried again, unless it was the last attempt
	LastStatus int64               // HTTP status; 0 for none
	LastError  string              // empty for none
	EndedAt    core.Time
	// NextAttemptAt is when a pending delivery is tried again.
	NextAttemptAt core.Time
	// NewIssueNumber is the issue in source control after the attempt; 0: there is none.
	NewIssueNumber int64
}

const (
	// A delivery that has failed since, because its webhook was deleted, stays failed.
	recordOutcomes = `
UPDATE deliveries d SET
	status = o.status,
	delivered_at = CASE WHEN o.status = 'delivered' THEN o.ended_at END,
	last_status = nullif(o.last_status, 0),
	last_error = o.last_error,
	due_at = CASE WHEN o.status = 'pending' THEN o.next_at ELSE d.due_at END,
	next_attempt_at = CASE WHEN o.status = 'pending' THEN o.next_at END
FROM unnest(@projects::bigint[], @ids::bigint[], @leases::bigint[], @statuses::text[], @last_statuses::bigint[], @last_errors::text[],
	@ended::timestamptz[], @nexts::timestamptz[])
	AS o (project_id, id, lease, status, last_status, last_error, ended_at, next_at)
WHERE d.project_id = o.project_id AND d.id = o.id AND d.lease = o.lease AND d.status = 'pending' AND /* of some projects: d */ true`

	keepNumber = `
INSERT INTO scm_issues (project_id, issue_id, webhook_id, number) VALUES (@project_id, @issue_id, @webhook_id, @number)
ON CONFLICT (project_id, issue_id, webhook_id) DO UPDATE SET number = excluded.number`

	dropNumber = `DELETE FROM scm_issues WHERE project_id = @project_id AND issue_id = @issue_id AND webhook_id = @webhook_id`
)

// RecordDeliveries records how attempts ended. Calling it twice with the same outcomes is fine.
func (s *Store) RecordDeliveries(ctx context.Context, outcomes []DeliveryOutcome) error {
	n := len(outcomes)
	projects, ids, leases, last := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	statuses, errs := make([]string, n), make([]string, n)
	ended, nexts := make([]core.Time, n), make([]core.Time, n)
	for i, o := range outcomes {
		projects[i], ids[i], leases[i], last[i] = o.ProjectID, o.ID, o.Lease, o.LastStatus
		statuses[i], errs[i], ended[i], nexts[i] = string(o.Status), o.LastError, o.EndedAt, o.NextAttemptAt
	}
	return s.inTx(ctx, func(t *tx) error {
		for _, o := range outcomes {
			if err := t.recordNumber(ctx, o); err != nil {
				return err
			}
		}
		_, err := pg.ExecEach(ctx, s.db, t, recordOutcomes, pg.Args{
			"projects": projects, "ids": ids, "leases": leases, "statuses": statuses, "last_statuses": last, "last_errors": errs, "ended": ended,
			"nexts": nexts,
		}, projects)
		return err
	})
}

// recordNumber stores the number of the delivery's issue in source control, if the attempt has changed it.
func (t *tx) recordNumber(ctx context.Context, o DeliveryOutcome) error {
	if o.NewIssueNumber == o.IssueNumber || o.IssueID == 0 {
		return nil
	}
	args := pg.Args{"project_id": o.ProjectID, "issue_id": int64(o.IssueID), "webhook_id": o.WebhookID}
	if o.NewIssueNumber == 0 {
		_, err := pg.Exec(ctx, t, dropNumber, args)
		return err
	}
	args["number"] = o.NewIssueNumber
	_, err := pg.Exec(ctx, t, keepNumber, args)
	return err
}

// maxCounted bounds the count of pending deliveries.
const maxCounted = 100_000

const countPending = `SELECT count(*) AS n FROM (SELECT 1 FROM deliveries WHERE status = 'pending' LIMIT @limit) AS pending`

// CountPendingDeliveries returns how many deliveries are pending, up to 100,000.
func (s *Store) CountPendingDeliveries(ctx context.Context) (int64, error) {
	row, err := pg.QueryOne[struct{ N int64 }](ctx, s.db.Main, countPending, pg.Args{"limit": maxCounted})
	return row.N, err
}
