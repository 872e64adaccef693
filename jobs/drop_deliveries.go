package jobs

import (
	"time"

	"errand/store"
)

type dropDeliveriesArgs struct{}

func (dropDeliveriesArgs) Kind() string { return "drop_deliveries" }

// dropDeliveries forgets old pushes, and which deliveries of source control were taken, after nobody sends them again.
func dropDeliveries(s *store.Store) job {
	return runEvery(time.Hour, usualTimeout, dropDeliveriesArgs{}, s.DropDeliveries)
}
