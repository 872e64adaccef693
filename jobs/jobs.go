// Package jobs is the background work: one file per job. Jobs wait in a queue in the database, and one server at a
// time takes each of them. The elected leader adds them when they are due. The store's tables, never the queue, say
// what work there is: a job may be cut off at any point, or run twice by mistake, and the next run continues.
package jobs

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"errand/blob"
	"errand/seal"
	"errand/store"
)

// How the queue runs.
const (
	// usualTimeout is how long a job may run. The rest is left to its next run.
	usualTimeout = time.Minute
	// rescueAfter is the time after which a job of a killed server counts as lost, and may run again.
	rescueAfter = 90 * time.Second
	// finishWithin is how long a stopping server lets a job run before it cuts it off. Another server continues the work.
	finishWithin = 2 * time.Second
	// keepDone and keepFailed are how long the rows of jobs stay for inspection. Failures are also in the log.
	keepDone   = 5 * time.Minute
	keepFailed = time.Hour
	// atOnce is how many jobs a server does at the same time, besides a long one: most are over in milliseconds, and each takes a
	// connection. longQueue is for jobs that may take longer than the others may wait.
	atOnce    = 2
	longQueue = "long"
	// pollEvery is how often a server looks for jobs. It does not listen for them: LISTEN occupies a connection and
	// does not work through poolers such as PgBouncer, and no job is more urgent than this.
	pollEvery = time.Second
	// warnEvery is how often the log repeats a warning of the queue, which has about ten, each every few seconds.
	warnEvery = time.Minute
)

// Options are what the jobs work with.
type Options struct {
	Store   *store.Store
	Log     *slog.Logger
	Blobs   *blob.OwnedStore // for source maps; nil for none
	Keys    *seal.Ring       // seal the secrets of webhooks; nil for none
	Observe observer         // may be nil
	// ObserveDropped is called for each day of stored events that the retention deletes; it may be nil.
	ObserveDropped func(events int64)
}

// observer is called after each run of a job.
type observer = func(job string, took time.Duration, err error)

// allJobs are the jobs.
func (o Options) allJobs() []job {
	return []job{
		makePartitions(o.Store), trainDictionaries(o.Store), trimOverfull(o.Store), dropExpired(o), purgeProjects(o.Store),
		dropIssues(o), foldHours(o.Store), dropBrought(o.Store),
		expireApprovals(o.Store), endClaims(o.Store), returnIgnored(o.Store), readIssues(o.Store), judgeNoise(o.Store), indexIssues(o.Store),
		markQuiet(o.Store), settleNotices(o.Store), verifyFixes(o.Store), judgeFixes(o.Store),
		dropReports(o.Store), dropSent(o.Store), dropConsents(o.Store), dropSignIns(o.Store),
		dropBlobs(o), sealWebhooks(o),
	}
}

// Names returns the names of all jobs, as in the queue and the metrics.
func (o Options) Names() (names []string) {
	for _, j := range o.allJobs() {
		names = append(names, j.name)
	}
	return names
}

// StartQueue starts working on the jobs, together with the other servers. The caller stops the client.
func StartQueue(ctx context.Context, o Options) (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	var periodic []*river.PeriodicJob
	list := o.allJobs()
	turns := takeTurns(list)
	for i, j := range list {
		j.register(workers, o.Observe)
		periodic = append(periodic, river.NewPeriodicJob(turns[i], j.insert, &river.PeriodicJobOpts{RunOnStart: true}))
	}
	client, err := river.NewClient(o.Store.NewQueueDriver(), &river.Config{
		Queues: map[string]river.QueueConfig{
			river.QueueDefault: {MaxWorkers: min(atOnce, o.Store.CountWorkers())},
		},
		Workers: workers, PeriodicJobs: periodic,
		PollOnly: true, FetchPollInterval: pollEvery, MaxAttempts: 1, // the next run serves as the retry
		JobTimeout: usualTimeout, RescueStuckJobsAfter: rescueAfter, SoftStopTimeout: finishWithin,
		CompletedJobRetentionPeriod: keepDone, CancelledJobRetentionPeriod: keepDone, DiscardedJobRetentionPeriod: keepFailed,
		ErrorHandler: failures{o.Log}, Logger: limitWarnings(o.Log),
	})
	if err == nil {
		err = client.Start(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("jobs: %w", store.WrapError(err))
	}
	go addLongQueue(ctx, client, o.Log)
	return client, nil
}

// job is work that is repeated.
type job struct {
	name     string
	every    time.Duration
	register func(*river.Workers, observer)
	insert   river.PeriodicJobConstructor
}

// runEvery makes a job that runs when a leader is elected, and then once in every interval. A run that takes longer than
// atMost is cut off. The job is never in the queue twice.
func runEvery[K river.JobArgs](interval, atMost time.Duration, kind K, run func(context.Context) error) job {
	options := &river.InsertOpts{UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning,
		rivertype.JobStateScheduled,
	}}}
	if atMost > usualTimeout {
		options.Queue = longQueue
	}
	return job{
		name: kind.Kind(), every: interval,
		register: func(w *river.Workers, o observer) {
			river.AddWorker(w, &worker[K]{run: run, atMost: atMost, observe: o})
		},
		insert: func() (river.JobArgs, *river.InsertOpts) { return kind, options },
	}
}

// worker does the jobs of one kind.
type worker[K river.JobArgs] struct {
	river.WorkerDefaults[K]
	run     func(context.Context) error
	atMost  time.Duration
	observe observer
}

// Timeout is how long the job may run. The queue also decides with it whether the job is lost.
func (w *worker[K]) Timeout(*river.Job[K]) time.Duration { return w.atMost }

// Work does the job once.
func (w *worker[K]) Work(ctx context.Context, j *river.Job[K]) error {
	start := time.Now()
	err := w.run(ctx)
	if w.observe != nil && ctx.Err() == nil { // a cancelled run is not counted
		w.observe(j.Args.Kind(), time.Since(start), err)
	}
	return err
}
