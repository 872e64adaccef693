package intake

import "context"

// Forget empties the writer's memory, as after a start.
func (w *Writer) Forget() { w.memory = newMemory() }

// TakeEventIDs takes n ids for events.
func (w *Writer) TakeEventIDs(ctx context.Context, n int) ([]int64, error) {
	return w.db.IDs.TakeMany(ctx, EventIDs, n)
}

// WaitingBytes returns the size of the events that wait to be stored.
func (w *Writer) WaitingBytes() int { return waitingBytes - w.fullIssues.freeBytes() }

// Recent is a cache of recently used entries.
type Recent[K comparable, V any] struct{ *recent[K, V] }

// NewRecent makes a cache.
func NewRecent[K comparable, V any](size int) Recent[K, V] {
	return Recent[K, V]{newRecent[K, V](size)}
}

// Get returns an entry.
func (r Recent[K, V]) Get(key K) (V, bool) { return r.findEntry(key) }

// Add remembers an entry.
func (r Recent[K, V]) Add(key K, v V) { r.addEntry(key, v) }

// RaisedStates are the SQLSTATEs that statements of a batch raise on purpose.
var RaisedStates = []string{overQuota, tooManyNewIssues, countedTwice}
