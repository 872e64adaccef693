package envelope

import "slices"

// ends gathers a list of unknown length in bounded room: the first few items and the last ones, without what lies
// between. The zero value is not usable; see reset. Its room is used again from event to event.
type ends[T any] struct {
	items []T // the room behind its length holds zero values
	head  int // how many of the first are kept
	max   int // how many are kept in all
	total int // how many were added
}

// reset empties the list and says how many items to keep: the first head, and max in all.
func (e *ends[T]) reset(head, max int) {
	*e = ends[T]{items: emptied(e.items), head: head, max: max}
}

// add returns the place of a new last item, which is its zero value. The place is valid until the next add.
func (e *ends[T]) add() *T {
	e.total++
	if n := len(e.items); n < e.max {
		if n == cap(e.items) {
			e.items = slices.Grow(e.items, max(n, 8)) // appending a zero value would write it twice
		}
		e.items = e.items[:n+1]
		return &e.items[n]
	}
	item := &e.items[e.slot(e.total-1)]
	var zero T
	*item = zero
	return item
}

// undo takes back the last add, unless it already took the place of another item.
func (e *ends[T]) undo() {
	if e.total <= e.max {
		e.total--
		clear(e.items[e.total:])
		e.items = e.items[:e.total]
	}
}

// list returns the items kept, in the order of adding. Nothing can be added after it.
func (e *ends[T]) list() []T {
	if e.total > e.max {
		last := e.items[e.head:]
		oldest := (e.total - e.max) % len(last)
		slices.Reverse(last[:oldest])
		slices.Reverse(last[oldest:])
		slices.Reverse(last)
	}
	return e.items
}

// slot is where the nth item added (from 0) lies once the list is full: the last ones take turns behind the head.
func (e *ends[T]) slot(n int) int {
	return e.head + (n-e.head)%(e.max-e.head)
}

// lost says how many items are not kept.
func (e *ends[T]) lost() int { return e.total - len(e.items) }
