package ingest

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"errand/core"
	"errand/store"
	"errand/store/intake"
)

// maxBatch bounds the events of one commit.
const maxBatch = 500

// writer commits events in groups: while one group is being committed the next one gathers, so that a busy server needs few
// commits and an idle one does not wait. A request that finds its stream idle commits its own events, which spares a lone sender
// two goroutine switches.
type writer struct {
	store   *store.Store
	quotas  *quotas
	issues  *newIssues
	metrics *metrics
	log     *slog.Logger
	// holdAtMost is how long a batch is tried while the database is away. After that its requests have given up.
	holdAtMost    time.Duration
	holdingEvents context.Context // ends when batches are no longer held
	endHolding    context.CancelFunc
	shared        *stream // of all projects, unless the tables are distributed over nodes
	ofShards      shardStreams
	waitingEvents atomic.Int64 // events in all streams
	outages       outages
	done          sync.WaitGroup
}

// waitingEvents are the events of one HTTP request, which waits for their commit.
type waitingEvents struct {
	ctx    context.Context // ends when the request no longer waits
	events []pendingEvent  // of one project
	done   chan struct{}   // closed when each event is stored or refused; until then the writer owns them

	committing atomic.Bool // it is part of a commit whose outcome is unknown until done is closed
}

func newWriter(s *store.Store, quotas *quotas, metrics *metrics, log *slog.Logger) *writer {
	holding, endHolding := context.WithCancel(context.Background())
	w := &writer{
		store: s, quotas: quotas, issues: newNewIssues(s), metrics: metrics, log: log, holdAtMost: waitAtMost,
		holdingEvents: holding, endHolding: endHolding,
	}
	w.shared = w.startStream()
	return w
}

// close commits the queued events and ends the writer. No request may come after it.
func (w *writer) close() {
	defer w.endHolding()
	close(w.shared.stop)
	w.done.Wait()
	w.shared.committing.Lock() // waits for a request that commits its own events
	defer w.shared.committing.Unlock()
}

// lastCommitsAtMost is how long commits may take when nobody waits for them any more.
const lastCommitsAtMost = time.Second

// stopHolding ends the holding of batches soon.
func (w *writer) stopHolding() { time.AfterFunc(lastCommitsAtMost, w.endHolding) }

// commitEvents queues the events and waits until each is stored or refused. It returns unavailable when ctx ends first; the
// events may still be committed then.
func (w *writer) commitEvents(ctx context.Context, events []pendingEvent) error {
	s, leave, err := w.enterStream(ctx, events[0].event.ProjectID)
	if err != nil {
		w.metrics.countLost(err, len(events))
		return err
	}
	defer leave()
	waiting, n := &waitingEvents{ctx: ctx, events: events, done: make(chan struct{})}, int64(len(events))
	w.waitingEvents.Add(n)
	if s.waitingEvents.Add(n) == n && s.committing.TryLock() { // nobody else waits
		defer s.committing.Unlock()
		w.commitGroup(ctx, s, []*waitingEvents{waiting})
		return nil
	}
	select {
	case s.queue <- waiting:
	case <-ctx.Done():
		w.noteDone(s, n)
		err := w.errLate(ctx.Err(), false)
		w.metrics.countLost(err, len(events))
		return err
	}
	select {
	case <-waiting.done:
		return nil
	case <-ctx.Done():
		return w.errLate(ctx.Err(), waiting.committing.Load())
	}
}

// noteDone notes that n events of a stream no longer wait.
func (w *writer) noteDone(s *stream, n int64) {
	w.waitingEvents.Add(-n)
	s.waitingEvents.Add(-n)
}

// commitGroup commits a group, for as long as ctx and holdAtMost allow. Requests that have given up are left out. A request that
// gives up later is told that its events may be stored.
func (w *writer) commitGroup(ctx context.Context, s *stream, group []*waitingEvents) {
	var batch []*pendingEvent
	for _, waiting := range group {
		waiting.committing.Store(true) // before the look at ctx: a request that gives up after this is told that it may be stored
		late := waiting.ctx.Err()
		if late != nil {
			waiting.committing.Store(false)
		}
		for k := range waiting.events {
			e := &waiting.events[k]
			if late != nil {
				e.err = w.errLate(late, false)
			} else {
				batch = append(batch, e)
			}
		}
	}
	if len(batch) > 0 {
		err := catchPanic(func() error {
			w.commitBatch(ctx, s, batch)
			return nil
		})
		if err != nil {
			failEvents(batch, err)
		}
	}
	w.metrics.countOutcomes(group)
	for _, waiting := range group {
		w.noteDone(s, int64(len(waiting.events)))
		close(waiting.done)
	}
}

// commitBatch stores or refuses each event. While the database is away it holds the batch for as long as a request may wait, or
// until the server is about to end.
func (w *writer) commitBatch(ctx context.Context, s *stream, batch []*pendingEvent) {
	ctx, cancel := context.WithTimeout(ctx, w.holdAtMost)
	defer cancel()
	defer context.AfterFunc(w.holdingEvents, cancel)()
	admitted := w.admitEvents(ctx, s, batch)
	w.writeBatch(ctx, s, admitted, storedForms(admitted))
	w.quotas.countAdded(admitted)
}

// admitEvents returns the events that fit into the quotas and make no issue in an hour that is full, and refuses the others.
func (w *writer) admitEvents(ctx context.Context, s *stream, batch []*pendingEvent) (admitted []*pendingEvent) {
	err := retryWhileAway(ctx, func() (err error) {
		if admitted, err = w.quotas.admitEvents(ctx, batch); err != nil {
			w.noteOutage(s, err) // without an error, it may not have asked the database
			return err
		}
		if admitted, err = w.issues.admitEvents(ctx, admitted); err != nil {
			w.noteOutage(s, err)
		}
		return err
	})
	switch {
	case intake.AreInSeveralShards(err) && len(batch) > 1: // a shard was divided after the batch was gathered
		half := len(batch) / 2
		return append(w.admitEvents(ctx, s, batch[:half]), w.admitEvents(ctx, s, batch[half:])...)
	case err != nil:
		failEvents(batch, err)
		return nil
	}
	return admitted
}

// writeBatch commits a batch; events are its stored forms. An attempt that broke off may have been committed: AddEvents
// recognises the events when it gets them again. A batch that fails for any other reason is halved, so that one event that cannot
// be stored does not take others with it.
func (w *writer) writeBatch(ctx context.Context, s *stream, batch []*pendingEvent, events []intake.NewEvent) {
	if len(batch) == 0 {
		return
	}
	var added []intake.Added
	var start time.Time    // of the last attempt
	isMaybeStored := false // an attempt broke off, and may have been committed
	err := retryWhileAway(ctx, func() error {
		start = time.Now()
		err := catchPanic(func() (err error) {
			added, err = w.store.Intake.AddEvents(ctx, events)
			return err
		})
		isMaybeStored = isMaybeStored || intake.MayBeCommitted(err)
		w.noteOutage(s, err)
		return err
	})
	switch {
	case err == nil:
		w.metrics.eventsPerCommit.Observe(float64(len(batch)))
		w.metrics.secondsPerCommit.Observe(time.Since(start).Seconds())
		for k, e := range batch {
			e.added = added[k]
		}
	case core.HasCode(err, core.Quota):
		w.writeLess(ctx, s, batch, events, err)
	case core.HasCode(err, core.TooManyIssues):
		w.writeFewer(ctx, s, batch, events, err)
	case core.HasCode(err, core.Unavailable):
		failEvents(batch, errUnavailable(err, isMaybeStored))
	default:
		w.writeHalves(ctx, s, batch, events, err)
	}
}

// writeLess commits the events that still fit into the quotas: other servers have added some since the batch was admitted.
func (w *writer) writeLess(ctx context.Context, s *stream, batch []*pendingEvent, events []intake.NewEvent, err error) {
	w.quotas.forgetDays(batch)
	admitted := w.admitEvents(ctx, s, batch)
	if len(admitted) == len(batch) {
		w.writeHalves(ctx, s, batch, events, err)
		return
	}
	w.writeBatch(ctx, s, admitted, storedForms(admitted))
}

// writeFewer commits the events of known issues, and those of as many new ones as the hour may still have.
func (w *writer) writeFewer(ctx context.Context, s *stream, batch []*pendingEvent, events []intake.NewEvent, err error) {
	var admitted []*pendingEvent
	failed := retryWhileAway(ctx, func() (err error) {
		if admitted, err = w.issues.refuseSurplus(ctx, batch); err != nil {
			w.noteOutage(s, err)
		}
		return err
	})
	switch {
	case intake.AreInSeveralShards(failed):
		w.writeHalves(ctx, s, batch, events, failed)
	case failed != nil:
		failEvents(batch, failed)
	case len(admitted) == len(batch): // other servers have made the same issues meanwhile
		w.writeHalves(ctx, s, batch, events, err)
	default:
		w.writeBatch(ctx, s, admitted, storedForms(admitted))
	}
}

// writeHalves commits each half of a batch that failed. An event alone has failed for good.
func (w *writer) writeHalves(ctx context.Context, s *stream, batch []*pendingEvent, events []intake.NewEvent, err error) {
	if len(batch) == 1 {
		failEvents(batch, err)
		return
	}
	half := len(batch) / 2
	w.writeBatch(ctx, s, batch[:half], events[:half])
	w.writeBatch(ctx, s, batch[half:], events[half:])
}

func storedForms(batch []*pendingEvent) []intake.NewEvent {
	events := make([]intake.NewEvent, len(batch))
	for k, e := range batch {
		events[k] = e.event
	}
	return events
}

func failEvents(batch []*pendingEvent, err error) {
	for _, e := range batch {
		e.err = err
	}
}
