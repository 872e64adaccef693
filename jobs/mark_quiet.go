package jobs

import (
	"time"

	"errand/store"
)

type markQuietArgs struct{}

func (markQuietArgs) Kind() string { return "mark_quiet" }

// markQuiet marks issues without an event for a day, for the list by priority.
func markQuiet(s *store.Store) job {
	return runEvery(10*time.Minute, usualTimeout, markQuietArgs{}, s.MarkQuiet)
}
