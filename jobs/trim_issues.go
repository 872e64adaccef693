package jobs

import (
	"time"

	"errand/store"
)

// trimIssues deletes the middle of issues that have more stored events than they keep.
func trimIssues(s *store.Store) job {
	return job{name: "trim_issues", every: 5 * time.Second, run: s.TrimIssues}
}
