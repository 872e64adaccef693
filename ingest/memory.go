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
	waitAtMost     time.Duration
	total          int64
	endSlowSenders func() // called again and again while a request waits; nil for nothing
	mu             sync.Mutex
	free           int64
	reserved       map[int64]int64      // by project, without what counts for everybody
	overdrawn      *reservation         // the one that may grow though nothing is free
	demands        map[int64]*list.List // of *demand, by project, in the order of asking
	demandsMade    int                  // demands ever made
	demandsWaiting int                  // of them
}

// What is not of a project: memory that all share without a bound for each, and that of senders who are not known yet.
const (
	sharedByAll      = 0
	ofUnknownSenders = -1
)

// demand is a share that is to grow, and waits.
type demand struct {
	reservation *reservation
	bytes       int64
	number      int // in the order of asking
	granted     chan struct{}
}

func newMemory(bytes int64, waitAtMost time.Duration) *memory {
	return &memory{total: bytes, free: bytes, reserved: map[int64]int64{}, demands: map[int64]*list.List{}, waitAtMost: waitAtMost}
}

// measureLoad returns how many bytes are held, beside what the elder took beyond the bound, and how many requests wait for some.
func (m *memory) measureLoad() (held int64, waiting int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total - m.free, m.demandsWaiting
}

// reservation is the memory that one request holds.
type reservation struct {
	memory  *memory
	project int64 // the project, everybody or nobody
	bytes   int64 // under the memory's mutex; what the elder took beyond the free bytes is not in it
}

func (m *memory) newReservation(of int64) *reservation { return &reservation{memory: m, project: of} }

// countFor counts what the share holds for a project, once it is known.
func (l *reservation) countFor(project int64) {
	if l.bytes == 0 {
		l.project = project
		return
	}
	m := l.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	held := l.bytes
	m.moveBytes(l, -held)
	l.project = project
	m.moveBytes(l, held)
}

// reserveMemory takes n bytes more, waiting for them; unavailable when that takes too long.
func (l *reservation) reserveMemory(ctx context.Context, n int64) error {
	m := l.memory
	m.mu.Lock()
	if m.overdrawn == l || m.demands[l.project] == nil && m.tryGrant(l, n) {
		m.mu.Unlock()
		return nil
	}
	c := m.queueDemand(l, n)
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, m.waitAtMost)
	defer cancel()
	if m.awaitGrant(ctx, c) {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-c.granted: // at the same moment
		return nil
	default:
		m.dropDemand(c)
		m.grantWaiting()
		return errBusy(ctx.Err())
	}
}

// endSlowEvery is how often the first in the queue looks for somebody to hurry.
const endSlowEvery = 100 * time.Millisecond

// awaitGrant reports whether the demand was granted before ctx ended.
func (m *memory) awaitGrant(ctx context.Context, c *demand) bool {
	hurry := time.NewTicker(endSlowEvery)
	defer hurry.Stop()
	for {
		select {
		case <-c.granted:
			return true
		case <-ctx.Done():
			return false
		case <-hurry.C:
			m.mu.Lock()
			queue := m.demands[c.reservation.project]
			first := queue != nil && queue.Front().Value == any(c)
			m.mu.Unlock()
			if first && m.endSlowSenders != nil {
				m.endSlowSenders()
			}
		}
	}
}

// queueDemand has a demand wait. The caller holds the mutex, as for all that follow.
func (m *memory) queueDemand(l *reservation, n int64) *demand {
	c := &demand{l, n, m.demandsMade, make(chan struct{})}
	if m.demands[l.project] == nil {
		m.demands[l.project] = list.New()
	}
	m.demands[l.project].PushBack(c)
	m.demandsMade++
	m.demandsWaiting++
	return c
}

// dropDemand has a demand wait no more.
func (m *memory) dropDemand(c *demand) {
	queue := m.demands[c.reservation.project]
	for e := queue.Front(); e != nil; e = e.Next() {
		if e.Value == c {
			queue.Remove(e)
			m.demandsWaiting--
			break
		}
	}
	if queue.Len() == 0 {
		delete(m.demands, c.reservation.project)
	}
}

// tryGrant takes n bytes for the share, or makes the share the elder; false when it has to wait.
func (m *memory) tryGrant(l *reservation, n int64) bool {
	switch {
	case m.free >= n && (l.project == sharedByAll || m.reserved[l.project]+n <= m.free-n):
		m.moveBytes(l, n)
	case m.overdrawn == nil:
		m.overdrawn = l
	default:
		return false
	}
	return true
}

// moveBytes adds n bytes to the share; fewer than 0 go back.
func (m *memory) moveBytes(l *reservation, n int64) {
	m.free -= n
	l.bytes += n
	if l.project == sharedByAll {
		return
	}
	if m.reserved[l.project] += n; m.reserved[l.project] == 0 {
		delete(m.reserved, l.project)
	}
}

// keepOnly gives back all but n bytes; it never takes more.
func (l *reservation) keepOnly(n int64) {
	m := l.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.overdrawn == l {
		m.overdrawn = nil
	}
	if l.bytes > n {
		m.moveBytes(l, n-l.bytes)
	}
	m.grantWaiting()
}

// grantWaiting grants what those who wait need, as long as there is some.
func (m *memory) grantWaiting() {
	for m.demandsWaiting > 0 {
		c := m.grantNext()
		if c == nil {
			return
		}
		m.dropDemand(c)
		close(c.granted)
	}
}

// grantNext grants the demand that comes next: of each project the oldest, of these the one of the project that holds least.
// It returns nil when all have to wait.
func (m *memory) grantNext() *demand {
	next := make([]*demand, 0, len(m.demands))
	for _, queue := range m.demands {
		next = append(next, queue.Front().Value.(*demand))
	}
	slices.SortFunc(next, func(a, b *demand) int {
		return cmp.Or(cmp.Compare(m.reserved[a.reservation.project], m.reserved[b.reservation.project]), cmp.Compare(a.number, b.number))
	})
	for _, c := range next {
		if m.tryGrant(c.reservation, c.bytes) {
			return c
		}
	}
	return nil
}
