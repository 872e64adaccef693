package otlp

// maxSpans is how many spans of one request are known by their ids. SDKs send at most 512 at once, collectors 8192.
const maxSpans = 16 << 10

// maxAncestors bounds the way up from a span.
const maxAncestors = 64

// spanIDs is what a span is known by.
type spanIDs struct {
	trace, id, parent string
	serves            bool // it is the server's side of a request
}

type spanKey struct{ trace, id string }

// spans are those of a request that has exceptions.
type spans map[spanKey]spanIn

type spanIn struct {
	spanIDs
	text
}

func (s spans) add(f form, item text) {
	if ids := f.span(item.raw); ids.id != "" && len(s) < maxSpans {
		s[spanKey{ids.trace, ids.id}] = spanIn{ids, item}
	}
}

// ascend calls visit with the spans above a span, from the inside to the outside, until it returns false. The outermost may
// be of another request, or of another program.
func (s spans) ascend(trace, id string, visit func(id string) bool) {
	for up, n := s[spanKey{trace, id}].parent, 0; up != "" && up != id && n < maxAncestors; n++ {
		if !visit(up) {
			return
		}
		up = s[spanKey{trace, up}].parent
	}
}

// serving returns the span of the request that was being served when a span was recorded: itself, or the nearest above it.
func (s spans) serving(trace, id string) (text, bool) {
	found := s[spanKey{trace, id}]
	s.ascend(trace, id, func(up string) bool {
		if !found.serves {
			found = s[spanKey{trace, up}]
		}
		return !found.serves
	})
	return found.text, found.serves
}
