package activity

import (
	"context"

	"errand/store/pg"
)

// Alert is something that happened to an issue, and that somebody may want to hear, as webhooks call it. That an issue
// is new, issue.new, is written where issues are made.
type Alert string

// The alerts.
const (
	AlertRegressed Alert = "issue.regressed"
	AlertVerified  Alert = "issue.verified"
)

const insertAlert = `
INSERT INTO issue_alerts (project_id, issue_id, alert, at) VALUES (@project_id, @issue_id, @alert, @now)
ON CONFLICT DO NOTHING`

// WriteAlert notes an alert in the transaction of the change that it tells of.
func WriteAlert(ctx context.Context, t *pg.Tx, project, issue int64, alert Alert) error {
	_, err := pg.Exec(ctx, t, insertAlert, pg.Args{"project_id": project, "issue_id": issue, "alert": string(alert), "now": t.Now})
	return err
}
