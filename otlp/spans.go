package otlp

// maxSpans is how many spans of one request are kept with their ids. SDKs send at most 512 per request, collectors 8192.
const maxSpans = 16 << 10

// maxAncestors bounds the way up from a span.
const maxAncestors = 64

// spanFields are the fields of a span that are decoded, the most important first. The walk reads its events.
var spanFields = []messageField{
	{1, "traceId"}, {2, "spanId"}, {4, "parentSpanId"}, {6, "kind"}, {7, "startTimeUnixNano"}, {8, "endTimeUnixNano"},
	{5, "name"}, {15, "status"}, {9, "attributes"},
}

// How many of the spanFields remain when a span is too large: all but the attributes, or only those that are not texts.
const (
	withoutAttributes = 8
	withoutTexts      = 6
)

// outlineSpan makes a span small enough to be decoded repeatedly.
func outlineSpan(f form, span sharedText) sharedText {
	for _, n := range []int{len(spanFields), withoutAttributes, withoutTexts} {
		if raw := f.pickFields(span.raw, spanFields[:n]); len(raw) <= maxShared {
			return sharedText{raw, span.number}
		}
	}
	return sharedText{"", span.number}
}

// spanIDs identify a span and its parent.
type spanIDs struct {
	trace, id, parent string
	isServing         bool // it is the server's side of a request
}

type spanKey struct{ trace, id string }

// requestSpans are the spans of a request that has exceptions.
type requestSpans map[spanKey]storedSpan

type storedSpan struct {
	spanIDs
	sharedText // only of a span that serves a request
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

// cutLoops turns a span that is its own ancestor into the outermost, so that every way up ends.
func (s requestSpans) cutLoops() {
	passed := map[spanKey]spanKey{} // spans and the start of the walk that reached them
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

// cutLoopAt cuts a loop above its span with the least id, so that the result is the same when the request is sent again.
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

// eachAbove calls visit with the spans above a span, innermost first, until it returns false. The outermost may belong to another
// request, or to another program.
func (s requestSpans) eachAbove(trace, id string, visit func(id string) bool) {
	for up, n := s[spanKey{trace, id}].parent, 0; up != "" && n < maxAncestors; n++ {
		if !visit(up) {
			return
		}
		up = s[spanKey{trace, up}].parent
	}
}

// findServing returns the span that served the request during a span: that span itself, or the nearest one above it.
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
