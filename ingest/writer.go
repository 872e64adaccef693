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

// writer commits events in groups: while one group is being committed the next one gathers, so that a busy server needs
// few commits and an idle one does not wait. A request that finds it idle commits its own events, which spares a lone
// sender two changes of goroutines.
type writer struct {
	store   *store.Store
	quotas  *quotas
	metrics *metrics
	log     *slog.Logger
	// holdAtMost is how long a batch is tried while the database is away. By then its requests have given up.
	holdAtMost time.Duration
	holding    context.Context // ends when no batch is held any more
	endHolding context.CancelFunc
	queue      chan *waiting
	committing sync.Mutex    // held during a commit
	waiting    atomic.Int64  // events in the queue and in the batch
	away       atomic.Bool   // the last attempt found no database, or one that takes no writes
	failedAt   atomic.Int64  // when the last such attempt was, as UnixNano
	stop       chan struct{} // closed to end the writer
	done       sync.WaitGroup
}

// waiting is the events of one request, waiting for their commit.
type waiting struct {
	ctx     context.Context // ends when the request does not wait any more
	entries []entry
	settled chan struct{} // closed when each entry has its outcome; before that they are the writer's

	committing atomic.Bool // it is part of a commit, whose outcome is not known until it is settled
}

func newWriter(s *store.Store, quotas *quotas, metrics *metrics, log *slog.Logger) *writer {
	holding, endHolding := context.WithCancel(context.Background())
	w := &writer{
		store: s, quotas: quotas, metrics: metrics, log: log, holdAtMost: waitAtMost, holding: holding, endHolding: endHolding,
		queue: make(chan *waiting, maxBatch), stop: make(chan struct{}),
	}
	w.done.Go(w.run)
	return w
}

// close commits what is queued and ends the writer. No request may come after it.
func (w *writer) close() {
	defer w.endHolding()
	close(w.stop)
	w.done.Wait()
	w.committing.Lock() // until a request has committed its own events
	defer w.committing.Unlock()
}

// hurriedAtMost is how long commits may take once nobody waits for them.
const hurriedAtMost = time.Second

// hurry ends the holding of batches soon.
func (w *writer) hurry() { time.AfterFunc(hurriedAtMost, w.endHolding) }

// add gives the entries to the writer and waits until all have their outcome. When ctx ends first it is unavailable;
// then the events may be committed all the same.
func (w *writer) add(ctx context.Context, entries []entry) error {
	item, n := &waiting{ctx: ctx, entries: entries, settled: make(chan struct{})}, int64(len(entries))
	if w.waiting.Add(n) == n && w.committing.TryLock() { // nobody else waits
		defer w.committing.Unlock()
		w.commit(ctx, []*waiting{item})
		return nil
	}
	select {
	case w.queue <- item:
	case <-ctx.Done():
		w.waiting.Add(-n)
		err := w.errLate(ctx.Err(), false)
		w.metrics.lost(err, len(entries))
		return err
	}
	select {
	case <-item.settled:
		return nil
	case <-ctx.Done():
		return w.errLate(ctx.Err(), item.committing.Load())
	}
}

func (w *writer) run() {
	for {
		select {
		case first := <-w.queue:
			w.commitFrom(first)
		case <-w.stop:
			for len(w.queue) > 0 {
				w.commitFrom(<-w.queue)
			}
			return
		}
	}
}

// commitFrom settles the group of the first request, once the commit of a request that goes on has ended.
func (w *writer) commitFrom(first *waiting) {
	w.committing.Lock()
	defer w.committing.Unlock()
	w.commit(context.Background(), w.gather(first))
}

// gather takes what is queued now, without waiting for more.
func (w *writer) gather(first *waiting) []*waiting {
	group, n := []*waiting{first}, len(first.entries)
	for n < maxBatch {
		select {
		case next := <-w.queue:
			group, n = append(group, next), n+len(next.entries)
		default:
			return group
		}
	}
	return group
}

// commit settles a group, as long as ctx and holdAtMost let it. Requests that have been told to come again are left out. One
// that gives up later is told that its events may be stored all the same.
func (w *writer) commit(ctx context.Context, group []*waiting) {
	var batch []*entry
	for _, item := range group {
		item.committing.Store(true) // before the look at ctx: whoever gives up from here on hears that it may be stored
		late := item.ctx.Err()
		if late != nil {
			item.committing.Store(false)
		}
		for k := range item.entries {
			e := &item.entries[k]
			if late != nil {
				e.err = w.errLate(late, false)
			} else {
				batch = append(batch, e)
			}
		}
	}
	if len(batch) > 0 {
		err := guard(func() error {
			w.settle(ctx, batch)
			return nil
		})
		if err != nil {
			fail(batch, err)
		}
	}
	w.metrics.settled(group)
	for _, item := range group {
		w.waiting.Add(-int64(len(item.entries)))
		close(item.settled)
	}
}

// settle gives each entry its outcome. While the database is away it holds the batch for as long as a request may wait, or
// until the server is about to end.
func (w *writer) settle(ctx context.Context, batch []*entry) {
	ctx, cancel := context.WithTimeout(ctx, w.holdAtMost)
	defer cancel()
	defer context.AfterFunc(w.holding, cancel)()
	admitted := w.admit(ctx, batch)
	w.write(ctx, admitted, eventsOf(admitted))
	w.quotas.count(admitted)
}

// admit gives the entries that fit into the quotas; the others have their outcome.
func (w *writer) admit(ctx context.Context, batch []*entry) (admitted []*entry) {
	err := hold(ctx, func() (err error) {
		if admitted, err = w.quotas.admit(ctx, batch); err != nil {
			w.noteOutage(err) // without one it may not have asked the database
		}
		return err
	})
	if err != nil {
		fail(batch, err)
		return nil
	}
	return admitted
}

// write commits a batch, whose events are also in the form for the store. An attempt that broke off may have been
// committed all the same: AddEvents recognises the events when it gets them again. A batch that fails for any other
// reason is halved, so that one event that cannot be stored does not take others with it.
func (w *writer) write(ctx context.Context, batch []*entry, events []intake.NewEvent) {
	if len(batch) == 0 {
		return
	}
	var added []intake.Added
	var start time.Time // of the last attempt
	maybe := false      // an attempt broke off, and may have been carried out
	err := hold(ctx, func() error {
		start = time.Now()
		err := guard(func() (err error) {
			added, err = w.store.Intake.AddEvents(ctx, events)
			return err
		})
		maybe = maybe || intake.MayBeCommitted(err)
		w.noteOutage(err)
		return err
	})
	switch {
	case err == nil:
		w.metrics.batches.Observe(float64(len(batch)))
		w.metrics.commits.Observe(time.Since(start).Seconds())
		for k, e := range batch {
			e.added = added[k]
		}
	case core.HasCode(err, core.Quota):
		w.writeLess(ctx, batch, events, err)
	case core.HasCode(err, core.Unavailable):
		fail(batch, errUnavailable(err, maybe))
	default:
		w.writeHalves(ctx, batch, events, err)
	}
}

// writeLess commits what fits into the quotas by now: other servers have added events since the batch was admitted.
func (w *writer) writeLess(ctx context.Context, batch []*entry, events []intake.NewEvent, err error) {
	w.quotas.forget(batch)
	admitted := w.admit(ctx, batch)
	if len(admitted) == len(batch) {
		w.writeHalves(ctx, batch, events, err)
		return
	}
	w.write(ctx, admitted, eventsOf(admitted))
}

// writeHalves commits each half of a batch that failed. One event alone has failed for good.
func (w *writer) writeHalves(ctx context.Context, batch []*entry, events []intake.NewEvent, err error) {
	if len(batch) == 1 {
		fail(batch, err)
		return
	}
	half := len(batch) / 2
	w.write(ctx, batch[:half], events[:half])
	w.write(ctx, batch[half:], events[half:])
}

func eventsOf(batch []*entry) []intake.NewEvent {
	events := make([]intake.NewEvent, len(batch))
	for k, e := range batch {
		events[k] = e.event
	}
	return events
}

func fail(batch []*entry, err error) {
	for _, e := range batch {
		e.err = err
	}
}
