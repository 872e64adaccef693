package otlp

import (
	"fmt"
	"strconv"
	"strings"

	"errand/core"
	"errand/envelope"
)

// DecodeEvent makes the event of the n-th exception, in the decoder's memory. Call the scrubber and then envelope.LimitEvent, as
// after Decoder.Decode.
func (b *Batch) DecodeEvent(index int, decoder *envelope.Decoder, hints envelope.Hints) (*core.Event, error) {
	details, err := b.readException(&b.found[index])
	if err != nil {
		return nil, err
	}
	w := writer{exception: details, eventID: b.found[index].eventID, sharedBytes: b.sharedBytesOfEach()}
	w.ofResource = shareAttributes(&w, &b.parts.resource)
	if details.within != nil {
		w.ofSpan = shareAttributes(&w, &b.parts.span)
	}
	if span, ok := b.spans.findServing(details.trace, details.span); ok && span.number != b.found[index].span.number {
		if b.mayLoadServing(span) {
			details.serving = loadPart(&b.parts.serving, b.form, span, newSpan)
			w.ofServing = shareAttributes(&w, &b.parts.serving)
		} else {
			details.lost++
		}
	}
	w.ofScope = shareAttributes(&w, &b.parts.scope)
	event, err := decoder.Decode(w.writePayload().AppendJSON(nil), hints)
	if err != nil {
		return nil, err
	}
	if len(event.Exceptions) > 0 && len(event.Exceptions[0].Frames) == 0 && details.stack != "" {
		event.Extra = withText(event.Extra, "exception.stacktrace", details.stack) // no parser could read it: let people
	}
	if lost := details.lost + details.ofException.lost; lost > 0 {
		event.Problems = append(event.Problems,
			core.Problem{Path: "contexts.otel", Reason: strconv.Itoa(lost) + " attributes or values were left out"})
	}
	return event, nil
}

// mayLoadServing reports whether a span may be decoded. Exceptions are in the order of their resources, scopes and spans, but not
// in the order of the spans that served their requests.
func (b *Batch) mayLoadServing(span sharedText) bool {
	if b.parts.serving.number != span.number {
		b.reloaded += len(span.raw)
	}
	return b.reloaded <= maxSharedInAll
}

// shareAttributes copies the attributes of a message into the event, up to the event's bound for shared attributes.
func shareAttributes[M sharedMessage](w *writer, p *sharedPart[M]) attributes {
	a := p.attributes.copyUpTo(w.sharedBytes)
	w.sharedBytes -= a.size
	w.lost += p.lost + a.lost
	return a
}

// withText adds a text to a copy of an object. The object itself must not grow in the decoder's memory.
func withText(v core.Value, key, text string) core.Value {
	members := append(make([]core.Member, 0, len(v.Kids)+1), v.Kids...)
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "")
	return makeObjectOf(append(members, makeTextMember(key, text)))
}

// writer writes an exception as an event of the Sentry protocol.
type writer struct {
	*exception
	eventID     string
	sharedBytes int        // bytes left for values that other events have too
	ofResource  attributes // of the program
	ofScope     attributes // of the instrumentation
	ofSpan      attributes
	ofServing   attributes // of the span that served the request, unless it is the same span
}

// cutName returns the name in a message that other events share.
func (w *writer) cutName(of interface{ GetName() string }) string {
	return cutText(of.GetName(), maxSharedName)
}

// writePayload writes the event. The parts take their attributes from the lists, so their order matters: the remaining attributes
// go to contexts.otel, or to extra when they belong to the exception itself.
func (w *writer) writePayload() core.Value {
	members := append(w.writeProgram(),
		makeTextMember("event_id", w.eventID),
		makeTextMember("level", w.level),
		makeTextMember("message", textOf(w.body)),
		makeTextMember("transaction", w.cutName(w.within)),
		makeMember("exception", w.writeException()),
		makeMember("user", w.writeUser()),
		makeMember("request", w.writeRequest()),
		makeMember("tags", makeObject(
			makeTextMember("service.name", w.ofResource.takeText("service.name")), makeTextMember("otel.scope.name", w.cutName(w.scope)))),
		makeMember("contexts", w.writeContexts()),
		makeMember("extra", makeObjectOf(w.ofException.list)))
	if w.at != 0 {
		members = append(members, makeMember("timestamp", core.Value{Kind: core.Number, Text: formatTime(w.at)}))
	}
	if w.within == nil {
		members = append(members, makeTextMember("logger", w.cutName(w.scope)))
	}
	return makeObject(members...)
}

// formatTime writes a time in nanoseconds in the form of the Sentry protocol.
func formatTime(nanos uint64) string { return fmt.Sprintf("%d.%09d", nanos/1e9, nanos%1e9) }

// writeException writes the exception. The decoder parses its stack, which contains the causes.
func (w *writer) writeException() core.Value {
	module, name := "", w.typ
	switch w.findPlatform() {
	case "java", "android", "kotlin", "scala", "groovy", "clojure", "python", "":
		module, name = splitModule(w.typ)
	}
	mechanism := []core.Member{makeTextMember("type", "opentelemetry")}
	if escaped, err := strconv.ParseBool(strings.ToLower(w.escaped)); err == nil {
		mechanism = append(mechanism, makeMember("handled", core.Value{Kind: core.Bool, Text: strconv.FormatBool(!escaped)}))
	}
	return makeObject(
		makeTextMember("type", name), makeTextMember("value", w.message), makeTextMember("module", module),
		makeTextMember("stack", w.stack),
		makeMember("mechanism", makeObjectOf(mechanism)))
}
