package ingest

import (
	"encoding/binary"
	"hash/maphash"
	"strings"
	"sync/atomic"

	"errand/core"
)

const (
	// keptCaptured is how many exceptions are remembered, a power of two.
	keptCaptured = 1 << 15
	// maxCaptured is how many exceptions of an event are remembered: the outermost and its nearest causes.
	maxCaptured = 4
)

// capturedExceptions remembers the latest exceptions that Sentry SDKs captured. When the application also exports its spans, the
// same exception arrives again some seconds later without the SDK's details, and must not count twice. A newer exception may
// overwrite an older one, so a repeat is usually recognised, but not always.
type capturedExceptions struct {
	seed maphash.Seed
	keys [keptCaptured]atomic.Uint64
}

// capturedKeys are hashes of the exceptions of an event, the outermost first; 0 for none.
type capturedKeys [maxCaptured]uint64

func newCaptured() *capturedExceptions { return &capturedExceptions{seed: maphash.MakeSeed()} }

// keysOf returns the keys of an event's exceptions, made of the trace, the type and the value. Some SDKs quote the value of an
// exception when they capture it and not when they export it. An event without a trace has no keys.
func (c *capturedExceptions) keysOf(projectID int64, event *core.Event) (keys capturedKeys) {
	trace := event.Contexts.Get("trace").Get("trace_id")
	if trace.Kind != core.String || trace.Text == "" {
		return keys
	}
	var project [8]byte
	binary.LittleEndian.PutUint64(project[:], uint64(projectID))
	for n := range min(len(event.Exceptions), maxCaptured) {
		exception := &event.Exceptions[n]
		var hash maphash.Hash // which never fails
		hash.SetSeed(c.seed)
		_, _ = hash.Write(project[:])
		for _, part := range []string{trace.Text, string(exception.Type), strings.Trim(strings.TrimSpace(string(exception.Value)), `'"`)} {
			_, _ = hash.WriteString(part)
			_ = hash.WriteByte(0)
		}
		keys[n] = hash.Sum64() | 1
	}
	return keys
}

// addKeys remembers the exceptions of an event.
func (c *capturedExceptions) addKeys(keys capturedKeys) {
	for _, key := range keys {
		if key != 0 {
			c.slotOf(key).Store(key)
		}
	}
}

// hasOutermost reports whether the outermost exception of an event is remembered.
func (c *capturedExceptions) hasOutermost(keys capturedKeys) bool {
	return keys[0] != 0 && c.slotOf(keys[0]).Load() == keys[0]
}

func (c *capturedExceptions) slotOf(key uint64) *atomic.Uint64 { return &c.keys[key>>1%keptCaptured] }
