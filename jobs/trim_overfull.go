package jobs

import (
	"time"

	"errand/store"
)

type trimOverfullArgs struct{}

func (trimOverfullArgs) Kind() string { return "trim_overfull" }

// trimOverfull deletes the stored events that exceed what issues keep after STORED_EVENTS_PER_ISSUE was lowered.
func trimOverfull(s *store.Store) job {
	return runEvery(10*time.Minute, 5*time.Minute, trimOverfullArgs{}, s.Intake.TrimOverfull)
}
