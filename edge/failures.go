package edge

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"math"
	"net/netip"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"errand/core"
	"errand/wire"
)

// How often authentication may fail from one address: failuresAtOnce times immediately, and then once in each failureEvery.
// Beyond that the answer is limit instead of unauthorized, and the database is asked less often.
const (
	failuresAtOnce = 100
	failureEvery   = 6 * time.Second
)

// The bounds of the memory for addresses, and of a line in the log.
const (
	maxAddresses      = 4096
	maxLoggedOnes     = 20
	logFailuresEvery  = time.Minute
	maxSuspectLookUps = 2 // at the same time
	suspectWaits      = 2 * time.Second
)

// Failures limits failed authentication by address. A good credential works from everywhere, also from an address where others
// fail.
type Failures struct {
	clock core.Clock
	turns chan struct{} // one for each look-up of a credential from an address that fails too often

	mu               sync.Mutex
	workedOffAt      *lru.Cache[netip.Addr, time.Time] // when the failures of an address are worked off
	counts           map[netip.Addr]int                // since the last line in the log
	failuresOfOthers int                               // failures of addresses that are not in counts
}

// NewFailures returns a Failures that has counted nothing.
func NewFailures(clock core.Clock) *Failures {
	until, err := lru.New[netip.Addr, time.Time](maxAddresses)
	if err != nil {
		panic(err) // the size is not positive
	}
	return &Failures{clock: clock, turns: make(chan struct{}, maxSuspectLookUps), workedOffAt: until, counts: map[netip.Addr]int{}}
}

// RefuseCredential counts a failed authentication for the request of the context. It returns the error to answer with:
// unauthorized, or limit when the address fails too often.
func (f *Failures) RefuseCredential(ctx context.Context) *core.Error {
	client, now := wire.NetworkOf(ClientOf(ctx)), f.clock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, isCounted := f.counts[client]; isCounted || len(f.counts) < maxAddresses {
		f.counts[client]++
	} else {
		f.failuresOfOthers++
	}
	if wait := f.waitingTime(client, now); wait > 0 {
		return tooManyFailures(wait)
	}
	until, _ := f.workedOffAt.Get(client)
	if until.Before(now) {
		until = now
	}
	f.workedOffAt.Add(client, until.Add(failureEvery))
	return core.NewError(core.Unauthorized)
}

// waitingTime returns how long it is until authentication may fail again from the address; 0 or less when it may now. The caller
// holds the mutex.
func (f *Failures) waitingTime(client netip.Addr, now time.Time) time.Duration {
	until, hasFailed := f.workedOffAt.Get(client)
	if !hasFailed {
		return 0
	}
	return until.Sub(now) - (failuresAtOnce-1)*failureEvery
}

func tooManyFailures(wait time.Duration) *core.Error {
	failure := core.NewError(core.Limit).With("message", "too many failed authentications from this address")
	failure.RetryAfter = int(math.Ceil(wait.Seconds()))
	return failure
}

// isSuspect reports whether authentication fails too often from the address.
func (f *Failures) isSuspect(client netip.Addr) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.waitingTime(wire.NetworkOf(client), f.clock()) > 0
}

// Authenticate finds the actor behind a credential, or returns unauthorized.
type Authenticate func(context.Context, core.Secret) (core.Actor, error)

// TakeTurn is called before a credential, or a key, is looked up. An address that fails too often gets only a few look-ups at the
// same time: it waits for its turn, and gets limit when that takes too long. The returned function ends the turn.
func (f *Failures) TakeTurn(ctx context.Context) (end func(), err error) {
	if !f.isSuspect(ClientOf(ctx)) {
		return func() {}, nil
	}
	waiting, cancel := context.WithTimeout(ctx, suspectWaits)
	defer cancel()
	select {
	case f.turns <- struct{}{}:
		return func() { <-f.turns }, nil
	case <-waiting.Done():
		return nil, tooManyFailures(failureEvery)
	}
}

// GuardAuthentication wraps authenticate: it counts failures, and makes addresses that fail too often take turns.
func (f *Failures) GuardAuthentication(authenticate Authenticate) Authenticate {
	return func(ctx context.Context, credential core.Secret) (core.Actor, error) {
		end, err := f.TakeTurn(ctx)
		if err != nil {
			return core.Actor{}, err
		}
		defer end()
		actor, err := authenticate(ctx, credential)
		if core.HasCode(err, core.Unauthorized) {
			return core.Actor{}, f.RefuseCredential(ctx)
		}
		return actor, err
	}
}

// LogEveryMinute logs which addresses failed, until ctx ends; then it logs the rest.
func (f *Failures) LogEveryMinute(ctx context.Context, log *slog.Logger) {
	minute := time.NewTicker(logFailuresEvery)
	defer minute.Stop()
	for {
		select {
		case <-ctx.Done():
			f.logFailures(log)
			return
		case <-minute.C:
			f.logFailures(log)
		}
	}
}

// logFailures writes one line with the addresses that failed most; nothing when none did.
func (f *Failures) logFailures(log *slog.Logger) {
	f.mu.Lock()
	counts, others := f.counts, f.failuresOfOthers
	f.counts, f.failuresOfOthers = map[netip.Addr]int{}, 0
	f.mu.Unlock()
	if len(counts) == 0 {
		return
	}
	most := slices.SortedFunc(maps.Keys(counts), func(a, b netip.Addr) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), a.Compare(b))
	})
	var addresses []any
	total := others
	for i, address := range most {
		total += counts[address]
		if i < maxLoggedOnes {
			addresses = append(addresses, slog.Int(address.String(), counts[address]))
		} else {
			others += counts[address]
		}
	}
	log.Warn("authentication failed", "failures", total, slog.Group("addresses", addresses...), "of_other_addresses", others)
}
