package jobs

import (
	"time"

	"errand/store"
)

type oldAlerts struct{}

func (oldAlerts) Kind() string { return "drop_alerts" }

// dropAlerts forgets what happened to issues, once everybody who wants to be told of it has been.
func dropAlerts(s *store.Store) job {
	return every(time.Hour, usual, oldAlerts{}, s.DropAlerts)
}
