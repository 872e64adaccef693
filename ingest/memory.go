package ingest

import (
	"cmp"
	"container/list"
	"context"
	"slices"
	"sync"
	"time"
)

// How many bytes all HTTP requests together may reserve. One of them may take more, up to the largest body, when nothing is free:
// it goes on and ends, so that large bodies never wait for each other in a circle. The part of a body beyond smallBody comes from
// a separate memory, so that large bodies never keep small ones waiting.
const (
	maxSmall  = 12 << 20
	maxLarge  = 12 << 20
	smallBody = 64 << 10
)

// perRequest is what an HTTP request takes besides its body and its packed events: its stack and the buffers of its connection.
const perRequest = 12 << 10

// memory bounds the bytes that HTTP requests take: bodies as they arrive, and packed events until they are committed. A request
// that needs more waits for others to end, in the order of asking.
//
// No project holds more than it leaves free: alone it gets half of the memory, a second one half of the rest, and some is left
// for the next. Among waiting requests the project that holds least comes first.
type memory struct {
	waitAtMost     time.Duration
	total          int64  // bytes
	endSlowSenders func() // called every endSlowEvery while somebody waits; nil for no call

	mu             sync.Mutex
	free           int64                // bytes
	reserved       map[int64]int64      // bytes by project, without sharedByAll
	overdrawn      *reservation         // the one that may grow though nothing is free; nil for none
	demands        map[int64]*list.List // of *demand, by project, in the order of asking
	demandsMade    int                  // ever
	demandsWaiting int
}

// Values that a reservation has instead of a project: memory that all share without a bound for each, and memory of unknown
// senders.
const (
	sharedByAll      = 0
	ofUnknownSenders = -1
)

// demand is a reservation that waits to grow.
type demand struct {
	reservation *reservation
	bytes       int64
	number      int // in the order of asking
	granted     chan struct{}
}

func newMemory(bytes int64, waitAtMost time.Duration) *memory {
	return &memory{total: bytes, free: bytes, reserved: map[int64]int64{}, demands: map[int64]*list.List{}, waitAtMost: waitAtMost}
}

// measureLoad returns how many bytes are reserved, without those beyond the bound, and how many requests wait for some.
func (m *memory) measureLoad() (reserved int64, waiting int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total - m.free, m.demandsWaiting
}

// reservation is the memory that one HTTP request has taken.
type reservation struct {
	memory  *memory
	project int64 // or sharedByAll, or ofUnknownSenders
	bytes   int64 // under the memory's mutex, without what was taken though nothing was free
}

func (m *memory) newReservation(of int64) *reservation { return &reservation{memory: m, project: of} }

// countFor counts the reservation for a project, once the project is known.
func (r *reservation) countFor(project int64) {
	if r.bytes == 0 {
		r.project = project
		return
	}
	m := r.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	reserved := r.bytes
	m.moveBytes(r, -reserved)
	r.project = project
	m.moveBytes(r, reserved)
}

// reserveMemory takes n more bytes, and waits for them if it must. It returns unavailable when that takes too long.
func (r *reservation) reserveMemory(ctx context.Context, n int64) error {
	m := r.memory
	m.mu.Lock()
	if m.overdrawn == r || m.demands[r.project] == nil && m.tryGrant(r, n) {
		m.mu.Unlock()
		return nil
	}
	waiting := m.queueDemand(r, n)
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, m.waitAtMost)
	defer cancel()
	if m.awaitGrant(ctx, waiting) {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-waiting.granted: // it was granted at the same moment
		return nil
	default:
		m.dropDemand(waiting)
		m.grantWaiting()
		return errBusy(ctx.Err())
	}
}

// endSlowEvery is how often the first demand of a queue ends slow senders.
const endSlowEvery = 100 * time.Millisecond

// awaitGrant reports whether the demand was granted before ctx ended.
func (m *memory) awaitGrant(ctx context.Context, waiting *demand) bool {
	ticker := time.NewTicker(endSlowEvery)
	defer ticker.Stop()
	for {
		select {
		case <-waiting.granted:
			return true
		case <-ctx.Done():
			return false
		case <-ticker.C:
			m.mu.Lock()
			queue := m.demands[waiting.reservation.project]
			isFirst := queue != nil && queue.Front().Value == any(waiting)
			m.mu.Unlock()
			if isFirst && m.endSlowSenders != nil {
				m.endSlowSenders()
			}
		}
	}
}

// queueDemand queues the reservation for n bytes. The caller holds the mutex, here and in all methods below except keepOnly.
func (m *memory) queueDemand(r *reservation, n int64) *demand {
	waiting := &demand{r, n, m.demandsMade, make(chan struct{})}
	if m.demands[r.project] == nil {
		m.demands[r.project] = list.New()
	}
	m.demands[r.project].PushBack(waiting)
	m.demandsMade++
	m.demandsWaiting++
	return waiting
}

// dropDemand takes a demand out of its queue.
func (m *memory) dropDemand(waiting *demand) {
	queue := m.demands[waiting.reservation.project]
	for e := queue.Front(); e != nil; e = e.Next() {
		if e.Value == waiting {
			queue.Remove(e)
			m.demandsWaiting--
			break
		}
	}
	if queue.Len() == 0 {
		delete(m.demands, waiting.reservation.project)
	}
}

// tryGrant takes n bytes for the reservation, or makes it the overdrawn one. It returns false when it has to wait.
func (m *memory) tryGrant(r *reservation, n int64) bool {
	switch {
	case m.free >= n && (r.project == sharedByAll || m.reserved[r.project]+n <= m.free-n):
		m.moveBytes(r, n)
	case m.overdrawn == nil:
		m.overdrawn = r
	default:
		return false
	}
	return true
}

// moveBytes moves n free bytes to the reservation, or back when n is negative.
func (m *memory) moveBytes(r *reservation, n int64) {
	m.free -= n
	r.bytes += n
	if r.project == sharedByAll {
		return
	}
	if m.reserved[r.project] += n; m.reserved[r.project] == 0 {
		delete(m.reserved, r.project)
	}
}

// keepOnly frees all but n bytes; it never takes more.
func (r *reservation) keepOnly(n int64) {
	m := r.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.overdrawn == r {
		m.overdrawn = nil
	}
	if r.bytes > n {
		m.moveBytes(r, n-r.bytes)
	}
	m.grantWaiting()
}

// grantWaiting grants demands while there is memory for the next.
func (m *memory) grantWaiting() {
	for m.demandsWaiting > 0 {
		granted := m.grantNext()
		if granted == nil {
			return
		}
		m.dropDemand(granted)
		close(granted.granted)
	}
}

// grantNext grants and returns the demand that comes next: the oldest one of the project that holds least, or else of the next
// project. It returns nil when all have to wait.
func (m *memory) grantNext() *demand {
	next := make([]*demand, 0, len(m.demands))
	for _, queue := range m.demands {
		next = append(next, queue.Front().Value.(*demand))
	}
	slices.SortFunc(next, func(a, b *demand) int {
		return cmp.Or(cmp.Compare(m.reserved[a.reservation.project], m.reserved[b.reservation.project]), cmp.Compare(a.number, b.number))
	})
	for _, waiting := range next {
		if m.tryGrant(waiting.reservation, waiting.bytes) {
			return waiting
		}
	}
	return nil
}
