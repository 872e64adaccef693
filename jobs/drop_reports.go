package jobs

import (
	"time"

	"errand/store"
)

type dropReportsArgs struct{}

// Kind keeps the name from when reports were called deliveries: queued jobs and servers of earlier versions know no other.
func (dropReportsArgs) Kind() string { return "drop_deliveries" }

// dropReports forgets which reports of source control were taken, once nobody sends them again, and old pushes.
func dropReports(s *store.Store) job {
	return runEvery(time.Hour, usualTimeout, dropReportsArgs{}, s.DropReports)
}
