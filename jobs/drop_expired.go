package jobs

import (
	"context"
	"time"

	"errand/store"
)

// dropExpired deletes stored events that are older than the retention.
func dropExpired(s *store.Store, days int) job {
	return job{name: "drop_expired", every: time.Hour, run: func(ctx context.Context) error { return s.DropExpired(ctx, days) }}
}
