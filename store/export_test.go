package store

import "context"

// Forget makes the writer of events as ignorant as one that has just started.
func (s *Store) Forget() { s.known = newKnown() }

// TakeEventIDs takes n ids for events.
func (s *Store) TakeEventIDs(ctx context.Context, n int) ([]int64, error) {
	return s.ids.take(ctx, eventIDs, n)
}

// TakeIssueID takes an id for an issue.
func (s *Store) TakeIssueID(ctx context.Context) (int64, error) { return s.ids.one(ctx, issueIDs) }

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

// FrequenciesAge is how long the frequencies of features are remembered.
const FrequenciesAge = frequenciesAge
