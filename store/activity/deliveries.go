package activity

import (
	"context"
	"fmt"

	"errand/core"
	"errand/store/pg"
)

// DeliveryIDs is the series of the ids of changes that webhooks hear about. The deliveries of one change have their own
// ids: see FirstDelivery.
const DeliveryIDs pg.Series = "deliveries"

// MaxWebhooks is the largest number of webhooks, and so of deliveries of one change.
const MaxWebhooks = 1000

// FirstDelivery returns the id of the first delivery of a change; the ids of the others follow it. So one statement can
// make deliveries for all webhooks that exist when it runs.
func FirstDelivery(change int64) int64 { return change * MaxWebhooks }

// InsertDeliveries makes a delivery for every webhook that should hear of a change. It reads the relation changed (id,
// project_id, issue_id, event, at, client_at, client_since): client_at is when events of a browser or an app came with the
// change, if any, and after client_since such events make the trust of the project low. Without webhooks it costs nothing.
// Only webhooks of the demo project itself hear of its examples: they must wake nobody and start no agent, because they never happened.
const InsertDeliveries = `
-- the deliveries of the changes
INSERT INTO deliveries (` + deliveryColumns + `)
SELECT c.project_id, ` + deliveryValues + `
FROM changed c
LEFT JOIN project_seen s ON s.project_id = c.project_id` + hearsOfChange

// findDeliveries finds the deliveries that InsertDeliveries would make, for changes of projects that have had events: a condition on
// s.project_id has to follow. Where the tables are distributed over nodes, an insert that read webhooks would go to all nodes.
const findDeliveries = `
-- the deliveries of the changes
SELECT s.project_id, ` + deliveryID + ` AS id, w.id AS webhook_id, c.issue_id, c.at, c.event
FROM project_seen s
JOIN changed c ON c.project_id = s.project_id` + hearsOfChange

const (
	deliveryColumns = `project_id, id, webhook_id, issue_id, created_at, due_at, next_attempt_at, event`
	deliveryID      = `c.id * 1000 - 1 + row_number() OVER (PARTITION BY c.id ORDER BY w.id)`
	deliveryValues  = deliveryID + `, w.id, c.issue_id, c.at, c.at, c.at, c.event`
	hearsOfChange   = `
JOIN webhooks w ON coalesce(w.project_id, c.project_id) = c.project_id
JOIN projects p ON p.id = c.project_id
CROSS JOIN LATERAL (SELECT greatest(s.client_seen_at, c.client_at) AS client_seen, c.client_since) t
WHERE EXISTS (SELECT 1 FROM webhooks WHERE deleted_at IS NULL)
	AND w.deleted_at IS NULL
	AND c.event = ANY (w.events)
	AND p.deleted_at IS NULL
	AND (NOT p.demo OR w.project_id IS NOT NULL)
	AND (w.min_trust = 'low' OR ` + IsTrusted + `)`
)

// An issue that changes has had events, and its project a row in project_seen.
const (
	changedOne = `changed AS (
	SELECT @id::bigint AS id, @project_id::bigint AS project_id, @issue_id::bigint AS issue_id, @event::text AS event,
		@now::timestamptz AS at, NULL::timestamptz AS client_at, @client_since::timestamptz AS client_since
)`
	insertDeliveriesOfOne = `
WITH ` + changedOne + InsertDeliveries
	findDeliveriesOfOne = `
WITH ` + changedOne + findDeliveries + ` AND s.project_id = @project_id`
)

// AddDeliveries makes the deliveries for an event of an issue, in the transaction of the change.
func AddDeliveries(ctx context.Context, db *pg.DB, t *pg.Tx, project, issue int64, event core.WebhookEvent) error {
	id, err := db.IDs.TakeOne(ctx, DeliveryIDs)
	if err != nil {
		return fmt.Errorf("the id of a delivery: %w", err)
	}
	args := pg.Args{
		"id": id, "project_id": project, "issue_id": issue, "event": string(event), "now": t.Now, "client_since": core.ClientSince(t.Now),
	}
	var made int64
	if t.IsDistributed() {
		made, err = addInSteps(ctx, t, args)
	} else {
		made, err = pg.Exec(ctx, t, insertDeliveriesOfOne, args)
	}
	t.CountDeliveries(made)
	return err
}

// newDelivery is a delivery that findDeliveries has found.
type newDelivery struct {
	ProjectID int64
	ID        int64
	WebhookID int64
	IssueID   int64
	At        core.Time
	Event     core.WebhookEvent
}

// addFound makes deliveries, whose columns listFound returns, of projects in one shard.
const addFound = `
INSERT INTO deliveries (` + deliveryColumns + `)
SELECT s.project_id, n.id, n.webhook_id, n.issue_id, n.at, n.at, n.at, n.event
FROM project_seen s JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::text[])
	AS n (project_id, id, webhook_id, issue_id, at, event) ON n.project_id = s.project_id
WHERE s.project_id = ANY ($1::bigint[])`

// listFound returns the arguments of addFound.
func listFound(found []newDelivery) []any {
	project, id, webhook := pg.SplitColumns(found, func(d newDelivery) (int64, int64, int64) { return d.ProjectID, d.ID, d.WebhookID })
	issue, at, event := pg.SplitColumns(found, func(d newDelivery) (int64, core.Time, string) { return d.IssueID, d.At, string(d.Event) })
	return []any{project, id, webhook, issue, at, event}
}

func addInSteps(ctx context.Context, t *pg.Tx, args pg.Args) (made int64, err error) {
	found, err := pg.QueryMany[newDelivery](ctx, t, findDeliveriesOfOne, args)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	tag, err := t.Exec(ctx, addFound, listFound(found)...)
	return tag.RowsAffected(), pg.WrapError(err)
}
