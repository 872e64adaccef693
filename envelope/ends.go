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
	clear(e.items)
	*e = ends[T]{items: e.items[:0], head: head, max: max}
}

// add gives the place of a new last item, which is its zero value. The place is valid until the next add.
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

// slot is where the nth item added (from 0) lies once the list is full: the last ones take turns behind the head.
func (e *ends[T]) slot(n int) int {
	return e.head + (n-e.head)%(e.max-e.head)
}

// at gives the ith item kept, in the order of adding.
func (e *ends[T]) at(i int) *T {
	if i < e.head || e.total <= e.max {
		return &e.items[i]
	}
	return &e.items[e.slot(e.total-len(e.items)+i)]
}

// lost says how many items are not kept.
func (e *ends[T]) lost() int { return e.total - len(e.items) }
