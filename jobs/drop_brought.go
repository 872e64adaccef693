package jobs

import (
	"time"

	"errand/store"
)

type dropBroughtArgs struct{}

func (dropBroughtArgs) Kind() string { return "drop_brought" }

// dropBrought deletes what old deploys brought.
func dropBrought(s *store.Store) job {
	return runEvery(24*time.Hour, usualTimeout, dropBroughtArgs{}, s.DropBrought)
}
