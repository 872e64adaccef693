package jobs

import (
	"time"

	"errand/store"
)

type dropSentArgs struct{}

func (dropSentArgs) Kind() string { return "drop_sent" }

// dropSent deletes old deliveries of webhooks.
func dropSent(s *store.Store) job {
	return runEvery(time.Hour, usualTimeout, dropSentArgs{}, s.DropSent)
}
