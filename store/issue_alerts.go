package store

import (
	"context"
	"time"
)

// What happens to issues that somebody may want to be told of, as webhooks call it.
const (
	alertRegressed = "issue.regressed"
	alertVerified  = "issue.verified"
)

// keepAlerts is how long what happened to issues is kept.
const keepAlerts = 24 * time.Hour

const (
	insertAlert = `
INSERT INTO issue_alerts (project_id, issue_id, alert, at) VALUES (@project_id, @issue_id, @alert, @now)
ON CONFLICT DO NOTHING`
	dropAlerts = `
DELETE FROM issue_alerts WHERE (project_id, issue_id, alert, at) IN (
	SELECT project_id, issue_id, alert, at FROM issue_alerts WHERE at < @before LIMIT @chunk)`
)

// addAlert notes in the transaction of a change what happened to an issue.
func (t *tx) addAlert(ctx context.Context, project, issue int64, alert string) error {
	_, err := exec(ctx, t, insertAlert, args{"project_id": project, "issue_id": issue, "alert": alert, "now": t.now})
	return err
}

// DropAlerts forgets what happened to issues more than a day ago.
func (s *Store) DropAlerts(ctx context.Context) error {
	before := s.Now().Add(-keepAlerts)
	for {
		n, err := exec(ctx, s.pool, dropAlerts, args{"before": before, "chunk": forgetChunk})
		if err != nil || n < forgetChunk {
			return err
		}
	}
}
