package store

import (
	"context"
	"time"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

const selectDeliveries = `
SELECT id, event, coalesce(issue_id, 0) AS issue_id, status, attempts, coalesce(last_status, 0) AS last_status, last_error, created_at,
	next_attempt_at, delivered_at
FROM deliveries`

// ListDeliveries lists the deliveries of a webhook, most recent first. An unknown webhook is not_found.
func (s *Store) ListDeliveries(ctx context.Context, webhook int64, page core.Paging) (core.Page[core.Delivery], error) {
	if _, err := s.GetWebhook(ctx, webhook); err != nil {
		return core.Page[core.Delivery]{}, err
	}
	l := pg.NewList(ctx, "", "created_at", page)
	l.WhereArg("webhook_id = @webhook_id", "webhook_id", webhook)
	l.FilterDigest = pg.DigestFilter(webhook)
	return pg.ReadPage(ctx, s.db, l, selectDeliveries, func(d core.Delivery) (core.Time, int64) { return d.CreatedAt, d.ID })
}

const (
	shareWebhook = `
SELECT coalesce(w.project_id, 0) AS project_id FROM webhooks w LEFT JOIN projects p ON p.id = w.project_id
WHERE w.id = @id AND w.deleted_at IS NULL AND (w.project_id IS NULL OR p.deleted_at IS NULL AND p.id IS NOT NULL)
FOR SHARE OF w`
	insertPing = `
INSERT INTO deliveries (project_id, id, webhook_id, created_at, due_at, next_attempt_at, event)
VALUES (@project_id, @id, @webhook_id, @now, @now, @now, 'ping')`
)

// AddPing makes a delivery that tests a webhook, and returns its id. An unknown webhook is not_found.
func (s *Store) AddPing(ctx context.Context, webhook int64) (int64, error) {
	change, err := s.db.IDs.TakeOne(ctx, activity.DeliveryIDs)
	if err != nil {
		return 0, err
	}
	id := activity.FirstDelivery(change)
	return id, s.inTx(ctx, func(t *tx) error {
		project, err := t.shareWebhook(ctx, webhook)
		if err != nil {
			return err
		}
		_, err = pg.Exec(ctx, t, insertPing, pg.Args{"project_id": project, "id": id, "webhook_id": webhook, "now": t.Now})
		t.CountDeliveries(1)
		return err
	})
}

// shareWebhook keeps a webhook from being deleted until the transaction ends. It returns its project, 0 for all, or not_found.
func (t *tx) shareWebhook(ctx context.Context, id int64) (project int64, err error) {
	row, err := pg.QueryLocked[struct{ ProjectID int64 }](ctx, t.Tx, shareWebhook, pg.Args{"id": id}, "webhooks", id)
	if err != nil {
		return 0, err
	}
	return row.ProjectID, core.CheckReach(ctx, row.ProjectID)
}

const (
	lockDelivery = `
SELECT d.project_id, d.status FROM deliveries d
LEFT JOIN projects p ON p.id = d.project_id
WHERE d.webhook_id = @webhook_id AND d.id = @id AND (d.project_id = 0 OR p.deleted_at IS NULL AND p.id IS NOT NULL)
	AND /* of some projects: d */ true
FOR UPDATE OF d`
	projectsOfDelivery = `SELECT project_id FROM deliveries WHERE id = @id`
	resendDelivery     = `
UPDATE deliveries SET status = 'pending', due_at = @now, next_attempt_at = @now, delivered_at = NULL
WHERE project_id = @project_id AND id = @id`
	findDelivery = selectDeliveries + ` WHERE project_id = @project_id AND id = @id`
)

// ResendDelivery schedules another attempt of an ended delivery, under its id. The count of attempts continues: a delivery
// that has used all of them gets one more. A pending delivery is delivery_pending.
func (s *Store) ResendDelivery(ctx context.Context, webhook, id int64) (core.Delivery, error) {
	var resent core.Delivery
	err := s.inTx(ctx, func(t *tx) error {
		if _, err := t.shareWebhook(ctx, webhook); err != nil {
			return err
		}
		projects, err := pg.FindProjects(ctx, s.db, t, projectsOfDelivery, pg.Args{"id": id})
		if err != nil {
			return err
		}
		rows, err := pg.QueryEach[struct {
			ProjectID int64
			Status    core.DeliveryStatus
		}](ctx, s.db, t, lockDelivery, pg.Args{"webhook_id": webhook, "id": id}, projects)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return core.NewError(core.NotFound)
		}
		row := rows[0]
		if row.Status == core.DeliveryPending {
			return core.NewError(core.DeliveryIsPending)
		}
		args := pg.Args{"project_id": row.ProjectID, "id": id}
		if _, err := pg.Exec(ctx, t, resendDelivery, pg.Args{"project_id": row.ProjectID, "id": id, "now": t.Now}); err != nil {
			return err
		}
		t.CountDeliveries(1)
		resent, err = pg.QueryOne[core.Delivery](ctx, t, findDelivery, args)
		return err
	})
	return resent, err
}

const (
	// keepSent is how long an ended delivery is listed.
	keepSent = 30 * 24 * time.Hour
	// keepSpikes is how long the store remembers that a webhook heard of a spike; that matters for an hour.
	keepSpikes = 24 * time.Hour
)

const (
	deleteSent = `
DELETE FROM deliveries WHERE (project_id, id) IN (
	SELECT project_id, id FROM deliveries WHERE created_at < @before AND status <> 'pending' LIMIT @chunk)`
	deleteSpikes = `
DELETE FROM spikes WHERE (project_id, issue_id, webhook_id, hour) IN (
	SELECT project_id, issue_id, webhook_id, hour FROM spikes WHERE hour < @before LIMIT @chunk)`
	deleteHiddenIssues = `
DELETE FROM scm_issues WHERE (project_id, issue_id, webhook_id) IN (
	SELECT i.project_id, i.issue_id, i.webhook_id FROM scm_issues i JOIN webhooks w ON w.id = i.webhook_id
	WHERE w.deleted_at < @before LIMIT @chunk)`
	listHidden = `SELECT id FROM webhooks WHERE deleted_at < @before ORDER BY id`
	isUsed     = `
SELECT EXISTS (SELECT 1 FROM deliveries WHERE webhook_id = @id) OR EXISTS (SELECT 1 FROM scm_issues WHERE webhook_id = @id) AS used`
	deleteHidden = `DELETE FROM webhooks WHERE id = @id AND deleted_at < @before`
)

// DropSent deletes ended deliveries that were made more than 30 days ago, and webhooks that were deleted before that.
func (s *Store) DropSent(ctx context.Context) error {
	now := s.Now()
	for _, drop := range []struct {
		sql  string
		keep time.Duration
	}{{deleteSent, keepSent}, {deleteSpikes, keepSpikes}, {deleteHiddenIssues, keepSent}} {
		if err := s.deleteInChunks(ctx, drop.sql, now.Add(-drop.keep)); err != nil {
			return err
		}
	}
	return s.dropHidden(ctx, now.Add(-keepSent))
}

// dropHidden deletes webhooks that were deleted before a time, once none of their deliveries or issues is left.
func (s *Store) dropHidden(ctx context.Context, before time.Time) error {
	hidden, err := pg.QueryMany[struct{ ID int64 }](ctx, s.db.Main, listHidden, pg.Args{"before": before})
	if err != nil {
		return err
	}
	for _, w := range hidden {
		is, err := pg.QueryOne[struct{ Used bool }](ctx, s.db.Main, isUsed, pg.Args{"id": w.ID})
		if err == nil && !is.Used {
			_, err = pg.Exec(ctx, s.db.Main, deleteHidden, pg.Args{"id": w.ID, "before": before})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// deleteInChunks repeats a deletion of a bounded number of rows from before a time until none is left, so that no
// transaction is long.
func (s *Store) deleteInChunks(ctx context.Context, sql string, before time.Time) error {
	for {
		n, err := pg.Exec(ctx, s.db.Main, sql, pg.Args{"before": before, "chunk": deletionChunk})
		if err != nil || n < deletionChunk {
			return err
		}
	}
}
