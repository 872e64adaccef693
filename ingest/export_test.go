package ingest

import (
	"context"
	"errors"
	"time"

	"errand/core"
	"errand/envelope"
)

// MaxEnvelope and MaxNative are the largest bodies in bytes. MaxStream is the most that is read of
// one.
const (
	MaxStream   = maxStream
	MaxEnvelope = maxEnvelope
	MaxNative   = maxNative
)

// ReadAtMost sets the time within which a client must send its body. Call it before the first
// request.
func (i *Ingest) ReadAtMost(d time.Duration) { i.readAtMost = d }

// WaitAtMost bounds every wait of a request for the server. Call it before the first request.
func (i *Ingest) WaitAtMost(d time.Duration) {
	i.waitAtMost, i.projectsByKey.waitAtMost, i.projectsByID.waitAtMost, i.smallMemory.waitAtMost, i.largeMemory.waitAtMost = d, d, d, d, d
}

// SlowAfter shortens the time after which a client may count as slow. Call it before the first
// request.
func (i *Ingest) SlowAfter(d time.Duration) { i.incoming.slowAfter = d }

// BodiesBeingRead is how many bodies are being read.
func (i *Ingest) BodiesBeingRead() int {
	i.incoming.mu.Lock()
	defer i.incoming.mu.Unlock()
	return len(i.incoming.reading)
}

// LeaveFree reserves all memory for small bodies except some bytes, until the returned function is
// called.
func (i *Ingest) LeaveFree(bytes int64) (giveBack func()) {
	l := i.smallMemory.newReservation(sharedByAll)
	_ = l.reserveMemory(context.Background(), maxSmall-bytes)
	return func() { l.keepOnly(0) }
}

// WaitingForLarge is how many requests wait for memory for large bodies.
func (i *Ingest) WaitingForLarge() int {
	i.largeMemory.mu.Lock()
	defer i.largeMemory.mu.Unlock()
	return i.largeMemory.demandsWaiting
}

// HoldLarge keeps every large body waiting until the returned function is called.
func (i *Ingest) HoldLarge() (goOn func()) {
	goOn, _ = i.unpackers.large.takeTurn(context.Background(), sender{})
	return goOn
}

// WaitingForTurn is how many large bodies wait for their turn.
func (i *Ingest) WaitingForTurn() int {
	i.unpackers.large.mu.Lock()
	defer i.unpackers.large.mu.Unlock()
	return i.unpackers.large.countWaiting()
}

func (t *turns) countWaiting() (n int) {
	for _, queue := range t.waiting {
		n += len(queue)
	}
	return n
}

// HoldFirstLines keeps every body of an unknown sender waiting until the returned function is
// called.
func (i *Ingest) HoldFirstLines() (goOn func()) {
	goOn, _ = i.unpackers.first.turns.takeTurn(context.Background(), sender{})
	return goOn
}

// HoldAtMost shortens the time during which a batch is tried. Call it before the first request.
func (i *Ingest) HoldAtMost(d time.Duration) { i.writer.holdAtMost = d }

// HoldCommits keeps every commit waiting until the returned function is called.
func (i *Ingest) HoldCommits() (goOn func()) {
	i.writer.shared.committing.Lock()
	return i.writer.shared.committing.Unlock
}

// QueuedRequests is how many requests wait for the writer.
func (i *Ingest) QueuedRequests() int { return len(i.writer.shared.queue) }

// FreeBytes is how many bytes requests may still take.
func (i *Ingest) FreeBytes() int64 {
	free := int64(0)
	for _, m := range []*memory{i.smallMemory, i.largeMemory} {
		m.mu.Lock()
		free += m.free
		m.mu.Unlock()
	}
	return free
}

// MaxHeld is how many bytes all requests may hold.
const MaxHeld = maxSmall + maxLarge

// WriteReports makes the reporter write now what it would write at its next time.
func (i *Ingest) WriteReports(ctx context.Context) error {
	return errors.Join(i.reporter.writeRefusal(ctx), i.reporter.writeSigns(ctx))
}

// CountingFunc returns a function that counts a request with one event as a real request would.
func (i *Ingest) CountingFunc() func() {
	items, at := []envelope.Item{{Type: "event", Kind: envelope.Event}}, core.At(i.clock())
	group := []*waitingEvents{{events: make([]pendingEvent, 1)}}
	return func() {
		i.metrics.receivedBytes.Add(1000)
		i.metrics.countItems(items)
		i.reporter.noteAlive(1, at)
		i.metrics.countOutcomes(group)
		i.metrics.eventsPerCommit.Observe(1)
		i.metrics.secondsPerCommit.Observe(0.01)
		i.metrics.endpoints[endpointEnvelope].countAnswer(200, time.Millisecond)
	}
}

// ForgetMaps forgets which files have source maps, as happens with time.
func (i *Ingest) ForgetMaps() { i.maps.found.forgetAll() }

// SetMapWithin sets how long an event waits to be mapped.
func (i *Ingest) SetMapWithin(within time.Duration) { i.maps.within = within }

// TrustSendersFor sets how much time a sender may use for large bodies before dropped items count. The race detector makes each
// body take ten times as long.
func (i *Ingest) TrustSendersFor(used time.Duration) { i.unpackers.trust = used }

// ForgetPages closes the source maps that nobody uses, and drops their pages from memory, as
// happens with time.
func (i *Ingest) ForgetPages() {
	for range 3 {
		i.maps.indexes.dropIdle()
	}
}
