package jobs

import (
	"time"

	"errand/store"
)

type makePartitionsArgs struct{}

func (makePartitionsArgs) Kind() string { return "make_partitions" }

// makePartitions makes the partitions for the events of the next days ahead, so that no event waits for its day's.
func makePartitions(s *store.Store) job {
	return runEvery(time.Hour, usualTimeout, makePartitionsArgs{}, s.Intake.MakePartitions)
}
