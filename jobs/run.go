package jobs

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
)

const (
	// tryAgainAfter is the pause after the database did not let a queue start.
	tryAgainAfter = 5 * time.Second
	// stopAtMost is how long Run takes after its context has ended.
	stopAtMost = 8 * time.Second
)

// Run works on the jobs, together with the other servers, until ctx ends. While the database does not let it start, it tries again.
// The error says that the jobs did not end within eight seconds.
func Run(ctx context.Context, o Options) error {
	client := startWhenPossible(ctx, o)
	if client == nil {
		return nil
	}
	<-ctx.Done()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopAtMost)
	defer cancel()
	return client.Stop(stopping)
}

// startWhenPossible returns nil when ctx ends before the queue could start.
func startWhenPossible(ctx context.Context, o Options) *river.Client[pgx.Tx] {
	log := limitWarnings(o.Log)
	for {
		client, err := StartQueue(ctx, o)
		if err == nil {
			return client
		}
		if ctx.Err() == nil {
			log.WarnContext(ctx, "jobs do not run yet on this server", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(tryAgainAfter):
		}
	}
}

// addLongQueue adds the second queue half a second after the first. Both look at the database in the same rhythm, and together they
// would always need twice as many connections.
func addLongQueue(ctx context.Context, client *river.Client[pgx.Tx], log *slog.Logger) {
	for wait := pollEvery / 2; ; wait = tryAgainAfter {
		select {
		case <-ctx.Done():
			return
		case <-client.Stopped():
			return
		case <-time.After(wait):
		}
		err := client.Queues().Add(longQueue, river.QueueConfig{MaxWorkers: 1, FetchPollInterval: 10 * pollEvery})
		if err == nil || ctx.Err() != nil {
			return
		}
		if wait != tryAgainAfter { // it is said once
			log.WarnContext(ctx, "long jobs do not run yet on this server", "error", err)
		}
		_ = client.Queues().Remove(ctx, longQueue) // a queue that did not start cannot be added again
	}
}
