package ingest

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"errand/core"
)

// How the time that a sender has used is forgotten, and what a body that was too large adds to it.
const (
	halfForgotten = 30 * time.Second
	tooLargeCosts = time.Second
	maxSenders    = 4096 // that are remembered
)

// sender is whom the work on large bodies is counted against.
type sender struct {
	project int64
	address string // empty for all of the project
}

// turns lets one large body at a time be worked on. Of those that wait it is the turn of the project that has used least
// time lately, and in it of the sender who has: whoever sends what takes long, or what is refused in the end, waits behind
// the others.
type turns struct {
	mu      sync.Mutex
	busy    bool
	waiting []*turn // in the order of asking
	used    map[sender]usedTime
}

// turn is a body that waits.
type turn struct {
	of      sender
	granted chan struct{}
}

// usedTime is how much time a sender had used at a moment; from then on it is forgotten bit by bit.
type usedTime struct {
	spent time.Duration
	at    time.Time
}

func (u usedTime) left(now time.Time) time.Duration {
	return time.Duration(float64(u.spent) * math.Exp2(-float64(now.Sub(u.at))/float64(halfForgotten)))
}

func newTurns() *turns { return &turns{used: map[sender]usedTime{}} }

// take waits for the sender's turn, which ends with the returned function. When ctx ends first it is unavailable.
func (t *turns) take(ctx context.Context, of sender) (end func(), err error) {
	t.mu.Lock()
	if !t.busy {
		t.busy = true
		t.mu.Unlock()
		return t.begin(of), nil
	}
	own := &turn{of, make(chan struct{})}
	t.waiting = append(t.waiting, own)
	t.mu.Unlock()
	select {
	case <-own.granted:
		return t.begin(of), nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if place := slices.Index(t.waiting, own); place >= 0 {
		t.waiting = slices.Delete(t.waiting, place, place+1)
	} else { // it was granted at the same moment
		t.next(time.Now())
	}
	return nil, errBusy(ctx.Err())
}

func (t *turns) begin(of sender) (end func()) {
	start := time.Now()
	return func() {
		now := time.Now()
		t.mu.Lock()
		defer t.mu.Unlock()
		t.charge(of, now.Sub(start), now)
		t.next(now)
	}
}

// refused notes that a body was too large.
func (t *turns) refused(of sender) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.charge(of, tooLargeCosts, time.Now())
}

// charge counts time against the sender and its project. The caller holds the mutex.
func (t *turns) charge(of sender, spent time.Duration, now time.Time) {
	if len(t.used) >= maxSenders { // there are as many addresses as somebody likes, but not projects
		maps.DeleteFunc(t.used, func(of sender, _ usedTime) bool { return of.address != "" })
	}
	for _, one := range []sender{of, {project: of.project}} {
		t.used[one] = usedTime{t.used[one].left(now) + spent, now}
	}
}

// next grants the next turn. The caller holds the mutex.
func (t *turns) next(now time.Time) {
	if t.busy = len(t.waiting) > 0; !t.busy {
		return
	}
	best := 0
	for k := range t.waiting {
		if t.before(t.waiting[k].of, t.waiting[best].of, now) {
			best = k
		}
	}
	close(t.waiting[best].granted)
	t.waiting = slices.Delete(t.waiting, best, best+1)
}

// before reports whether a has used less than b, by a millisecond or more.
func (t *turns) before(a, b sender, now time.Time) bool {
	if a.project != b.project {
		a.address, b.address = "", ""
	}
	return t.used[a].left(now).Truncate(time.Millisecond) < t.used[b].left(now).Truncate(time.Millisecond)
}

// busyError is the cause of an unavailable that has nothing to do with the database.
type busyError struct{ cause error }

func (e busyError) Error() string { return fmt.Sprintf("the server is busy: %v", e.cause) }

func errBusy(cause error) error { return core.NewError(core.Unavailable).Because(busyError{cause}) }
