package jobs

import (
	"time"

	"errand/store"
)

type dropDeliveriesArgs struct{}

func (dropDeliveriesArgs) Kind() string { return "drop_deliveries" }

// dropDeliveries forgets which reports of source control were taken, once nobody sends them again, and old pushes.
func dropDeliveries(s *store.Store) job {
	return runEvery(time.Hour, usualTimeout, dropDeliveriesArgs{}, s.DropReports)
}
