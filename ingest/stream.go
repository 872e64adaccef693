package ingest

import (
	"context"
	"sync"
	"sync/atomic"
)

// stream commits one group of requests at a time, while the next group gathers in its queue.
type stream struct {
	queue         chan *waitingEvents
	committing    sync.Mutex    // held during a commit
	waitingEvents atomic.Int64  // events in the queue and in the batch
	stop          chan struct{} // closed to end it
	shard         int64
	users         int // requests in it; see shardStreams
}

// shardStreams are the streams of shards whose projects have events to commit, where the tables are distributed over nodes. The projects
// of a batch are in one shard there, and the events of projects whose node is away keep nobody else waiting.
type shardStreams struct {
	mu   sync.Mutex // also guards the users of each stream
	byID map[int64]*stream
}

func (w *writer) startStream() *stream {
	s := &stream{queue: make(chan *waitingEvents, maxBatch), stop: make(chan struct{})}
	w.done.Go(func() { w.commitUntilStopped(s) })
	return s
}

// enterStream returns the stream for events of a project. Call leave when none of them waits any more.
func (w *writer) enterStream(ctx context.Context, project int64) (s *stream, leave func(), err error) {
	if !w.store.Intake.IsDistributed() {
		return w.shared, func() {}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.holdingEvents, cancel)()
	var shard int64
	err = retryWhileAway(ctx, func() error {
		shard, err = w.store.Intake.ShardOf(ctx, project)
		w.noteOutage(w.shared, err)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	p := &w.ofShards
	p.mu.Lock()
	defer p.mu.Unlock()
	if s = p.byID[shard]; s == nil {
		if p.byID == nil {
			p.byID = map[int64]*stream{}
		}
		s = w.startStream()
		s.shard = shard
		p.byID[shard] = s
	}
	s.users++
	return s, func() { p.leaveStream(s) }, nil
}

// leaveStream ends a stream when nobody is in it. First it commits or refuses the events that are still queued.
func (p *shardStreams) leaveStream(s *stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.users--; s.users == 0 {
		delete(p.byID, s.shard)
		close(s.stop)
	}
}

func (w *writer) commitUntilStopped(s *stream) {
	for {
		select {
		case first := <-s.queue:
			w.commitFrom(s, first)
		case <-s.stop:
			for len(s.queue) > 0 {
				w.commitFrom(s, <-s.queue)
			}
			return
		}
	}
}

// commitFrom waits for the commit in progress, and then commits a group that begins with the first request.
func (w *writer) commitFrom(s *stream, first *waitingEvents) {
	s.committing.Lock()
	defer s.committing.Unlock()
	w.commitGroup(context.Background(), s, s.gatherQueued(first))
}

// gatherQueued returns the first request and those that are queued now. It does not wait for more.
func (s *stream) gatherQueued(first *waitingEvents) []*waitingEvents {
	group, n := []*waitingEvents{first}, len(first.events)
	for n < maxBatch {
		select {
		case next := <-s.queue:
			group, n = append(group, next), n+len(next.events)
		default:
			return group
		}
	}
	return group
}
