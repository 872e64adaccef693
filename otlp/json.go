package otlp

import (
	"encoding/hex"
	"errors"
	"slices"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"errand/envelope"
)

// jsonForm is OTLP's mapping of protobuf to JSON: that of protobuf, but for the ids, which are in hexadecimal.
type jsonForm struct{}

func (jsonForm) openRequest(body []byte) (string, error) {
	r := envelope.NewReader(body)
	if !r.IsObject() {
		return "", errors.New("the body is not a JSON object")
	}
	raw := r.ReadRaw()
	return raw, r.CheckEnd()
}

func (jsonForm) eachMessage(raw string, of messageField, visit func(string) error) (err error) {
	r := envelope.NewRawReader(raw)
	r.VisitMembers(func(name string) {
		if name != of.name {
			return
		}
		one := func() {
			if message := r.ReadRaw(); err == nil {
				err = visit(message)
			}
		}
		if r.IsObject() {
			one()
		} else {
			r.VisitElements(one)
		}
	})
	return errors.Join(r.CheckEnd(), err)
}

func (jsonForm) readText(raw string, of messageField) (word string, err error) {
	r := envelope.NewRawReader(raw)
	r.VisitMembers(func(name string) {
		if name == of.name {
			word = r.ReadText()
		}
	})
	return word, r.CheckEnd()
}

func (jsonForm) readSpanIDs(raw string) (s spanIDs) {
	r := envelope.NewRawReader(raw)
	r.VisitMembers(func(name string) {
		switch name {
		case "traceId":
			s.trace = idOf(decodeHex(r.ReadText()))
		case "spanId":
			s.id = idOf(decodeHex(r.ReadText()))
		case "parentSpanId":
			s.parent = idOf(decodeHex(r.ReadText()))
		case "kind":
			kind := r.ReadRaw()
			s.isServing = kind == "2" || kind == `"SPAN_KIND_SERVER"`
		}
	})
	return s
}

// The members of each message that protobuf's mapping can read.
var (
	resourceMembers = []string{"attributes"}
	scopeMembers    = []string{"name", "version", "attributes"}
	eventMembers    = []string{"timeUnixNano", "name", "attributes"}
	spanMembers     = []string{"name", "kind", "startTimeUnixNano", "endTimeUnixNano", "status", "attributes"}
	recordMembers   = []string{"timeUnixNano", "observedTimeUnixNano", "severityNumber", "severityText", "body", "eventName", "attributes"}
)

func (f jsonForm) decodeMessage(raw string, into proto.Message) (lost int, err error) {
	switch m := into.(type) {
	case *resourcepb.Resource:
		return f.unmarshalPruned(raw, resourceMembers, m)
	case *commonpb.InstrumentationScope:
		return f.unmarshalPruned(raw, scopeMembers, m)
	case *tracepb.Span_Event:
		return f.unmarshalPruned(raw, eventMembers, m)
	case *tracepb.Span:
		lost, err = f.unmarshalPruned(raw, spanMembers, m)
		m.TraceId, m.SpanId, m.ParentSpanId = f.readID(raw, "traceId"), f.readID(raw, "spanId"), f.readID(raw, "parentSpanId")
	case *logspb.LogRecord:
		lost, err = f.unmarshalPruned(raw, recordMembers, m)
		m.TraceId, m.SpanId = f.readID(raw, "traceId"), f.readID(raw, "spanId")
	}
	return lost, err
}

func (jsonForm) pickFields(raw string, fields []messageField) string {
	b, seen := []byte{'{'}, map[string]bool{}
	r := envelope.NewRawReader(raw)
	r.VisitMembers(func(name string) {
		if !seen[name] && slices.ContainsFunc(fields, func(of messageField) bool { return of.name == name }) {
			seen[name] = true
			b = append(appendName(b, name), r.ReadRaw()...)
		}
	})
	return string(append(b, '}'))
}

var lenientJSON = protojson.UnmarshalOptions{DiscardUnknown: true}

func (jsonForm) unmarshalPruned(raw string, members []string, into proto.Message) (lost int, err error) {
	p := newPruner()
	pruned := p.pruneJSON(nil, raw, members)
	return p.lost, lenientJSON.Unmarshal(pruned, into)
}

// readID reads an id; one that is not hexadecimal is none.
func (f jsonForm) readID(raw, name string) []byte {
	text, _ := f.readText(raw, messageField{name: name})
	return decodeHex(text)
}

func decodeHex(text string) []byte {
	id, err := hex.DecodeString(text)
	if err != nil {
		return nil
	}
	return id
}
