package jobs

import (
	"time"

	"errand/store"
)

type dropAlertsArgs struct{}

func (dropAlertsArgs) Kind() string { return "drop_alerts" }

// dropAlerts forgets what happened to issues, once everybody who wants to be told of it has been.
func dropAlerts(s *store.Store) job {
	return runEvery(time.Hour, usualTimeout, dropAlertsArgs{}, s.DropAlerts)
}
