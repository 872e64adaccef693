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

// How fast a sender's used time is forgotten, how much of it is remembered, and the charge for a body that was too large.
const (
	halfForgotten  = 30 * time.Second
	mostRemembered = time.Minute
	tooLargeCosts  = time.Second
	maxSenders     = 4096 // projects need no bound, as nobody can make them up
)

// sender is a project and a network, which are charged for time.
type sender struct {
	project int64      // 0 for an unknown sender
	network netip.Addr // from wire.NetworkOf
}

// turns limit how many bodies are worked on at the same time. The project that has used the least time lately comes next, and
// within it the sender that has, or the oldest body. A sender whose bodies take long, or are refused in the end, waits behind the
// others.
type turns struct {
	bySender bool // within a project; otherwise its bodies come in the order of asking

	mu      sync.Mutex
	free    int
	asked   int                      // how many have waited
	waiting map[int64][]*waitingTurn // by project, each in the order of asking

	usedOfProjects map[int64]usedTime
	usedOfSenders  *lru.Cache[sender, usedTime]
}

// waitingTurn is a body that waits.
type waitingTurn struct {
	sender  sender
	number  int // in the order of asking
	granted chan struct{}
}

// usedTime is how much time a sender had used at a moment. It decays from then on: halfForgotten is the half-life.
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

func newTurns(atOnce int, bySender bool) *turns {
	return &turns{
		bySender: bySender, free: atOnce, waiting: map[int64][]*waitingTurn{}, usedOfProjects: map[int64]usedTime{},
		usedOfSenders: mustMake(lru.New[sender, usedTime](maxSenders)),
	}
}

// takeTurn waits for the sender's turn, which the returned function ends. It returns unavailable when ctx ends first.
func (t *turns) takeTurn(ctx context.Context, of sender) (end func(), err error) {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return t.beginTurn(of), nil
	}
	t.asked++
	mine := &waitingTurn{of, t.asked, make(chan struct{})}
	t.waiting[of.project] = append(t.waiting[of.project], mine)
	t.mu.Unlock()
	select {
	case <-mine.granted:
		return t.beginTurn(of), nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := slices.Index(t.waiting[of.project], mine); at >= 0 {
		t.dropWaiting(of.project, at)
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

// dropWaiting takes a body out of its project's queue. The caller holds the mutex, here and in all methods below except
// chargeTooLarge and hasUsedMuch.
func (t *turns) dropWaiting(project int64, at int) {
	if t.waiting[project] = slices.Delete(t.waiting[project], at, at+1); len(t.waiting[project]) == 0 {
		delete(t.waiting, project)
	}
}

// chargeTooLarge charges for a body that was too large. When the header said so, nothing was read, and only the sender is
// charged: anybody can send such headers with the key of a page, and the other senders of the project must not wait for it.
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

// chargeTime charges the sender and its project for time.
func (t *turns) chargeTime(of sender, spent time.Duration, now time.Time) {
	if t.bySender {
		t.chargeSender(of, spent, now)
	}
	t.usedOfProjects[of.project] = t.usedOfProjects[of.project].addTime(spent, now)
}

func (t *turns) chargeSender(of sender, spent time.Duration, now time.Time) {
	used, _ := t.usedOfSenders.Get(of)
	t.usedOfSenders.Add(of, used.addTime(spent, now))
}

// grantNext grants the next turn.
func (t *turns) grantNext(now time.Time) {
	var best *waitingTurn
	var least time.Duration
	isOnly := len(t.waiting) == 1 // then there is nothing to compare
	for project, queue := range t.waiting {
		used := time.Duration(0)
		if !isOnly {
			used = t.usedOfProjects[project].leftAt(now).Truncate(time.Millisecond)
		}
		if best == nil || used < least || used == least && queue[0].number < best.number {
			best, least = queue[0], used
		}
	}
	if best == nil {
		t.free++
		return
	}
	at := 0
	if t.bySender {
		at = t.findSender(best.sender.project, now)
	}
	close(t.waiting[best.sender.project][at].granted)
	t.dropWaiting(best.sender.project, at)
}

// findSender returns the index in a project's queue of the sender that has used the least time, by a millisecond or more.
func (t *turns) findSender(project int64, now time.Time) (best int) {
	least := time.Duration(math.MaxInt64)
	for at, waiting := range t.waiting[project] {
		used, _ := t.usedOfSenders.Peek(waiting.sender)
		if left := used.leftAt(now).Truncate(time.Millisecond); left < least {
			best, least = at, left
		}
	}
	return best
}

// hasUsedMuch reports whether the sender has used more time than limit lately.
func (t *turns) hasUsedMuch(of sender, limit time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	used, _ := t.usedOfSenders.Peek(of)
	return used.leftAt(time.Now()) > limit
}

// busyError is the cause of an unavailable error that has nothing to do with the database.
type busyError struct{ cause error }

func (e busyError) Error() string { return fmt.Sprintf("the server is busy: %v", e.cause) }

func errBusy(cause error) error { return core.NewError(core.Unavailable).Because(busyError{cause}) }
