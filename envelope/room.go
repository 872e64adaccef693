package envelope

import "errand/core"

// maxRoom is how many elements of a kind a decoder keeps room for: one giant must not occupy memory for ever.
const maxRoom = 1024

// room is what a decoder uses again from event to event: the last event with all that hangs on it, and scratch. Between
// two events it holds zero values.
type room struct {
	event   core.Event
	request core.Request
	kids    slab[core.Member]
	texts   slab[core.Untrusted]
	calls   slab[core.Frame]
	chain   slab[core.Exception]
	caught  slab[core.Mechanism]
	crumbs  ends[core.Breadcrumb] // of the event

	// Scratch.

	stack      []core.Member    // the members of the containers that are being read
	deepest    int              // how much of the stack was in use
	lines      []core.Untrusted // the texts of the list that is being read
	frames     ends[frame]
	exceptions ends[exception]
	undecided  []undecided // the frames whose in_app is for us to tell
	path       path
}

func (r *room) reset() {
	r.event, r.request = core.Event{}, core.Request{}
	r.kids.reset()
	r.texts.reset()
	r.calls.reset()
	r.chain.reset()
	r.caught.reset()
	r.crumbs.reset(0, 1)
	r.stack, r.deepest = emptied(r.stack[:max(r.deepest, len(r.stack))]), 0
	r.lines = emptied(r.lines)
	r.frames.reset(0, 1)
	r.exceptions.reset(0, 1)
	r.undecided = emptied(r.undecided)
	r.path = emptied(r.path)
}

// emptied makes a list that is empty, with the room of one that is needed no more.
func emptied[T any](list []T) []T {
	if cap(list) > maxRoom {
		return nil
	}
	clear(list)
	return list[:0]
}

// slab hands out room for the many small lists of an event from few allocations.
type slab[T any] struct{ room []T } // beyond its length it holds zero values

// take gives room for a list of n zero values, which cannot grow.
func (s *slab[T]) take(n int) []T {
	if n == 0 {
		return nil
	}
	if cap(s.room)-len(s.room) < n {
		s.room = make([]T, 0, max(n, 8, min(2*cap(s.room), maxRoom)))
	}
	start := len(s.room)
	s.room = s.room[:start+n]
	return s.room[start : start+n : start+n]
}

// keep copies a list.
func (s *slab[T]) keep(list []T) []T {
	kept := s.take(len(list))
	copy(kept, list)
	return kept
}

func (s *slab[T]) reset() { s.room = emptied(s.room) }
