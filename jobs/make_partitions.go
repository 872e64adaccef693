package jobs

import (
	"time"

	"errand/store"
)

type makePartitionsArgs struct{}

func (makePartitionsArgs) Kind() string { return "make_partitions" }

// makePartitions makes the next days' partitions of events ahead, so that no event waits for its day's.
func makePartitions(s *store.Store) job {
	return runEvery(time.Hour, usualTimeout, makePartitionsArgs{}, s.Intake.MakePartitions)
}
