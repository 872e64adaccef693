package jobs

import (
	"context"
	"time"
)

type dropIssuesArgs struct{}

func (dropIssuesArgs) Kind() string { return "drop_issues" }

// dropIssues deletes issues without stored events after ISSUE_RETENTION_DAYS.
func dropIssues(o Options) job {
	return runEvery(time.Hour, dropWithin, dropIssuesArgs{}, func(ctx context.Context) error {
		settings, err := o.readSettings(ctx)
		if err != nil {
			return err
		}
		days := settings.IssueRetentionDays
		dropped, err := o.Store.DropIssues(ctx, days)
		if dropped > 0 {
			o.Log.InfoContext(ctx, "deleted issues without events older than ISSUE_RETENTION_DAYS", "issue_retention_days", days, "issues", dropped)
		}
		return err
	})
}
