package intake

import "sync"

// recent remembers what was used lately: at least size entries, at most twice as many. It is two maps, of which the
// older is dropped when the younger is full. Without pointers in K and V the garbage collector does not walk it; that is
// why it is not the LRU of the other caches, whose lists it does walk.
type recent[K comparable, V any] struct {
	size int

	mu         sync.Mutex
	young, old map[K]V
}

func newRecent[K comparable, V any](size int) *recent[K, V] {
	return &recent[K, V]{size: size, young: map[K]V{}}
}

// get gives the entry of a key.
func (r *recent[K, V]) get(key K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.young[key]
	if ok {
		return v, true
	}
	if v, ok = r.old[key]; ok {
		r.keep(key, v)
	}
	return v, ok
}

// add remembers an entry, in the place of one that has the same key.
func (r *recent[K, V]) add(key K, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep(key, v)
}

func (r *recent[K, V]) keep(key K, v V) {
	if _, there := r.young[key]; !there && len(r.young) >= r.size {
		r.young, r.old = make(map[K]V, r.size/8), r.young
	}
	r.young[key] = v
}
