package jobs

import (
	"context"
	"errors"
	"time"

	"errand/store"
)

// dropWithin is long, as a day is dropped whole or not at all.
const dropWithin = 30 * time.Minute

type expired struct{}

func (expired) Kind() string { return "drop_expired" }

// dropExpired deletes stored events that are older than the retention, and the ids of those that were only counted.
func dropExpired(s *store.Store, days int) job {
	return every(time.Hour, dropWithin, expired{}, func(ctx context.Context) error {
		return errors.Join(s.DropExpired(ctx, days), s.ForgetCounted(ctx))
	})
}
