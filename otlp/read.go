package otlp

import (
	"strings"

	"errand/core"
)

// MaxExceptions is how many exceptions of one request are read. SDKs send at most 512 spans or log records per request.
const MaxExceptions = 1000

// maxMessage is the largest event or log record with an exception, in bytes; a larger one is rejected.
const maxMessage = 1 << 20

// Signal is the kind of data that a request exports.
type Signal struct {
	Name         string // as in the path
	path         [3]messageField
	sharedFields [2]messageField // the resource and the scope, in the messages above the items
}

// The signals that may have exceptions.
var (
	Traces = Signal{"traces", [3]messageField{{1, "resourceSpans"}, {2, "scopeSpans"}, {2, "spans"}}, sharedFields}
	Logs   = Signal{"logs", [3]messageField{{1, "resourceLogs"}, {2, "scopeLogs"}, {2, "logRecords"}}, sharedFields}
)

var sharedFields = [2]messageField{{1, "resource"}, {1, "scope"}}

// The fields of spans, their events, log records and attributes that the walk reads.
var (
	spanEvents       = messageField{11, "events"}
	eventName        = messageField{2, "name"}
	eventAttributes  = messageField{3, "attributes"}
	recordAttributes = messageField{6, "attributes"}
	attributeKey     = messageField{1, "key"}
)

// Batch holds the exceptions of a request.
type Batch struct {
	Items      int    // spans or log records, with and without exceptions
	Rejected   int    // exceptions that were not taken
	Reason     string // why the last of them was not taken
	Failure    error  // why the last unreadable exception could not be read, not for the sender; nil when all could
	signal     Signal
	form       form
	found      []foundException
	spans      requestSpans
	parts      sharedParts
	eventBytes int
	reloaded   int // bytes of decoded spans that served requests, counted each time
}

// foundException is an exception and its position, each as the text of its message.
type foundException struct {
	resource, scope, span sharedText
	leaf                  string // the span event or log record
	eventID               string
}

// sharedText is the text of a message that several exceptions share, numbered so that it is decoded once.
type sharedText struct {
	raw    string
	number int
}

// ReadRequest finds the exceptions of a request. Its only error is a text in the wrong encoding; the error may be sent to the
// client. It keeps nothing of body.
func ReadRequest(body []byte, e Encoding, signal Signal) (*Batch, error) {
	b := &Batch{signal: signal, form: e.chooseForm()}
	raw, err := b.form.openRequest(body)
	if err == nil {
		err = b.walkItems(raw, b.visitItem)
	}
	if err != nil {
		return nil, core.RefuseField("", "%s", err)
	}
	if len(b.found) > 0 && signal.Name == Traces.Name {
		b.spans = requestSpans{}
		_ = b.walkItems(raw, func(_ foundException, item sharedText) error { b.spans.addSpan(b.form, item); return nil })
		b.spans.cutLoops()
	}
	b.keepDistinct()
	b.measureEvents()
	return b, nil
}

// Len returns the number of exceptions for DecodeEvent.
func (b *Batch) Len() int { return len(b.found) }

// EventBytes returns about how many bytes the events take, which can be many times the size of the request.
func (b *Batch) EventBytes() int { return b.eventBytes }

// measureEvents computes the size. Each event has the text of its exception and a copy of the parts that it shares with others.
func (b *Batch) measureEvents() {
	const perEvent = 512 // names, ids, times
	serving := 0
	for _, s := range b.spans {
		serving = max(serving, min(len(s.raw), keptShared))
	}
	for i := range b.found {
		found := &b.found[i]
		shared := serving
		for _, part := range []sharedText{found.resource, found.scope, found.span} {
			shared += min(len(part.raw), keptShared)
		}
		b.eventBytes += perEvent + len(found.leaf) + min(shared, b.sharedBytesOfEach())
	}
}

// sharedBytesOfEach is how many bytes of shared parts an event may have.
func (b *Batch) sharedBytesOfEach() int {
	return min(4*keptShared, maxSharedInAll/max(1, len(b.found)))
}

// walkItems walks over the resources, the scopes and the spans or log records below them, and calls visit with each of the last.
func (b *Batch) walkItems(raw string, visit func(at foundException, item sharedText) error) error {
	groups, scopes, items := 0, 0, 0
	return b.form.eachMessage(raw, b.signal.path[0], func(group string) error {
		groups++
		resource, err := lastMessage(b.form, group, b.signal.sharedFields[0])
		if err != nil {
			return err
		}
		return b.form.eachMessage(group, b.signal.path[1], func(scoped string) error {
			scopes++
			scope, err := lastMessage(b.form, scoped, b.signal.sharedFields[1])
			if err != nil {
				return err
			}
			return b.form.eachMessage(scoped, b.signal.path[2], func(item string) error {
				items++
				b.Items = items
				return visit(foundException{resource: sharedText{resource, groups}, scope: sharedText{scope, scopes}},
					sharedText{item, items})
			})
		})
	})
}

// visitItem notes the exceptions of a span, or of a log record that has one.
func (b *Batch) visitItem(at foundException, item sharedText) error {
	switch {
	case !mentionsException(item.raw):
		return nil
	case b.signal.Name == Logs.Name:
		at.leaf = item.raw
		has, err := describesException(b.form, item.raw, recordAttributes)
		if has {
			b.addException(at)
		}
		return err
	}
	return b.visitEvents(at, item)
}

func (b *Batch) visitEvents(at foundException, span sharedText) error {
	return b.form.eachMessage(span.raw, spanEvents, func(event string) error {
		if !mentionsException(event) {
			return nil
		}
		name, err := b.form.readText(event, eventName)
		if name != exceptionName || err != nil {
			return err
		}
		has, err := describesException(b.form, event, eventAttributes)
		if !has || err != nil {
			b.rejectException(emptyReason)
			return err
		}
		if at.span.number == 0 {
			at.span = outlineSpan(b.form, span)
		}
		at.leaf = event
		b.addException(at)
		return nil
	})
}

// describesException reports whether a message has an attribute that describes the exception. Without one it does not count as an
// exception.
func describesException(encoded form, raw string, attributes messageField) (has bool, err error) {
	err = encoded.eachMessage(raw, attributes, func(attribute string) error {
		if has || !mentionsException(attribute) {
			return nil
		}
		key, err := encoded.readText(attribute, attributeKey)
		has = key == "exception.type" || key == "exception.message" || key == "exception.stacktrace"
		return err
	})
	return has, err
}

const emptyReason = "an exception has neither type nor message nor stacktrace"

// exceptionName is the name of span events that are exceptions, and the prefix of their attributes.
const exceptionName = "exception"

// mentionsException is a very cheap check of a message, because most messages are about something else.
func mentionsException(raw string) bool { return strings.Contains(raw, exceptionName) }

func (b *Batch) addException(found foundException) {
	switch {
	case len(found.leaf) > maxMessage:
		b.rejectException("an exception has more than 1 MB")
	case len(b.found) == MaxExceptions:
		b.rejectException("there are more than 1000 exceptions in one request")
	default:
		b.found = append(b.found, found)
	}
}

func (b *Batch) rejectException(reason string) {
	b.Rejected++
	b.Reason = reason
}

// lastMessage returns the text of the message in a field, empty without one. The last of several counts.
func lastMessage(f form, raw string, of messageField) (last string, err error) {
	err = f.eachMessage(raw, of, func(message string) error {
		last = message
		return nil
	})
	return last, err
}
