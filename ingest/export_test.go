package ingest

import "time"

// MaxEnvelope and MaxNative are the largest bodies in bytes.
const (
	MaxEnvelope = maxEnvelope
	MaxNative   = maxNative
)

// ReadAtMost shortens the time in which a client must have sent its body. To be called before the first request.
func (i *Ingest) ReadAtMost(d time.Duration) { i.readAtMost = d }

// WaitAtMost shortens every wait for the server. To be called before the first request.
func (i *Ingest) WaitAtMost(d time.Duration) {
	i.waitAtMost, i.projects.waitAtMost, i.memory.waitAtMost, i.writer.holdAtMost = d, d, d, d
}

// Free is how many bytes requests may take.
func (i *Ingest) Free() int64 {
	i.memory.mu.Lock()
	defer i.memory.mu.Unlock()
	return i.memory.free
}

// MaxHeld is how many bytes all requests may hold.
const MaxHeld = maxHeld
