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

// capturedExceptions remembers the latest exceptions that SDKs of Sentry have captured. When their application exports its spans too,
// the same exception comes once more some seconds later, without what the SDK knows of it, and must not count twice. A newer
// exception takes the place of an older one, so this is right as a rule and not always.
type capturedExceptions struct {
	seed maphash.Seed
	keys [keptCaptured]atomic.Uint64
}

// capturedKeys stand for the exceptions of an event, the outermost first; 0 for none.
type capturedKeys [maxCaptured]uint64

func newCaptured() *capturedExceptions { return &capturedExceptions{seed: maphash.MakeSeed()} }

// keysOf returns what the exceptions of an event are known by: the trace, the type and the value. Some SDKs quote the value in
// one place and not in the other. An event without a trace has none.
func (c *capturedExceptions) keysOf(projectID int64, e *core.Event) (keys capturedKeys) {
	trace := e.Contexts.Get("trace").Get("trace_id")
	if trace.Kind != core.String || trace.Text == "" {
		return keys
	}
	var project [8]byte
	binary.LittleEndian.PutUint64(project[:], uint64(projectID))
	for n := range min(len(e.Exceptions), maxCaptured) {
		x := &e.Exceptions[n]
		var h maphash.Hash // which never fails
		h.SetSeed(c.seed)
		_, _ = h.Write(project[:])
		for _, part := range []string{trace.Text, string(x.Type), strings.Trim(strings.TrimSpace(string(x.Value)), `'"`)} {
			_, _ = h.WriteString(part)
			_ = h.WriteByte(0)
		}
		keys[n] = h.Sum64() | 1
	}
	return keys
}

// addKeys remembers exceptions.
func (c *capturedExceptions) addKeys(keys capturedKeys) {
	for _, key := range keys {
		if key != 0 {
			c.slotOf(key).Store(key)
		}
	}
}

// hasOutermost reports whether the outermost exception is remembered.
func (c *capturedExceptions) hasOutermost(keys capturedKeys) bool {
	return keys[0] != 0 && c.slotOf(keys[0]).Load() == keys[0]
}

func (c *capturedExceptions) slotOf(key uint64) *atomic.Uint64 { return &c.keys[key>>1%keptCaptured] }
