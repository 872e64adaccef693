package jobs

import (
	"context"
	"log/slog"
	"time"

	"errand/core"
	"errand/store"
)

// trimEvery is how often to look for issues to trim.
const trimEvery = 2 * time.Second

// TrimIssues stores waiting events, and deletes the middle of issues that have more stored events than they keep,
// until ctx ends. It is not in the queue, since each server that takes events in knows only its own issues.
func TrimIssues(ctx context.Context, s *store.Store, log *slog.Logger) {
	ticker := time.NewTicker(trimEvery)
	defer ticker.Stop()
	var failures core.LineLimit
	for {
		if err := trimOnce(ctx, s); err != nil && ctx.Err() == nil {
			if more, due := failures.CountLine("", time.Now()); due {
				log.WarnContext(ctx, "issues were not trimmed; trimming is tried again", "error", err, "more_since_the_last_line", more)
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// trimWithin bounds one look at the issues.
const trimWithin = 30 * time.Second

// trimOnce turns a panic into an error, since no queue catches it for this work.
func trimOnce(ctx context.Context, s *store.Store) (err error) {
	defer core.CatchPanic(&err)
	ctx, cancel := context.WithTimeout(ctx, trimWithin)
	defer cancel()
	return s.Intake.TrimIssues(ctx)
}
