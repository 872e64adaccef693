package jobs

import (
	"context"
	"time"
)

// SealWebhooks runs the job once.
func SealWebhooks(ctx context.Context, o Options) error { return o.sealWebhooks(ctx) }

// TakeTurns gives jobs of these intervals their moments.
func TakeTurns(intervals ...time.Duration) []turn {
	list := make([]job, len(intervals))
	for i, every := range intervals {
		list[i].every = every
	}
	return takeTurns(list)
}
