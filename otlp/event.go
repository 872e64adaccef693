package otlp

import (
	"fmt"
	"strconv"
	"strings"

	"errand/core"
	"errand/envelope"
)

// Decode makes the event of the n-th exception, in the decoder's room. Call the scrubber and then envelope.Limit, as after
// Decoder.Decode.
func (b *Batch) Decode(n int, d *envelope.Decoder, h envelope.Hints) (*core.Event, error) {
	x, err := b.exception(&b.found[n])
	if err != nil {
		return nil, err
	}
	if span, ok := b.spans.serving(x.trace, x.span); ok {
		x.serving = load(&b.parts.serving, b.form, span, newSpan)
	}
	w := writer{
		exception: x, eventID: b.found[n].eventID,
		resource: attributesOf(x.resource.GetAttributes(), keptShared),
		scoped:   attributesOf(x.scope.GetAttributes(), keptShared),
		around:   attributesOf(x.within.GetAttributes(), keptShared),
		serving:  attributesOf(x.serving.GetAttributes(), keptShared),
	}
	e, err := d.Decode(w.payload().AppendJSON(nil), h)
	if err != nil {
		return nil, err
	}
	if len(e.Exceptions) > 0 && len(e.Exceptions[0].Frames) == 0 && x.stack != "" {
		e.Extra = withText(e.Extra, "exception.stacktrace", x.stack) // no parser could read it: let people
	}
	if lost := x.lost + b.parts.lost() + w.resource.lost + w.scoped.lost + w.around.lost + w.own.lost; lost > 0 {
		e.Problems = append(e.Problems, core.Problem{Path: "contexts.otel", Reason: strconv.Itoa(lost) + " attributes or values were left out"})
	}
	return e, nil
}

// withText adds a text to an object in the decoder's room, where it must not grow.
func withText(v core.Value, key, text string) core.Value {
	members := append(make([]core.Member, 0, len(v.Kids)+1), v.Kids...)
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "")
	return objectOf(append(members, textMember(key, text)))
}

// writer writes an exception as an event of the Sentry protocol.
type writer struct {
	*exception
	eventID  string
	resource attributes // of what runs the program
	scoped   attributes // of the instrumentation
	around   attributes // of the span
	serving  attributes // of the span of the request that was being served, which may be the same
}

// payload writes the event. The parts take their attributes from the lists, so their order matters: what nobody took stays
// in contexts.otel, or in extra when it belongs to the exception itself.
func (w *writer) payload() core.Value {
	members := append(w.program(),
		textMember("event_id", w.eventID),
		textMember("level", w.level),
		textMember("message", textOf(w.body)),
		textMember("transaction", w.within.GetName()),
		member("exception", w.exceptionValue()),
		member("user", w.user()),
		member("request", w.request()),
		member("tags", object(
			textMember("service.name", w.resource.takeText("service.name")), textMember("otel.scope.name", w.scope.GetName()))),
		member("contexts", w.contexts()),
		member("extra", objectOf(w.own.list)))
	if w.at != 0 {
		members = append(members, member("timestamp", core.Value{Kind: core.Number, Text: seconds(w.at)}))
	}
	if w.within == nil {
		members = append(members, textMember("logger", w.scope.GetName()))
	}
	return object(members...)
}

// seconds writes a time in nanoseconds as the Sentry protocol does.
func seconds(nanos uint64) string { return fmt.Sprintf("%d.%09d", nanos/1e9, nanos%1e9) }

// exceptionValue writes the exception. The decoder parses its stack, which brings the causes.
func (w *writer) exceptionValue() core.Value {
	module, name := "", w.typ
	switch w.platform() {
	case "java", "android", "kotlin", "scala", "groovy", "clojure", "python", "":
		module, name = splitModule(w.typ)
	}
	mechanism := []core.Member{textMember("type", "opentelemetry")}
	if escaped, err := strconv.ParseBool(strings.ToLower(w.escaped)); err == nil {
		mechanism = append(mechanism, member("handled", core.Value{Kind: core.Bool, Text: strconv.FormatBool(!escaped)}))
	}
	return object(
		textMember("type", name), textMember("value", w.message), textMember("module", module), textMember("stack", w.stack),
		member("mechanism", objectOf(mechanism)))
}
