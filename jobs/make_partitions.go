package jobs

import (
	"time"

	"errand/store"
)

type partitions struct{}

func (partitions) Kind() string { return "make_partitions" }

// makePartitions makes the next days' partitions of events ahead, so that no event waits for its day's.
func makePartitions(s *store.Store) job {
	return every(time.Hour, usual, partitions{}, s.Intake.MakePartitions)
}
