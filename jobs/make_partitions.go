package jobs

import (
	"time"

	"errand/store"
)

// makePartitions makes the next days' partitions of events ahead, so that no event waits for its day's.
func makePartitions(s *store.Store) job {
	return job{name: "make_partitions", every: time.Hour, run: s.MakePartitions}
}
