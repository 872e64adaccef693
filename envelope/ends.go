package envelope

import "slices"

// endsList gathers a list of unknown length in bounded memory: the first few items and the last ones, without those in between.
// Call startOver before use. Its memory is used again from event to event.
type endsList[T any] struct {
	items []T // the memory beyond its length holds zero values
	head  int // how many of the first are kept
	most  int // how many are kept in all
	total int // how many were added
}

// startOver empties the list and sets how many items to keep: the first head, and most in all.
func (e *endsList[T]) startOver(head, most int) {
	*e = endsList[T]{items: emptyList(e.items), head: head, most: most}
}

// addItem adds an item, a zero value, and returns a pointer to it, which is valid until the next addItem.
func (e *endsList[T]) addItem() *T {
	e.total++
	if count := len(e.items); count < e.most {
		if count == cap(e.items) {
			e.items = slices.Grow(e.items, max(count, 8)) // appending a zero value would write it twice
		}
		e.items = e.items[:count+1]
		return &e.items[count]
	}
	item := &e.items[e.slotOf(e.total-1)]
	var zero T
	*item = zero
	return item
}

// undoAdd removes the item that was added last, unless it has replaced another one.
func (e *endsList[T]) undoAdd() {
	if e.total <= e.most {
		e.total--
		clear(e.items[e.total:])
		e.items = e.items[:e.total]
	}
}

// keptItems returns the items kept, in the order of adding. Nothing can be added after it.
func (e *endsList[T]) keptItems() []T {
	if e.total > e.most {
		last := e.items[e.head:]
		oldest := (e.total - e.most) % len(last)
		slices.Reverse(last[:oldest])
		slices.Reverse(last[oldest:])
		slices.Reverse(last)
	}
	return e.items
}

// slotOf returns where the nth item added (from 0) is once the list is full: the last ones take turns behind the head.
func (e *endsList[T]) slotOf(n int) int {
	return e.head + (n-e.head)%(e.most-e.head)
}

// countLost returns how many items are not kept.
func (e *endsList[T]) countLost() int { return e.total - len(e.items) }
