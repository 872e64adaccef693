package ingest

import (
	"context"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"errand/core"
)

// How fast the time that a sender has used is forgotten, how much of it is remembered, and what a body that was too large adds.
const (
	halfForgotten  = 30 * time.Second
	mostRemembered = time.Minute
	tooLargeCosts  = time.Second
	maxSenders     = 4096 // projects are not bounded, as nobody can make them up
)

// sender is a project and a network, against which the time for large bodies is counted.
type sender struct {
	project int64
	network netip.Addr // as wire.NetworkOf has it
}

// turns let one large body at a time be worked on. Of those that wait the next one is that of the project that has used least
// time lately, and within the project that of the sender who has. Whoever sends what takes long, or what is refused in the end,
// waits behind the others.
type turns struct {
	mu      sync.Mutex
	busy    bool
	waiting []*waitingTurn // in the order of asking

	usedOfProjects map[int64]usedTime
	usedOfSenders  *lru.Cache[sender, usedTime]
}

// waitingTurn is a body that waits.
type waitingTurn struct {
	sender  sender
	granted chan struct{}
}

// usedTime is how much time a sender had used at a moment. From then on it is forgotten: half of it in halfForgotten.
type usedTime struct {
	spent time.Duration
	at    time.Time
}

func (u usedTime) leftAt(now time.Time) time.Duration {
	return time.Duration(float64(u.spent) * math.Exp2(-float64(now.Sub(u.at))/float64(halfForgotten)))
}

func (u usedTime) addTime(spent time.Duration, now time.Time) usedTime {
	return usedTime{min(u.leftAt(now)+spent, mostRemembered), now}
}

func newTurns() *turns {
	return &turns{usedOfProjects: map[int64]usedTime{}, usedOfSenders: mustMake(lru.New[sender, usedTime](maxSenders))}
}

// takeTurn waits for the sender's turn, which ends with the returned function. It returns unavailable when ctx ends first.
func (t *turns) takeTurn(ctx context.Context, of sender) (end func(), err error) {
	t.mu.Lock()
	if !t.busy {
		t.busy = true
		t.mu.Unlock()
		return t.beginTurn(of), nil
	}
	mine := &waitingTurn{of, make(chan struct{})}
	t.waiting = append(t.waiting, mine)
	t.mu.Unlock()
	select {
	case <-mine.granted:
		return t.beginTurn(of), nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := slices.Index(t.waiting, mine); at >= 0 {
		t.waiting = slices.Delete(t.waiting, at, at+1)
	} else { // it was granted at the same moment
		t.grantNext(time.Now())
	}
	return nil, errBusy(ctx.Err())
}

func (t *turns) beginTurn(of sender) (end func()) {
	start := time.Now()
	return func() {
		now := time.Now()
		t.mu.Lock()
		defer t.mu.Unlock()
		t.chargeTime(of, now.Sub(start), now)
		t.grantNext(now)
	}
}

// chargeTooLarge charges for a body that was too large. Where the header said so, nothing was read: then the sender is charged
// alone. Anybody can send such headers with the key of a page, and the others of the project must not wait for it.
func (t *turns) chargeTooLarge(of sender, wasRead bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if wasRead {
		t.chargeTime(of, tooLargeCosts, now)
	} else {
		t.chargeSender(of, tooLargeCosts, now)
	}
}

// chargeTime charges the sender and its project for time. The caller holds the mutex.
func (t *turns) chargeTime(of sender, spent time.Duration, now time.Time) {
	t.chargeSender(of, spent, now)
	t.usedOfProjects[of.project] = t.usedOfProjects[of.project].addTime(spent, now)
}

func (t *turns) chargeSender(of sender, spent time.Duration, now time.Time) {
	used, _ := t.usedOfSenders.Get(of)
	t.usedOfSenders.Add(of, used.addTime(spent, now))
}

// grantNext grants the next turn. The caller holds the mutex.
func (t *turns) grantNext(now time.Time) {
	if t.busy = len(t.waiting) > 0; !t.busy {
		return
	}
	best := 0
	for k := range t.waiting {
		if t.hasUsedLess(t.waiting[k].sender, t.waiting[best].sender, now) {
			best = k
		}
	}
	close(t.waiting[best].granted)
	t.waiting = slices.Delete(t.waiting, best, best+1)
}

// hasUsedLess reports whether a has used less time than b, by a millisecond or more.
func (t *turns) hasUsedLess(a, b sender, now time.Time) bool {
	usedByA, usedByB := t.usedOfProjects[a.project], t.usedOfProjects[b.project]
	if a.project == b.project {
		usedByA, _ = t.usedOfSenders.Peek(a)
		usedByB, _ = t.usedOfSenders.Peek(b)
	}
	return usedByA.leftAt(now).Truncate(time.Millisecond) < usedByB.leftAt(now).Truncate(time.Millisecond)
}

// busyError is the cause of an unavailable that has nothing to do with the database.
type busyError struct{ cause error }

func (e busyError) Error() string { return fmt.Sprintf("the server is busy: %v", e.cause) }

func errBusy(cause error) error { return core.NewError(core.Unavailable).Because(busyError{cause}) }
