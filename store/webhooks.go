package store

import (
	"context"
	"strings"

	"errand/core"
	"errand/store/activity"
	"errand/store/intake"
	"errand/store/pg"
)

const webhookIDs pg.Series = "webhooks"

// StoredWebhook is a webhook with the data of its row.
type StoredWebhook struct {
	ID             int64
	ProjectID      core.OptInt // 0: all projects
	Name           string
	Format         core.WebhookFormat
	Events         []core.WebhookEvent
	SpikeThreshold core.OptInt // 0: it does not want issue.spike
	MinTrust       core.Trust
	URL            string   // as people see it, masked where it is a secret; empty for email
	Recipients     []string // email addresses
	Sealed         string   // its secrets; empty: it has none
	CreatedAt      core.Time
	CreatedBy      string
	LastDelivery   core.DeliveryStatus // the status of its latest delivery; empty: there was none
	LastAttempts   int                 // of it, that have ended
}

// NewWebhook is a webhook to store. Its id, from TakeWebhookID, also seals its secrets.
type NewWebhook struct {
	ID             int64
	ProjectID      int64 // 0: all projects
	Name           string
	Format         core.WebhookFormat
	Events         []core.WebhookEvent
	SpikeThreshold int64 // 0: it does not want issue.spike
	MinTrust       core.Trust
	URL            string
	Recipients     []string
	Sealed         string
}

// The existing webhooks: the webhooks of a deleted project are gone with it.
const webhooksThere = `
FROM webhooks w LEFT JOIN projects p ON p.id = w.project_id
WHERE w.deleted_at IS NULL AND (w.project_id IS NULL OR p.deleted_at IS NULL AND p.id IS NOT NULL)`

const selectWebhooks = `
SELECT w.id, coalesce(w.project_id, 0) AS project_id, w.name, w.format, w.events, coalesce(w.spike_threshold, 0) AS spike_threshold,
	w.min_trust, w.url, w.recipients, w.sealed, w.created_at, w.created_by, '' AS last_delivery, 0 AS last_attempts` + webhooksThere

const (
	listWebhooks = selectWebhooks + `
	AND (@reach::bigint[] IS NULL OR w.project_id = ANY (@reach)) -- webhooks for all projects belong to the installation
ORDER BY w.created_at DESC, w.id DESC`
	findWebhook = selectWebhooks + ` AND w.id = @id`
	// When two are created at the same time, the second waits, so that there are never too many.
	lockWebhooks  = `SELECT pg_advisory_xact_lock(hashtext('errand.webhooks'))`
	countWebhooks = `SELECT count(*) AS n FROM webhooks WHERE deleted_at IS NULL`
	insertWebhook = `
INSERT INTO webhooks (id, project_id, spike_threshold, created_at, name, format, min_trust, events, url, recipients, sealed, created_by)
VALUES (@id, nullif(@project_id::bigint, 0), nullif(@spike_threshold::bigint, 0), @now, @name, @format, @min_trust, @events, @url,
	@recipients, @sealed, @created_by)`
)

// TakeWebhookID returns an id for a new webhook.
func (s *Store) TakeWebhookID(ctx context.Context) (int64, error) {
	return s.db.IDs.TakeOne(ctx, webhookIDs)
}

// webhookData is the data of a webhook in the timeline. Its URL has no query, which may hold a secret.
type webhookData struct {
	Name string    `json:"name"`
	URL  core.Text `json:"url"`
}

// CreateWebhook stores a webhook. An unknown project is project_not_found.
func (s *Store) CreateWebhook(ctx context.Context, actor core.Actor, n NewWebhook) (StoredWebhook, error) {
	var made StoredWebhook
	err := s.inTx(ctx, func(t *tx) (err error) {
		made, err = t.createWebhook(ctx, actor, n)
		return err
	})
	return made, err
}

func (t *tx) createWebhook(ctx context.Context, actor core.Actor, n NewWebhook) (made StoredWebhook, err error) {
	if n.ProjectID != 0 { // a deletion of the project waits
		if err := intake.ShareProject(ctx, t.Tx, n.ProjectID); err != nil {
			return made, err
		}
	}
	if err := t.ExecAll(ctx, lockWebhooks); err != nil {
		return made, err
	}
	count, err := pg.QueryOne[struct{ N int64 }](ctx, t, countWebhooks, pg.Args{})
	if err != nil {
		return made, err
	}
	if count.N >= activity.MaxWebhooks {
		return made, core.RefuseField("", "there are %d webhooks already, which is the most: delete one first", activity.MaxWebhooks)
	}
	_, err = pg.Exec(ctx, t, insertWebhook, pg.Args{
		"id": n.ID, "project_id": n.ProjectID, "spike_threshold": n.SpikeThreshold, "now": t.Now, "name": n.Name, "format": string(n.Format),
		"min_trust": string(n.MinTrust), "events": n.Events, "url": n.URL, "recipients": listOrEmpty(n.Recipients), "sealed": n.Sealed,
		"created_by": actor.Name,
	})
	if err != nil {
		return made, err
	}
	if err := t.recordWebhook(ctx, actor, core.ActionWebhookCreate, n.ID, n.ProjectID, n.Name, n.URL); err != nil {
		return made, err
	}
	return pg.QueryOne[StoredWebhook](ctx, t, findWebhook, pg.Args{"id": n.ID})
}

func listOrEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (t *tx) recordWebhook(ctx context.Context, actor core.Actor, action core.Action, id, project int64, name, url string) error {
	_, err := t.recordActivity(ctx, activity.Entry{
		ProjectID: project, Actor: actor, Action: action, TargetType: core.TargetWebhook, TargetID: id,
		Data: webhookData{name, core.Text(CutQuery(url))},
	})
	return err
}

// CutQuery returns a URL without its query, which may hold a secret.
func CutQuery(url string) string {
	before, _, _ := strings.Cut(url, "?")
	return before
}

// ListWebhooks lists all webhooks in reach, most recent first.
func (s *Store) ListWebhooks(ctx context.Context) ([]StoredWebhook, error) {
	webhooks, err := pg.QueryMany[StoredWebhook](ctx, s.db.Main, listWebhooks, pg.Args{"reach": core.ReachOf(ctx).Projects()})
	if err != nil || len(webhooks) == 0 {
		return webhooks, err
	}
	var b pg.Batch
	last := make([][]lastDelivery, len(webhooks))
	for i, w := range webhooks {
		pg.QueueMany(&b, findLastDelivery, pg.Args{"id": w.ID}, &last[i])
	}
	if err := b.Send(ctx, s.db.Main); err != nil {
		return nil, err
	}
	for i := range webhooks {
		webhooks[i].noteLast(last[i])
	}
	return webhooks, nil
}

const findLastDelivery = `SELECT status, attempts FROM deliveries WHERE webhook_id = @id ORDER BY created_at DESC, id DESC LIMIT 1`

type lastDelivery struct {
	Status   core.DeliveryStatus
	Attempts int
}

// noteLast sets what became of the latest delivery, if there was one.
func (w *StoredWebhook) noteLast(found []lastDelivery) {
	if len(found) > 0 {
		w.LastDelivery, w.LastAttempts = found[0].Status, found[0].Attempts
	}
}

// GetWebhook returns a webhook, or not_found.
func (s *Store) GetWebhook(ctx context.Context, id int64) (StoredWebhook, error) {
	return getWebhook(ctx, s.db.Main, id)
}

func getWebhook(ctx context.Context, q pg.Querier, id int64) (StoredWebhook, error) {
	webhook, err := pg.QueryOne[StoredWebhook](ctx, q, findWebhook, pg.Args{"id": id})
	if err != nil {
		return StoredWebhook{}, err
	}
	last, err := pg.QueryMany[lastDelivery](ctx, q, findLastDelivery, pg.Args{"id": id})
	if err != nil {
		return StoredWebhook{}, err
	}
	webhook.noteLast(last)
	return webhook, core.CheckReach(ctx, int64(webhook.ProjectID))
}

const (
	hideWebhook = `
UPDATE webhooks SET deleted_at = @now, sealed = '' WHERE id = @id AND deleted_at IS NULL
RETURNING coalesce(project_id, 0) AS project_id, name, url`
	// FailDeliveries fails the pending deliveries of webhooks that no longer exist. The worker finds a delivery that was
	// made while its webhook was being deleted.
	failDeliveries = `
UPDATE deliveries SET status = 'failed', next_attempt_at = NULL, last_error = 'the webhook was deleted'
WHERE webhook_id = @id AND status = 'pending'`
)

// DeleteWebhook deletes a webhook and its secrets; its pending deliveries fail. An unknown webhook is not_found.
func (s *Store) DeleteWebhook(ctx context.Context, actor core.Actor, id int64) error {
	return s.inTx(ctx, func(t *tx) error {
		if _, err := getWebhook(ctx, t, id); err != nil {
			return err
		}
		if err := t.LockRow(ctx, "webhooks", id); err != nil {
			return err
		}
		gone, err := pg.QueryOne[struct {
			ProjectID int64
			Name, URL string
		}](ctx, t, hideWebhook, pg.Args{"id": id, "now": t.Now})
		if err != nil {
			return err
		}
		if _, err := pg.Exec(ctx, t, failDeliveries, pg.Args{"id": id}); err != nil {
			return err
		}
		return t.recordWebhook(ctx, actor, core.ActionWebhookDelete, id, gone.ProjectID, gone.Name, gone.URL)
	})
}
