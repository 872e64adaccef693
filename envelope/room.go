package envelope

import "errand/core"

// maxRoom is how many elements of a kind a decoder keeps memory for: one giant event must not occupy it forever.
const maxRoom = 1024

// keptRoom holds the last event and all its parts: an event is valid until the decoder reads the next one. Between two events it
// holds zero values.
type keptRoom struct {
	event       core.Event
	request     core.Request // of the event
	members     slab[core.Member]
	texts       slab[core.Untrusted]
	frames      slab[core.Frame]
	exceptions  slab[core.Exception]
	mechanisms  slab[core.Mechanism]
	breadcrumbs endsList[core.Breadcrumb]
}

func (r *keptRoom) startOver() {
	r.event, r.request = core.Event{}, core.Request{}
	r.members.startOver()
	r.texts.startOver()
	r.frames.startOver()
	r.exceptions.startOver()
	r.mechanisms.startOver()
	r.breadcrumbs.startOver(0, 1)
}

// scratchRoom holds lists while they are read. Between two events it holds zero values.
type scratchRoom struct {
	texts      []core.Untrusted
	frames     endsList[sentFrame]
	exceptions endsList[sentException]
	undecided  []undecidedFrame // whose in_app the SDK left open
}

func (r *scratchRoom) startOver() {
	r.texts = emptyList(r.texts)
	r.frames.startOver(0, 1)
	r.exceptions.startOver(0, 1)
	r.undecided = emptyList(r.undecided)
}

// memberStack holds the members of the containers that are being read; the innermost container's are last.
type memberStack struct {
	members []core.Member
	longest int // how much of the stack has been used, and may not be zero
}

func (s *memberStack) startOver() {
	s.members, s.longest = emptyList(s.members[:max(s.longest, len(s.members))]), 0
}

func (s *memberStack) push(member core.Member) { s.members = append(s.members, member) }

// from returns the members from an index on.
func (s *memberStack) from(mark int) []core.Member { return s.members[mark:] }

// cutTo keeps the first members and drops the others.
func (s *memberStack) cutTo(length int) {
	s.longest = max(s.longest, len(s.members))
	s.members = s.members[:length]
}

// emptyList returns an empty list in the memory of one that is no longer needed.
func emptyList[T any](list []T) []T {
	if cap(list) > maxRoom {
		return nil
	}
	clear(list)
	return list[:0]
}

// slab makes the many small lists of an event with few allocations.
type slab[T any] struct{ room []T } // beyond its length it holds zero values

// takeRoom returns a list of zero values, which cannot grow.
func (s *slab[T]) takeRoom(count int) []T {
	if count == 0 {
		return nil
	}
	if cap(s.room)-len(s.room) < count {
		s.room = make([]T, 0, max(count, 8, min(2*cap(s.room), maxRoom)))
	}
	start := len(s.room)
	s.room = s.room[:start+count]
	return s.room[start : start+count : start+count]
}

// copyList copies a list.
func (s *slab[T]) copyList(list []T) []T {
	kept := s.takeRoom(len(list))
	copy(kept, list)
	return kept
}

func (s *slab[T]) startOver() { s.room = emptyList(s.room) }
