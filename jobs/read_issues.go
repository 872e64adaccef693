package jobs

import (
	"context"
	"time"

	"errand/store"
)

type unread struct{}

func (unread) Kind() string { return "read_issues" }

// readIssues looks at the events of issues whose first event was not looked at when they were made: for triage and for
// finding similar issues.
func readIssues(s *store.Store) job {
	return every(10*time.Second, usual, unread{}, func(ctx context.Context) error {
		_, err := s.InspectIssues(ctx)
		return err
	})
}
