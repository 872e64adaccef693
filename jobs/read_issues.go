package jobs

import (
	"context"
	"time"

	"errand/store"
)

type readIssuesArgs struct{}

func (readIssuesArgs) Kind() string { return "read_issues" }

// readIssues looks at the events of issues whose first event was not looked at when they were made: for triage and for
// finding similar issues.
func readIssues(s *store.Store) job {
	return runEvery(10*time.Second, usualTimeout, readIssuesArgs{}, func(ctx context.Context) error {
		_, err := s.ReadIssues(ctx)
		return err
	})
}
