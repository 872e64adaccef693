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
	elder      *share               // the one that may grow though nothing is free
	queues     map[int64]*list.List // of *demand, by project, in the order of asking
	asked      int                  // demands ever made
	waiting    int                  // of them
}

// What is not of a project: memory that all share without a bound for each, and that of senders who are not known yet.
const (
	everybody = 0
	nobody    = -1
)

// demand is a share that is to grow, and waits.
type demand struct {
	share   *share
	bytes   int64
	number  int // in the order of asking
	granted chan struct{}
}

func newMemory(bytes int64, waitAtMost time.Duration) *memory {
	return &memory{all: bytes, free: bytes, held: map[int64]int64{}, queues: map[int64]*list.List{}, waitAtMost: waitAtMost}
}

// load returns how many bytes are held, beside what the elder took beyond the bound, and how many requests wait for some.
func (m *memory) load() (held int64, waiting int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all - m.free, m.waiting
}

// share is the memory that one request holds.
type share struct {
	memory *memory
	of     int64 // the project, everybody or nobody
	held   int64 // under the memory's mutex; what the elder took beyond the free bytes is not in it
}

func (m *memory) newShare(of int64) *share { return &share{memory: m, of: of} }

// countFor counts what the share holds for a project, once it is known.
func (l *share) countFor(project int64) {
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
func (l *share) grow(ctx context.Context, n int64) error {
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

// wait reports whether the demand was granted before ctx ended.
func (m *memory) wait(ctx context.Context, c *demand) bool {
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
			queue := m.queues[c.share.of]
			first := queue != nil && queue.Front().Value == any(c)
			m.mu.Unlock()
			if first && m.hurry != nil {
				m.hurry()
			}
		}
	}
}

// queue has a demand wait. The caller holds the mutex, as for all that follow.
func (m *memory) queue(l *share, n int64) *demand {
	c := &demand{l, n, m.asked, make(chan struct{})}
	if m.queues[l.of] == nil {
		m.queues[l.of] = list.New()
	}
	m.queues[l.of].PushBack(c)
	m.asked++
	m.waiting++
	return c
}

// unqueue has a demand wait no more.
func (m *memory) unqueue(c *demand) {
	queue := m.queues[c.share.of]
	for e := queue.Front(); e != nil; e = e.Next() {
		if e.Value == c {
			queue.Remove(e)
			m.waiting--
			break
		}
	}
	if queue.Len() == 0 {
		delete(m.queues, c.share.of)
	}
}

// grant takes n bytes for the share, or makes the share the elder; false when it has to wait.
func (m *memory) grant(l *share, n int64) bool {
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

// take adds n bytes to the share; fewer than 0 go back.
func (m *memory) take(l *share, n int64) {
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
func (l *share) keep(n int64) {
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

// grantNext grants the demand that comes next: of each project the oldest, of these the one of the project that holds least.
// It returns nil when all have to wait.
func (m *memory) grantNext() *demand {
	next := make([]*demand, 0, len(m.queues))
	for _, queue := range m.queues {
		next = append(next, queue.Front().Value.(*demand))
	}
	slices.SortFunc(next, func(a, b *demand) int {
		return cmp.Or(cmp.Compare(m.held[a.share.of], m.held[b.share.of]), cmp.Compare(a.number, b.number))
	})
	for _, c := range next {
		if m.grant(c.share, c.bytes) {
			return c
		}
	}
	return nil
}
