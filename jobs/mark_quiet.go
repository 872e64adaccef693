package jobs

import (
	"time"

	"errand/store"
)

type quiet struct{}

func (quiet) Kind() string { return "mark_quiet" }

// markQuiet marks issues that have had no event for a day, for the list by priority.
func markQuiet(s *store.Store) job {
	return every(10*time.Minute, usual, quiet{}, s.MarkQuiet)
}
