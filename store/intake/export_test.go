package intake

import "context"

// Forget makes the writer as ignorant as one that has just started.
func (w *Writer) Forget() { w.known = newKnown() }

// TakeEventIDs takes n ids for events.
func (w *Writer) TakeEventIDs(ctx context.Context, n int) ([]int64, error) {
	return w.db.IDs.TakeMany(ctx, EventIDs, n)
}

// WaitingBytes is the size of the events that wait to be stored.
func (w *Writer) WaitingBytes() int { return waitingBytes - w.overfull.room() }

// Recent is a cache of what was used lately.
type Recent[K comparable, V any] struct{ *recent[K, V] }

// NewRecent makes a cache.
func NewRecent[K comparable, V any](size int) Recent[K, V] {
	return Recent[K, V]{newRecent[K, V](size)}
}

// Get gives an entry.
func (r Recent[K, V]) Get(key K) (V, bool) { return r.get(key) }

// Add remembers an entry.
func (r Recent[K, V]) Add(key K, v V) { r.add(key, v) }
