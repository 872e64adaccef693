package store

import (
	"context"
	"time"

	"errand/store/pg"
)

const (
	// keepAlerts is how long it is kept what happened to issues.
	keepAlerts = 24 * time.Hour
	// alertChunk bounds the rows of one deletion, so that no transaction is long.
	alertChunk = 10_000
)

const deleteAlerts = `
DELETE FROM issue_alerts WHERE (project_id, issue_id, alert, at) IN (
	SELECT project_id, issue_id, alert, at FROM issue_alerts WHERE at < @before LIMIT @chunk)`

// DropAlerts forgets what happened to issues more than a day ago.
func (s *Store) DropAlerts(ctx context.Context) error {
	before := s.Now().Add(-keepAlerts)
	for {
		n, err := pg.Exec(ctx, s.db.Main, deleteAlerts, pg.Args{"before": before, "chunk": alertChunk})
		if err != nil || n < alertChunk {
			return err
		}
	}
}
