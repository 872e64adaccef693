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

// jsonForm is OTLP's JSON: protobuf's JSON with ids in hexadecimal.
type jsonForm struct{}

func (jsonForm) openRequest(body []byte) (string, error) {
	reader := envelope.NewReader(body)
	if !reader.IsObject() {
		return "", errors.New("the body is not a JSON object")
	}
	raw := reader.ReadRaw()
	return raw, reader.CheckEnd()
}

func (jsonForm) eachMessage(raw string, of messageField, visit func(string) error) (err error) {
	reader := envelope.NewRawReader(raw)
	reader.VisitMembers(func(name string) {
		if name != of.name {
			return
		}
		one := func() {
			if message := reader.ReadRaw(); err == nil {
				err = visit(message)
			}
		}
		if reader.IsObject() {
			one()
		} else {
			reader.VisitElements(one)
		}
	})
	return errors.Join(reader.CheckEnd(), err)
}

func (jsonForm) readText(raw string, of messageField) (word string, err error) {
	reader := envelope.NewRawReader(raw)
	reader.VisitMembers(func(name string) {
		if name == of.name {
			word = reader.ReadText()
		}
	})
	return word, reader.CheckEnd()
}

func (jsonForm) readSpanIDs(raw string) (ids spanIDs) {
	reader := envelope.NewRawReader(raw)
	reader.VisitMembers(func(name string) {
		switch name {
		case "traceId":
			ids.trace = idOf(decodeHex(reader.ReadText()))
		case "spanId":
			ids.id = idOf(decodeHex(reader.ReadText()))
		case "parentSpanId":
			ids.parent = idOf(decodeHex(reader.ReadText()))
		case "kind":
			kind := reader.ReadRaw()
			ids.isServing = kind == "2" || kind == `"SPAN_KIND_SERVER"`
		}
	})
	return ids
}

// The members of each message that the JSON reader of protobuf accepts.
var (
	resourceMembers = []string{"attributes"}
	scopeMembers    = []string{"name", "version", "attributes"}
	eventMembers    = []string{"timeUnixNano", "name", "attributes"}
	spanMembers     = []string{"name", "kind", "startTimeUnixNano", "endTimeUnixNano", "status", "attributes"}
	recordMembers   = []string{"timeUnixNano", "observedTimeUnixNano", "severityNumber", "severityText", "body", "eventName", "attributes"}
)

func (f jsonForm) decodeMessage(raw string, into proto.Message) (lost int, err error) {
	switch message := into.(type) {
	case *resourcepb.Resource:
		return f.unmarshalPruned(raw, resourceMembers, message)
	case *commonpb.InstrumentationScope:
		return f.unmarshalPruned(raw, scopeMembers, message)
	case *tracepb.Span_Event:
		return f.unmarshalPruned(raw, eventMembers, message)
	case *tracepb.Span:
		lost, err = f.unmarshalPruned(raw, spanMembers, message)
		message.TraceId, message.SpanId, message.ParentSpanId = f.readID(raw, "traceId"), f.readID(raw, "spanId"),
			f.readID(raw, "parentSpanId")
	case *logspb.LogRecord:
		lost, err = f.unmarshalPruned(raw, recordMembers, message)
		message.TraceId, message.SpanId = f.readID(raw, "traceId"), f.readID(raw, "spanId")
	}
	return lost, err
}

func (jsonForm) pickFields(raw string, fields []messageField) string {
	buf, seen := []byte{'{'}, map[string]bool{}
	r := envelope.NewRawReader(raw)
	r.VisitMembers(func(name string) {
		if !seen[name] && slices.ContainsFunc(fields, func(of messageField) bool { return of.name == name }) {
			seen[name] = true
			buf = append(appendName(buf, name), r.ReadRaw()...)
		}
	})
	return string(append(buf, '}'))
}

var lenientJSON = protojson.UnmarshalOptions{DiscardUnknown: true}

func (jsonForm) unmarshalPruned(raw string, members []string, into proto.Message) (lost int, err error) {
	p := newPruner()
	pruned := p.pruneJSON(nil, raw, members)
	if lenientJSON.Unmarshal(pruned, into) == nil {
		return p.lost, nil
	}
	readable, dropped := dropUnreadable(string(pruned), into)
	return p.lost + dropped, lenientJSON.Unmarshal(readable, into)
}

// dropUnreadable returns an object without the members, and without the elements of their lists, that a message cannot have: a number
// without end, a null among attributes. One bad attribute does not take an exception with it.
func dropUnreadable(object string, of proto.Message) (readable []byte, dropped int) {
	readable = []byte{'{'}
	isReadable := func(name, value string) bool {
		alone := append(append(appendName([]byte{'{'}, name), value...), '}')
		return lenientJSON.Unmarshal(alone, of.ProtoReflect().New().Interface()) == nil
	}
	members := envelope.NewRawReader(object)
	members.VisitMembers(func(name string) {
		value := members.ReadRaw()
		switch {
		case isReadable(name, value):
		case value[0] == '[':
			list := []byte{'['}
			elements := envelope.NewRawReader(value)
			elements.VisitElements(func() {
				if element := elements.ReadRaw(); isReadable(name, "["+element+"]") {
					list = append(appendComma(list, '['), element...)
				} else {
					dropped++
				}
			})
			value = string(append(list, ']'))
		default:
			dropped++
			return
		}
		readable = append(appendName(readable, name), value...)
	})
	return append(readable, '}'), dropped
}

// readID reads an id; it is empty when it is not hexadecimal.
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
