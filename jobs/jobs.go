// Package jobs is the background work: one file per job. A job may run on several servers at once and may be cut off at
// any point; the next run goes on.
package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"errand/store"
)

// job is work that is done again and again.
type job struct {
	name  string
	every time.Duration
	run   func(context.Context) error
}

// Options says what the jobs work with.
type Options struct {
	Store         *store.Store
	RetentionDays int // stored events that are older are deleted
	Log           *slog.Logger
}

// Run does all jobs until ctx ends, and waits for those that are running then.
func Run(ctx context.Context, o Options) {
	var all sync.WaitGroup
	for _, j := range []job{makePartitions(o.Store), trimIssues(o.Store), trainDictionaries(o.Store), readIssues(o.Store), dropExpired(o.Store, o.RetentionDays)} {
		all.Go(func() { j.repeat(ctx, o.Log) })
	}
	all.Wait()
}

// once runs the job; a panic of it is its error.
func (j job) once(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return j.run(ctx)
}

func (j job) repeat(ctx context.Context, log *slog.Logger) {
	ticker := time.NewTicker(j.every)
	defer ticker.Stop()
	for {
		if err := j.once(ctx); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "a job failed and will be tried again", "job", j.name, "every", j.every, "error", err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
