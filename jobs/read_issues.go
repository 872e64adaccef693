package jobs

import (
	"context"
	"time"

	"errand/store"
)

// readIssues looks at the events of issues whose first event was not looked at when they were made: for triage and for
// finding similar issues.
func readIssues(s *store.Store) job {
	return job{name: "read_issues", every: 10 * time.Second, run: func(ctx context.Context) error {
		_, err := s.ReadIssues(ctx)
		return err
	}}
}
