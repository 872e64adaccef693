package otlp

import (
	"encoding/hex"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"errand/core"
)

// exception is one exception with everything known about its circumstances.
type exception struct {
	typ, message, stack string
	escaped             string
	trace, span, parent string
	service             string
	at                  uint64 // in nanoseconds since 1970; 0 for unknown
	level               string
	ofException         attributes // of the span event or log record, without exception.*
	body                core.Value // of the log record
	resource            *resourcepb.Resource
	scope               *commonpb.InstrumentationScope
	within              *tracepb.Span // nil for a log record
	serving             *tracepb.Span // that served the request; nil when unknown
	lost                int           // values beyond the bounds
}

// sharedParts holds the last decoded messages, which consecutive exceptions share.
type sharedParts struct {
	resource sharedPart[*resourcepb.Resource]
	scope    sharedPart[*commonpb.InstrumentationScope]
	span     sharedPart[*tracepb.Span]
	serving  sharedPart[*tracepb.Span]
}

// sharedMessage is a resource, a scope or a span.
type sharedMessage interface {
	proto.Message
	GetAttributes() []*commonpb.KeyValue
}

type sharedPart[M sharedMessage] struct {
	number     int
	message    M
	attributes attributes // of at most keptShared bytes
	lost       int        // values beyond the bounds
}

// loadPart decodes a shared message. One that cannot be read is treated as empty, so that its exceptions are not lost.
func loadPart[M sharedMessage](part *sharedPart[M], f form, from sharedText, empty func() M) M {
	if part.number != from.number {
		part.number, part.message = from.number, empty()
		lost, err := f.decodeMessage(from.raw, part.message)
		if part.lost = lost; err != nil {
			part.message = empty()
		}
		part.attributes = attributesOf(part.message.GetAttributes(), keptShared)
	}
	return part.message
}

// readException decodes an exception that the walk found.
func (b *Batch) readException(found *foundException) (*exception, error) {
	details := &exception{level: "error"}
	details.resource = loadPart(&b.parts.resource, b.form, dropTooLarge(found.resource), newResource)
	details.scope = loadPart(&b.parts.scope, b.form, dropTooLarge(found.scope), newScope)
	for _, pair := range details.resource.GetAttributes() {
		if pair.GetKey() == "service.name" {
			details.service = cutText(pair.GetValue().GetStringValue(), maxSharedName)
		}
	}
	err := error(nil)
	if b.signal.Name == Logs.Name {
		err = details.readRecord(b.form, found)
	} else {
		details.within = loadPart(&b.parts.span, b.form, found.span, newSpan)
		err = details.readEvent(b.form, found)
	}
	details.typ = strings.TrimSpace(details.ofException.takeText("exception.type"))
	details.message, details.stack = details.ofException.takeText("exception.message"), details.ofException.takeText("exception.stacktrace")
	details.escaped = details.ofException.takeText("exception.escaped")
	return details, err
}

func newResource() *resourcepb.Resource        { return new(resourcepb.Resource) }
func newScope() *commonpb.InstrumentationScope { return new(commonpb.InstrumentationScope) }
func newSpan() *tracepb.Span                   { return new(tracepb.Span) }

// dropTooLarge leaves out a message that is too large, or absent.
func dropTooLarge(t sharedText) sharedText {
	if len(t.raw) > maxShared {
		t.raw = ""
	}
	return t
}

func (x *exception) readEvent(f form, at *foundException) error {
	event := new(tracepb.Span_Event)
	lost, err := f.decodeMessage(at.leaf, event)
	if x.lost = lost; err != nil {
		return err
	}
	x.ofException = attributesOf(event.GetAttributes(), maxMessage)
	x.trace, x.span, x.parent = idOf(x.within.GetTraceId()), idOf(x.within.GetSpanId()), idOf(x.within.GetParentSpanId())
	x.at = firstSet(event.GetTimeUnixNano(), x.within.GetEndTimeUnixNano(), x.within.GetStartTimeUnixNano())
	return nil
}

func (x *exception) readRecord(f form, at *foundException) error {
	record := new(logspb.LogRecord)
	lost, err := f.decodeMessage(at.leaf, record)
	if x.lost = lost; err != nil {
		return err
	}
	x.ofException = attributesOf(record.GetAttributes(), maxMessage)
	x.body = valueOf(record.GetBody(), 0)
	x.trace, x.span = idOf(record.GetTraceId()), idOf(record.GetSpanId())
	x.at = firstSet(record.GetTimeUnixNano(), record.GetObservedTimeUnixNano())
	x.level = levelOf(record)
	return nil
}

// idOf writes an id. It is empty when the id has only zeros or is longer than ids are.
func idOf(id []byte) string {
	const longest = 16
	text := hex.EncodeToString(id[:min(len(id), longest)])
	if strings.Trim(text, "0") == "" || len(id) > longest {
		return ""
	}
	return text
}

func firstSet(times ...uint64) uint64 {
	for _, at := range times {
		if at != 0 {
			return at
		}
	}
	return 0
}

// levelOf reads the severity: a number, where each range of four is a level, or else its name, which the event's decoder reads.
func levelOf(record *logspb.LogRecord) string {
	switch n := record.GetSeverityNumber(); {
	case n >= logspb.SeverityNumber_SEVERITY_NUMBER_FATAL:
		return "fatal"
	case n >= logspb.SeverityNumber_SEVERITY_NUMBER_ERROR:
		return "error"
	case n >= logspb.SeverityNumber_SEVERITY_NUMBER_WARN:
		return "warning"
	case n >= logspb.SeverityNumber_SEVERITY_NUMBER_INFO:
		return "info"
	case n >= logspb.SeverityNumber_SEVERITY_NUMBER_TRACE:
		return "debug"
	}
	if name := strings.TrimSpace(record.GetSeverityText()); name != "" {
		return name
	}
	return "error"
}

// splitModule splits the name of a type in Java or Python into its module and the rest. It splits only names of this form: a type
// of Go such as *fs.PathError is one name, and so is one of PHP, Ruby or .NET.
func splitModule(name string) (module, typ string) {
	if strings.ContainsAny(name, " *&[]{}()<>:/\\") {
		return "", name
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 && i < len(name)-1 {
		return name[:i], name[i+1:]
	}
	return "", name
}
