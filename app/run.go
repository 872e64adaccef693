package app

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"errand/jobs"
)

// Run works until ctx ends. Then /readyz says so for SHUTDOWN_DELAY, so that no new requests are sent here. The
// server stops accepting, answers what it has accepted, and Run returns. Call Close afterwards.
func (a *App) Run(ctx context.Context) (err error) {
	work := stops{log: a.log}
	ctx, end := context.WithCancel(ctx)
	defer func() {
		end() // when serving failed, no signal ends the jobs and the deliveries
		err = errors.Join(err, work.runAll(context.WithoutCancel(ctx)))
	}()
	if err := a.startWork(ctx, &work); err != nil {
		return err
	}
	select {
	case err := <-a.servingFailed:
		return err
	case <-ctx.Done():
	}
	a.door.refuseWith("stopping")
	if delay := a.config.stopDelay; delay > 0 {
		a.log.Info("stopping: no longer ready, but serving for SHUTDOWN_DELAY", "delay", delay)
		select {
		case err := <-a.servingFailed:
			return err
		case <-time.After(delay):
		}
	}
	a.drainRequests()
	return nil
}

// startWork starts the server's work besides answering requests. The jobs begin to stop with ctx. Work that requests
// depend on continues until they are answered; the stops end it.
func (a *App) startWork(ctx context.Context, work *stops) error {
	if a.config.hasRole(roleWorker) {
		a.startJobs(ctx, work)
	}
	if err := a.startDeliveries(ctx, work); err != nil {
		return err
	}
	serving, endServing := context.WithCancel(context.WithoutCancel(ctx))
	var beside sync.WaitGroup
	work.add("what requests depend on", func(context.Context) error {
		endServing()
		beside.Wait()
		return nil
	})
	beside.Go(func() { freeStartMemory(serving) })
	beside.Go(func() { a.failures.LogEveryMinute(serving, a.log) })
	beside.Go(func() { a.settings.watchSettings(serving, cmp.Or(a.config.RefreshEvery, refreshEvery)) })
	beside.Go(func() { a.db.watchClock(serving, cmp.Or(a.config.MeasureClockEvery, measureClockEvery), a.log) })
	if a.config.hasRole(roleWeb) {
		beside.Go(func() { a.people.accounts.SendMails(serving) })
	}
	if a.config.hasRole(roleWorker) && a.blobs != nil {
		beside.Go(func() { a.dropOldChunks(serving) })
	}
	if a.config.hasRole(roleIngest) {
		beside.Go(func() { jobs.TrimIssues(serving, a.db.Store, a.log) })
	}
	return nil
}

// startJobs starts working on the queue. The server already holds events for a database that is away, so it outlives an outage that
// begins now.
func (a *App) startJobs(ctx context.Context, work *stops) {
	ended := make(chan error, 1)
	go func() {
		ended <- jobs.Run(ctx, jobs.Options{
			Store: a.db.Store, Log: a.log, Blobs: a.blobs, Keys: a.keys, Observe: a.observeRun,
			ObserveDropped: a.metrics.countDroppedDay,
		})
	}()
	work.add("the jobs", func(context.Context) error { return <-ended })
}

// drainRequests answers accepted requests. A client that does not finish its request does not keep the server from ending.
func (a *App) drainRequests() {
	a.log.Info("stopping: answering what was accepted")
	ctx, cancel := context.WithTimeout(context.Background(), drainAtMost)
	defer cancel()
	if a.ingest != nil {
		defer time.AfterFunc(holdAtMost, a.ingest.StopHolding).Stop()
	}
	if err := a.server.Shutdown(ctx); err != nil {
		a.log.Warn("stopping: requests that are not finished are cut off", "waited", drainAtMost)
	}
}

// startedAfter is when everything that a start does has ended.
const startedAfter = 15 * time.Second

// freeStartMemory gives back the memory that only the start needed, once. Without it an idle server keeps it for hours: the
// runtime collects garbage when the heap has doubled, or every two minutes, and keeps what it has collected for a while.
func freeStartMemory(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(startedAfter):
		debug.FreeOSMemory()
	}
}
