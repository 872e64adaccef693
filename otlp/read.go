package otlp

import (
	"strings"

	"errand/core"
)

// MaxExceptions is how many exceptions of one request are looked at. SDKs send at most 512 spans or log records at once.
const MaxExceptions = 1000

// maxMessage is the largest event or log record with an exception, in bytes; a larger one is rejected.
const maxMessage = 1 << 20

// Signal is what a request exports.
type Signal struct {
	Name  string // as in the path
	path  [3]field
	about [2]field // the resource and the scope, in the messages on the way
}

// The signals that may have exceptions.
var (
	Traces = Signal{"traces", [3]field{{1, "resourceSpans"}, {2, "scopeSpans"}, {2, "spans"}}, about}
	Logs   = Signal{"logs", [3]field{{1, "resourceLogs"}, {2, "scopeLogs"}, {2, "logRecords"}}, about}
)

var about = [2]field{{1, "resource"}, {1, "scope"}}

// The fields of spans, their events, log records and attributes that are read on the way.
var (
	spanEvents       = field{11, "events"}
	eventName        = field{2, "name"}
	eventAttributes  = field{3, "attributes"}
	recordAttributes = field{6, "attributes"}
	attributeKey     = field{1, "key"}
)

// Batch is what a request has of exceptions.
type Batch struct {
	Items    int    // spans or log records, with and without exceptions
	Rejected int    // exceptions that were not taken
	Reason   string // why the last of them was not
	Failure  error  // why the last that could not be read could not, which is not for the sender; nil for none
	signal   Signal
	form     form
	found    []foundException
	spans    spans
	parts    parts
	size     int
	reloaded int // bytes of the spans that were served, as often as they were decoded
}

// foundException is an exception and where it stands, each as the text of its message.
type foundException struct {
	resource, scope, span text
	leaf                  string // the span event or log record
	eventID               string
}

// text is the text of a message that several exceptions share, numbered so that it is decoded once.
type text struct {
	raw    string
	number int
}

// Read finds the exceptions of a request. Its only error is a text that is not of the encoding, which is fit for the sender.
// It keeps nothing of body.
func Read(body []byte, e Encoding, s Signal) (*Batch, error) {
	b := &Batch{signal: s, form: e.form()}
	raw, err := b.form.open(body)
	if err == nil {
		err = b.walk(raw, b.visit)
	}
	if err != nil {
		return nil, core.Invalid("", "%s", err)
	}
	if len(b.found) > 0 && s.Name == Traces.Name {
		b.spans = spans{}
		_ = b.walk(raw, func(_ foundException, item text) error { b.spans.add(b.form, item); return nil })
		b.spans.cutLoops()
	}
	b.settle()
	b.measure()
	return b, nil
}

// Len is how many exceptions Decode can be asked for.
func (b *Batch) Len() int { return len(b.found) }

// Size is about how many bytes the events take, which can be many times the size of the request.
func (b *Batch) Size() int { return b.size }

// measure finds the size. Each event has what its exception says and a copy of what it shares with others.
func (b *Batch) measure() {
	const perEvent = 512 // names, ids, times
	serving := 0
	for _, s := range b.spans {
		serving = max(serving, min(len(s.raw), keptShared))
	}
	for i := range b.found {
		f := &b.found[i]
		shared := serving
		for _, part := range []text{f.resource, f.scope, f.span} {
			shared += min(len(part.raw), keptShared)
		}
		b.size += perEvent + len(f.leaf) + min(shared, b.roomOfEach())
	}
}

// roomOfEach is how many bytes an event may have of what exceptions share.
func (b *Batch) roomOfEach() int { return min(4*keptShared, maxSharedInAll/max(1, len(b.found))) }

// walk passes the resources, the scopes and the spans or log records below them, and calls visit with each of the last.
func (b *Batch) walk(raw string, visit func(at foundException, item text) error) error {
	groups, scopes, items := 0, 0, 0
	return b.form.each(raw, b.signal.path[0], func(group string) error {
		groups++
		resource, err := lastMessage(b.form, group, b.signal.about[0])
		if err != nil {
			return err
		}
		return b.form.each(group, b.signal.path[1], func(scoped string) error {
			scopes++
			scope, err := lastMessage(b.form, scoped, b.signal.about[1])
			if err != nil {
				return err
			}
			return b.form.each(scoped, b.signal.path[2], func(item string) error {
				items++
				b.Items = items
				return visit(foundException{resource: text{resource, groups}, scope: text{scope, scopes}}, text{item, items})
			})
		})
	})
}

// visit notes the exceptions of a span, or a log record that has one.
func (b *Batch) visit(at foundException, item text) error {
	switch {
	case !mentionsException(item.raw):
		return nil
	case b.signal.Name == Logs.Name:
		at.leaf = item.raw
		has, err := describesException(b.form, item.raw, recordAttributes)
		if has {
			b.add(at)
		}
		return err
	}
	return b.visitEvents(at, item)
}

func (b *Batch) visitEvents(at foundException, span text) error {
	return b.form.each(span.raw, spanEvents, func(event string) error {
		if !mentionsException(event) {
			return nil
		}
		name, err := b.form.word(event, eventName)
		if name != exceptionName || err != nil {
			return err
		}
		has, err := describesException(b.form, event, eventAttributes)
		if !has || err != nil {
			b.reject(saysNothing)
			return err
		}
		if at.span.number == 0 {
			at.span = outlined(b.form, span)
		}
		at.leaf = event
		b.add(at)
		return nil
	})
}

// describesException reports whether a message has an attribute that says what the exception is. Without one it is none, and
// takes no place of one.
func describesException(f form, raw string, attributes field) (has bool, err error) {
	err = f.each(raw, attributes, func(attribute string) error {
		if has || !mentionsException(attribute) {
			return nil
		}
		key, err := f.word(attribute, attributeKey)
		has = key == "exception.type" || key == "exception.message" || key == "exception.stacktrace"
		return err
	})
	return has, err
}

const saysNothing = "an exception has neither type nor message nor stacktrace"

// exceptionName is the name of span events that are exceptions, and how their attributes begin.
const exceptionName = "exception"

// mentionsException is a look at a message that costs next to nothing, as most are about something else.
func mentionsException(raw string) bool { return strings.Contains(raw, exceptionName) }

func (b *Batch) add(f foundException) {
	switch {
	case len(f.leaf) > maxMessage:
		b.reject("an exception has more than 1 MB")
	case len(b.found) == MaxExceptions:
		b.reject("there are more than 1000 exceptions in one request")
	default:
		b.found = append(b.found, f)
	}
}

func (b *Batch) reject(reason string) {
	b.Rejected++
	b.Reason = reason
}

// lastMessage returns the text of the message in a field, empty for none. Of several the last one counts.
func lastMessage(f form, raw string, of field) (last string, err error) {
	err = f.each(raw, of, func(message string) error {
		last = message
		return nil
	})
	return last, err
}
