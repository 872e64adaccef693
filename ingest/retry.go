package ingest

import (
	"context"
	"time"

	"errand/core"
)

// waitAtMost is how long a request waits for the server before it gets 503 (decisions 3). Waiting is better, because SDKs drop an
// event that is refused.
const waitAtMost = 10 * time.Second

// The pauses between attempts to reach the database.
const (
	firstPause   = 10 * time.Millisecond
	longestPause = 500 * time.Millisecond
)

// retryWhileAway repeats attempt while the database is away, until ctx ends.
func retryWhileAway(ctx context.Context, attempt func() error) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := attempt()
		if !core.HasCode(err, core.Unavailable) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}
