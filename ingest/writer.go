package ingest

import (
	"context"
	"sync"
	"time"

	"errand/core"
	"errand/store"
)

// maxBatch bounds the events of one commit.
const maxBatch = 500

// commitAtMost bounds one commit.
const commitAtMost = 10 * time.Second

// writer commits events in groups: while one group is being committed the next one gathers, so that a busy server needs
// few commits and an idle one does not wait.
type writer struct {
	store *store.Store
	queue chan *waiting
	done  sync.WaitGroup
}

// waiting is the events of one request, waiting for their commit.
type waiting struct {
	events []store.NewEvent
	result chan written // with room for the one result, so that the writer never waits
}

type written struct {
	added []store.Added
	err   error
}

func newWriter(s *store.Store) *writer {
	w := &writer{store: s, queue: make(chan *waiting, maxBatch)}
	w.done.Go(w.run)
	return w
}

// close commits what is queued and ends the writer. Nobody may call add any more.
func (w *writer) close() {
	close(w.queue)
	w.done.Wait()
}

// add gives the events to the writer and waits until they are committed. When ctx ends first the events may be
// committed all the same.
func (w *writer) add(ctx context.Context, events []store.NewEvent) ([]store.Added, error) {
	ctx, cancel := context.WithTimeout(ctx, waitAtMost)
	defer cancel()
	item := &waiting{events: events, result: make(chan written, 1)}
	select {
	case w.queue <- item:
	case <-ctx.Done():
		return nil, core.NewError(core.Unavailable).Because(ctx.Err())
	}
	select {
	case r := <-item.result:
		return r.added, r.err
	case <-ctx.Done():
		return nil, core.NewError(core.Unavailable).Because(ctx.Err())
	}
}

func (w *writer) run() {
	for first := range w.queue {
		w.commit(w.gather(first))
	}
}

// gather takes what is queued now, without waiting for more.
func (w *writer) gather(first *waiting) []*waiting {
	group, n := []*waiting{first}, len(first.events)
	for n < maxBatch {
		select {
		case next, open := <-w.queue:
			if !open {
				return group
			}
			group, n = append(group, next), n+len(next.events)
		default:
			return group
		}
	}
	return group
}

func (w *writer) commit(group []*waiting) {
	ctx, cancel := context.WithTimeout(context.Background(), commitAtMost)
	defer cancel()
	var events []store.NewEvent
	for _, item := range group {
		events = append(events, item.events...)
	}
	added, err := w.store.AddEvents(ctx, events)
	for _, item := range group {
		result := written{err: err}
		if err == nil {
			result.added, added = added[:len(item.events)], added[len(item.events):]
		}
		item.result <- result
	}
}
