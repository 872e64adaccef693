package otlp

// maxSpans is how many spans of one request are kept with their ids. SDKs send at most 512 at once, collectors 8192.
const maxSpans = 16 << 10

// maxAncestors bounds the way up from a span.
const maxAncestors = 64

// spanFields are what of a span is decoded, beginning with what matters most. The walk has taken its events apart.
var spanFields = []messageField{
	{1, "traceId"}, {2, "spanId"}, {4, "parentSpanId"}, {6, "kind"}, {7, "startTimeUnixNano"}, {8, "endTimeUnixNano"},
	{5, "name"}, {15, "status"}, {9, "attributes"},
}

// How many of the spanFields are left when a span is too large: all but the attributes, and nothing that is a text.
const (
	withoutAttributes = 8
	withoutTexts      = 6
)

// outlineSpan makes a span small enough to be decoded again and again.
func outlineSpan(f form, span sharedText) sharedText {
	for _, n := range []int{len(spanFields), withoutAttributes, withoutTexts} {
		if raw := f.pickFields(span.raw, spanFields[:n]); len(raw) <= maxShared {
			return sharedText{raw, span.number}
		}
	}
	return sharedText{"", span.number}
}

// spanIDs is what identifies a span.
type spanIDs struct {
	trace, id, parent string
	isServing         bool // it is the server's side of a request
}

type spanKey struct{ trace, id string }

// requestSpans are those of a request that has exceptions.
type requestSpans map[spanKey]storedSpan

type storedSpan struct {
	spanIDs
	sharedText // only of a span that serves
}

func (s requestSpans) addSpan(encoded form, item sharedText) {
	ids := encoded.readSpanIDs(item.raw)
	if ids.id == "" || len(s) >= maxSpans {
		return
	}
	stored := storedSpan{spanIDs: ids}
	if ids.isServing {
		stored.sharedText = outlineSpan(encoded, item)
	}
	s[spanKey{ids.trace, ids.id}] = stored
}

// cutLoops makes a span that is above itself the outermost, so that every way up has an end.
func (s requestSpans) cutLoops() {
	passed := map[spanKey]spanKey{} // by which way, named by the span that it began at
	for start := range s {
		for at := start; ; {
			span, isStored := s[at]
			if !isStored {
				break
			}
			if way, wasPassed := passed[at]; wasPassed {
				if way == start {
					s.cutLoopAt(at)
				}
				break
			}
			passed[at] = start
			at = spanKey{span.trace, span.parent}
		}
	}
}

// cutLoopAt cuts a loop above the span of it that has the least id, so that it is the same whenever the request is sent again.
func (s requestSpans) cutLoopAt(start spanKey) {
	least := start
	for at := (spanKey{start.trace, s[start].parent}); at != start; at = (spanKey{at.trace, s[at].parent}) {
		if at.id < least.id {
			least = at
		}
	}
	span := s[least]
	span.parent = ""
	s[least] = span
}

// eachAbove calls visit with the spans above a span, from the inside to the outside, until it returns false. The outermost may
// be of another request, or of another program.
func (s requestSpans) eachAbove(trace, id string, visit func(id string) bool) {
	for up, n := s[spanKey{trace, id}].parent, 0; up != "" && n < maxAncestors; n++ {
		if !visit(up) {
			return
		}
		up = s[spanKey{trace, up}].parent
	}
}

// findServing returns the span of the request that was being served when a span was recorded: itself, or the nearest above it.
func (s requestSpans) findServing(trace, id string) (sharedText, bool) {
	nearest := s[spanKey{trace, id}]
	s.eachAbove(trace, id, func(up string) bool {
		if !nearest.isServing {
			nearest = s[spanKey{trace, up}]
		}
		return !nearest.isServing
	})
	return nearest.sharedText, nearest.isServing
}
