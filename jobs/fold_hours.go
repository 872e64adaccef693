package jobs

import (
	"time"

	"errand/store"
)

type foldHoursArgs struct{}

func (foldHoursArgs) Kind() string { return "fold_hours" }

// foldHours folds the hours of issues' events that are older than 30 days into days.
func foldHours(s *store.Store) job {
	return runEvery(24*time.Hour, dropWithin, foldHoursArgs{}, s.FoldHours)
}
