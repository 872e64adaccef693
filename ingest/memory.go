package ingest

import (
	"container/list"
	"context"
	"sync"
	"time"

	"errand/core"
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
type memory struct {
	waitAtMost time.Duration
	all        int64
	hurry      func() // called again and again while a request waits; nil for nothing
	mu         sync.Mutex
	free       int64
	elder      *lease    // the one that may grow though nothing is free
	queue      list.List // of *claim
}

// claim is a lease that waits.
type claim struct {
	lease   *lease
	bytes   int64
	granted chan struct{}
}

func newMemory(bytes int64, waitAtMost time.Duration) *memory {
	return &memory{all: bytes, free: bytes, waitAtMost: waitAtMost}
}

// load gives how many bytes are held, beside what the elder took beyond the bound, and how many requests wait for some.
func (m *memory) load() (held int64, waiting int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all - m.free, m.queue.Len()
}

// lease is the memory that one request holds.
type lease struct {
	memory *memory
	held   int64 // under the memory's mutex; what the elder took beyond the free bytes is not in it
}

func (m *memory) lease() *lease { return &lease{memory: m} }

// grow takes n bytes more, waiting for them; unavailable when that takes too long.
func (l *lease) grow(ctx context.Context, n int64) error {
	m := l.memory
	m.mu.Lock()
	if m.elder == l || m.queue.Len() == 0 && m.grant(l, n) {
		m.mu.Unlock()
		return nil
	}
	c := &claim{l, n, make(chan struct{})}
	place := m.queue.PushBack(c)
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, m.waitAtMost)
	defer cancel()
	if m.wait(ctx, c, place) {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-c.granted: // at the same moment
		return nil
	default:
		m.queue.Remove(place)
		m.wake()
		return core.NewError(core.Unavailable).Because(ctx.Err())
	}
}

// hurryEvery is how often the first in the queue looks for somebody to hurry.
const hurryEvery = 100 * time.Millisecond

// wait tells whether the claim was granted before ctx ended.
func (m *memory) wait(ctx context.Context, c *claim, place *list.Element) bool {
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
			first := m.queue.Front() == place
			m.mu.Unlock()
			if first && m.hurry != nil {
				m.hurry()
			}
		}
	}
}

// grant gives n bytes, or makes the lease the elder; false when it has to wait. The caller holds the mutex.
func (m *memory) grant(l *lease, n int64) bool {
	switch {
	case m.free >= n:
		m.free -= n
		l.held += n
	case m.elder == nil:
		m.elder = l
	default:
		return false
	}
	return true
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
		m.free += l.held - n
		l.held = n
	}
	m.wake()
}

// wake grants what those who waited longest need. The caller holds the mutex.
func (m *memory) wake() {
	for place := m.queue.Front(); place != nil; place = m.queue.Front() {
		c := place.Value.(*claim)
		if !m.grant(c.lease, c.bytes) {
			return
		}
		m.queue.Remove(place)
		close(c.granted)
	}
}
