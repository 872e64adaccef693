package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"errand/jobs"
)

// Run works until ctx ends. Then /readyz says so for SHUTDOWN_DELAY, so that nothing new is sent here; the server stops
// accepting, answers what it has accepted, and Run returns. Close follows it.
func (a *App) Run(ctx context.Context) (err error) {
	stopWork, err := a.work(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopWork()) }()
	select {
	case err := <-a.failed:
		return err
	case <-ctx.Done():
	}
	a.door.refuse("stopping")
	if delay := a.config.shutdownDelay; delay > 0 {
		a.log.Info("stopping: not ready any more, but serving for SHUTDOWN_DELAY", "delay", delay)
		select {
		case err := <-a.failed:
			return err
		case <-time.After(delay):
		}
	}
	a.drain()
	return nil
}

// work begins what the server does beside answering requests. It begins to stop with ctx, and has when stop returns.
func (a *App) work(ctx context.Context) (stop func() error, err error) {
	var queue *river.Client[pgx.Tx]
	if a.config.has(roleWorker) {
		err = a.config.waitForDatabase(ctx, a.log, func(ctx context.Context) (err error) {
			queue, err = jobs.StartQueue(ctx, jobs.Options{
				Store: a.db.Store, Log: a.log, Observe: a.metrics.run, ObserveDropped: a.metrics.dropped,
			})
			return err
		})
		if err != nil && ctx.Err() == nil { // else it is to stop already
			return nil, err
		}
	}
	// What requests depend on goes on until they are answered.
	serving, stopServing := context.WithCancel(context.WithoutCancel(ctx))
	var beside sync.WaitGroup
	beside.Go(func() { a.failures.LogEveryMinute(serving, a.log) })
	beside.Go(func() { a.settings.watch(serving, cmp.Or(a.config.RefreshEvery, refreshEvery)) })
	if a.config.has(roleIngest) {
		beside.Go(func() { jobs.TrimIssues(serving, a.db.Store, a.log) })
	}
	return func() error {
		stopServing()
		beside.Wait()
		if queue == nil {
			return nil
		}
		ctx, cancel := context.WithTimeout(context.Background(), stopJobsAtMost)
		defer cancel()
		if err := queue.Stop(ctx); err != nil {
			return fmt.Errorf("the jobs did not stop in time: %w", err)
		}
		return nil
	}, nil
}

// drain answers what was accepted. A client that does not send its request to the end does not keep the server from
// ending.
func (a *App) drain() {
	a.log.Info("stopping: answering what was accepted")
	ctx, cancel := context.WithTimeout(context.Background(), drainAtMost)
	defer cancel()
	if a.ingest != nil {
		defer time.AfterFunc(hurryAfter, a.ingest.Hurry).Stop()
	}
	if err := a.server.Shutdown(ctx); err != nil {
		a.log.Warn("stopping: some requests were not at their end in time and are cut off", "waited", drainAtMost)
	}
}
