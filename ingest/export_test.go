package ingest

import (
	"context"
	"errors"
	"time"

	"errand/core"
	"errand/envelope"
)

// MaxEnvelope and MaxNative are the largest bodies in bytes, MaxStream what is read of one at most.
const (
	MaxStream   = maxStream
	MaxEnvelope = maxEnvelope
	MaxNative   = maxNative
)

// ReadAtMost shortens the time in which a client must have sent its body. To be called before the first request.
func (i *Ingest) ReadAtMost(d time.Duration) { i.readAtMost = d }

// WaitAtMost shortens every wait of a request for the server. To be called before the first request.
func (i *Ingest) WaitAtMost(d time.Duration) {
	i.waitAtMost, i.projects.waitAtMost, i.byID.waitAtMost, i.memory.waitAtMost, i.large.waitAtMost = d, d, d, d, d
}

// SlowAfter shortens the time after which a client may be slow. To be called before the first request.
func (i *Ingest) SlowAfter(d time.Duration) { i.slow.after = d }

// Reading is how many bodies are being read.
func (i *Ingest) Reading() int {
	i.slow.mu.Lock()
	defer i.slow.mu.Unlock()
	return len(i.slow.reading)
}

// LeaveFree takes memory so that so many bytes are left for small bodies, until the given function is called.
func (i *Ingest) LeaveFree(bytes int64) (giveBack func()) {
	l := i.memory.newShare(everybody)
	_ = l.grow(context.Background(), maxSmall-bytes)
	return func() { l.keep(0) }
}

// WaitingForLarge is how many requests wait for memory of large bodies.
func (i *Ingest) WaitingForLarge() int {
	i.large.mu.Lock()
	defer i.large.mu.Unlock()
	return i.large.waiting
}

// HoldLarge keeps every large body waiting until the given function is called.
func (i *Ingest) HoldLarge() (goOn func()) {
	goOn, _ = i.unpackers.large.take(context.Background(), sender{})
	return goOn
}

// WaitingForTurn is how many large bodies wait.
func (i *Ingest) WaitingForTurn() int {
	i.unpackers.large.mu.Lock()
	defer i.unpackers.large.mu.Unlock()
	return len(i.unpackers.large.waiting)
}

// HoldAtMost shortens the time in which a batch is tried. To be called before the first request.
func (i *Ingest) HoldAtMost(d time.Duration) { i.writer.holdAtMost = d }

// HoldCommits keeps every commit waiting until the given function is called.
func (i *Ingest) HoldCommits() (goOn func()) {
	i.writer.committing.Lock()
	return i.writer.committing.Unlock
}

// Queued is how many requests wait for the writer.
func (i *Ingest) Queued() int { return len(i.writer.queue) }

// Waiting is how many events wait for their commit.
func (i *Ingest) Waiting() int64 { return i.writer.waiting.Load() }

// Free is how many bytes requests may take.
func (i *Ingest) Free() int64 {
	free := int64(0)
	for _, m := range []*memory{i.memory, i.large} {
		m.mu.Lock()
		free += m.free
		m.mu.Unlock()
	}
	return free
}

// MaxHeld is how many bytes all requests may hold.
const MaxHeld = maxSmall + maxLarge

// Report has the reporter write what it would write at its next time.
func (i *Ingest) Report(ctx context.Context) error {
	return errors.Join(i.reporter.writeRefusal(ctx), i.reporter.writeSigns(ctx))
}

// Counting gives a function that counts a request with one event as its way through ingest does.
func (i *Ingest) Counting() func() {
	items, group, at := []envelope.Item{{Type: "event", Kind: envelope.Event}}, []*waiting{{entries: make([]entry, 1)}}, core.At(i.clock())
	return func() {
		i.metrics.received.Add(1000)
		i.metrics.countItems(items)
		i.reporter.alive(1, at)
		i.metrics.settled(group)
		i.metrics.batches.Observe(1)
		i.metrics.commits.Observe(0.01)
		i.metrics.endpoints[endpointEnvelope].answered(200, time.Millisecond)
	}
}
