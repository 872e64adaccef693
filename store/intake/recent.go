package intake

import "sync"

// recent remembers recently used entries: at least size of them, at most twice as many. It is two maps: when the younger is
// full, the older is dropped. Without pointers in K and V the garbage collector does not walk them. The LRU of the other
// caches has lists, which it does walk.
type recent[K comparable, V any] struct {
	size int

	mu         sync.Mutex
	young, old map[K]V
}

func newRecent[K comparable, V any](size int) *recent[K, V] {
	return &recent[K, V]{size: size, young: map[K]V{}}
}

// findEntry returns the entry of a key.
func (r *recent[K, V]) findEntry(key K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.young[key]
	if ok {
		return v, true
	}
	if v, ok = r.old[key]; ok {
		r.keepEntry(key, v)
	}
	return v, ok
}

// addEntry remembers an entry, replacing one with the same key.
func (r *recent[K, V]) addEntry(key K, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keepEntry(key, v)
}

func (r *recent[K, V]) keepEntry(key K, v V) {
	if _, there := r.young[key]; !there && len(r.young) >= r.size {
		r.young, r.old = make(map[K]V, r.size/8), r.young
	}
	r.young[key] = v
}
