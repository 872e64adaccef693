package ingest

import "time"

// MaxEnvelope and MaxNative are the largest bodies in bytes.
const (
	MaxEnvelope = maxEnvelope
	MaxNative   = maxNative
)

// ReadAtMost shortens the time in which a client must have sent its body. To be called before the first request.
func (i *Ingest) ReadAtMost(d time.Duration) { i.readAtMost = d }

// WaitAtMost shortens every wait of a request for the server. To be called before the first request.
func (i *Ingest) WaitAtMost(d time.Duration) {
	i.waitAtMost, i.projects.waitAtMost, i.memory.waitAtMost = d, d, d
}

// HoldAtMost shortens the time in which a batch is tried. To be called before the first request.
func (i *Ingest) HoldAtMost(d time.Duration) { i.writer.holdAtMost = d }

// Queued is how many requests wait for the writer.
func (i *Ingest) Queued() int { return len(i.writer.queue) }

// Free is how many bytes requests may take.
func (i *Ingest) Free() int64 {
	i.memory.mu.Lock()
	defer i.memory.mu.Unlock()
	return i.memory.free
}

// MaxHeld is how many bytes all requests may hold.
const MaxHeld = maxHeld
