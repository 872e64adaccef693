package ingest

import (
	"cmp"
	"container/list"
	"context"
	"slices"
	"sync"
	"time"
)

// How many bytes all requests together may hold. One request more may grow to the largest body: when nothing is free, it
// gets on and ends, so that many large bodies never wait for each other in a circle. What a body has beyond smallBody
// comes from a part of its own, so that large bodies never keep small ones waiting.
const (
	maxSmall  = 12 << 20
	maxLarge  = 12 << 20
	smallBody = 64 << 10
)

// perRequest is what a request holds besides its body and its packed events: buffers of its connection and its stack.
const perRequest = 12 << 10

// memory bounds the bytes that requests hold: bodies as they arrive, and packed events until they are committed. A
// request that needs more waits for others to end, in the order of asking.
//
// No project holds more than it leaves free: alone it has half of the memory, a second one half of the rest, and there is
// some left for the next. Of those that wait the project that holds least comes first.
type memory struct {
	waitAtMost time.Duration
	all        int64
	hurry      func() // called again and again while a request waits; nil for nothing
	mu         sync.Mutex
	free       int64
	held       map[int64]int64      // by project, without what counts for everybody
	elder      *lease               // the one that may grow though nothing is free
	queues     map[int64]*list.List // of *claim, by project, in the order of asking
	asked      int                  // claims ever made
	waiting    int                  // of them
}

// What is not of a project: memory that all share without a bound for each, and that of senders who are not known yet.
const (
	everybody = 0
	nobody    = -1
)

// claim is a lease that waits.
type claim struct {
	lease   *lease
	bytes   int64
	place   int // in the order of asking
	granted chan struct{}
}

func newMemory(bytes int64, waitAtMost time.Duration) *memory {
	return &memory{all: bytes, free: bytes, held: map[int64]int64{}, queues: map[int64]*list.List{}, waitAtMost: waitAtMost}
}

// load gives how many bytes are held, beside what the elder took beyond the bound, and how many requests wait for some.
func (m *memory) load() (held int64, waiting int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all - m.free, m.waiting
}

// lease is the memory that one request holds.
type lease struct {
	memory *memory
	of     int64 // the project, everybody or nobody
	held   int64 // under the memory's mutex; what the elder took beyond the free bytes is not in it
}

func (m *memory) lease(of int64) *lease { return &lease{memory: m, of: of} }

// countFor counts what the lease holds for a project, once it is known.
func (l *lease) countFor(project int64) {
	if l.held == 0 {
		l.of = project
		return
	}
	m := l.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	held := l.held
	m.take(l, -held)
	l.of = project
	m.take(l, held)
}

// grow takes n bytes more, waiting for them; unavailable when that takes too long.
func (l *lease) grow(ctx context.Context, n int64) error {
	m := l.memory
	m.mu.Lock()
	if m.elder == l || m.queues[l.of] == nil && m.grant(l, n) {
		m.mu.Unlock()
		return nil
	}
	c := m.queue(l, n)
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, m.waitAtMost)
	defer cancel()
	if m.wait(ctx, c) {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-c.granted: // at the same moment
		return nil
	default:
		m.unqueue(c)
		m.wake()
		return errBusy(ctx.Err())
	}
}

// hurryEvery is how often the first in the queue looks for somebody to hurry.
const hurryEvery = 100 * time.Millisecond

// wait tells whether the claim was granted before ctx ended.
func (m *memory) wait(ctx context.Context, c *claim) bool {
	hurry := time.NewTicker(hurryEvery)
	defer hurry.Stop()
	for {
		select {
		case <-c.granted:
			return true
		case <-ctx.Done():
			return false
		case <-hurry.C:
			m.mu.Lock()
			queue := m.queues[c.lease.of]
			first := queue != nil && queue.Front().Value == any(c)
			m.mu.Unlock()
			if first && m.hurry != nil {
				m.hurry()
			}
		}
	}
}

// queue has a claim wait. The caller holds the mutex, as for all that follow.
func (m *memory) queue(l *lease, n int64) *claim {
	c := &claim{l, n, m.asked, make(chan struct{})}
	if m.queues[l.of] == nil {
		m.queues[l.of] = list.New()
	}
	m.queues[l.of].PushBack(c)
	m.asked++
	m.waiting++
	return c
}

// unqueue has a claim wait no more.
func (m *memory) unqueue(c *claim) {
	queue := m.queues[c.lease.of]
	for place := queue.Front(); place != nil; place = place.Next() {
		if place.Value == c {
			queue.Remove(place)
			m.waiting--
			break
		}
	}
	if queue.Len() == 0 {
		delete(m.queues, c.lease.of)
	}
}

// grant gives n bytes, or makes the lease the elder; false when it has to wait.
func (m *memory) grant(l *lease, n int64) bool {
	switch {
	case m.free >= n && (l.of == everybody || m.held[l.of]+n <= m.free-n):
		m.take(l, n)
	case m.elder == nil:
		m.elder = l
	default:
		return false
	}
	return true
}

// take gives the lease n bytes; fewer than 0 go back.
func (m *memory) take(l *lease, n int64) {
	m.free -= n
	l.held += n
	if l.of == everybody {
		return
	}
	if m.held[l.of] += n; m.held[l.of] == 0 {
		delete(m.held, l.of)
	}
}

// keep gives back all but n bytes; it never takes more.
func (l *lease) keep(n int64) {
	m := l.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.elder == l {
		m.elder = nil
	}
	if l.held > n {
		m.take(l, n-l.held)
	}
	m.wake()
}

// wake grants what those who wait need, as long as there is some.
func (m *memory) wake() {
	for m.waiting > 0 {
		c := m.grantNext()
		if c == nil {
			return
		}
		m.unqueue(c)
		close(c.granted)
	}
}

// grantNext grants the claim that comes next: of each project the oldest, of these the one of the project that holds least.
// It returns nil when all have to wait.
func (m *memory) grantNext() *claim {
	next := make([]*claim, 0, len(m.queues))
	for _, queue := range m.queues {
		next = append(next, queue.Front().Value.(*claim))
	}
	slices.SortFunc(next, func(a, b *claim) int {
		return cmp.Or(cmp.Compare(m.held[a.lease.of], m.held[b.lease.of]), cmp.Compare(a.place, b.place))
	})
	for _, c := range next {
		if m.grant(c.lease, c.bytes) {
			return c
		}
	}
	return nil
}
