package otlp

import (
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"errand/envelope"
)

// jsonForm is OTLP's mapping of protobuf to JSON: that of protobuf, but for the ids, which are in hexadecimal.
type jsonForm struct{}

func (jsonForm) open(body []byte) (string, error) {
	r := envelope.NewReader(body)
	if !r.IsObject() {
		return "", errors.New("the body is not a JSON object")
	}
	raw := r.Raw()
	return raw, r.End()
}

func (jsonForm) each(raw string, of field, visit func(string) error) (err error) {
	r := envelope.ReadRaw(raw)
	r.Members(func(name string) {
		if name != of.name {
			return
		}
		one := func() {
			if message := r.Raw(); err == nil {
				err = visit(message)
			}
		}
		if r.IsObject() {
			one()
		} else {
			r.Elements(one)
		}
	})
	return errors.Join(r.End(), err)
}

func (jsonForm) word(raw string, of field) (word string, err error) {
	r := envelope.ReadRaw(raw)
	r.Members(func(name string) {
		if name == of.name {
			word = r.Text()
		}
	})
	return word, r.End()
}

func (jsonForm) span(raw string) (s spanIDs) {
	r := envelope.ReadRaw(raw)
	r.Members(func(name string) {
		switch name {
		case "traceId":
			s.trace = idOf(unhex(r.Text()))
		case "spanId":
			s.id = idOf(unhex(r.Text()))
		case "parentSpanId":
			s.parent = idOf(unhex(r.Text()))
		case "kind":
			kind := r.Raw()
			s.serves = kind == "2" || kind == `"SPAN_KIND_SERVER"`
		}
	})
	return s
}

// The members of a span and a log record that protobuf's mapping can read. The attributes of a span come last, as they may
// be left out.
var (
	spanMembers = []string{"name", "kind", "startTimeUnixNano", "endTimeUnixNano", "status", "attributes"}
	logMembers  = []string{
		"timeUnixNano", "observedTimeUnixNano", "severityNumber", "severityText", "body", "attributes", "eventName",
	}
)

func (f jsonForm) decode(raw string, into proto.Message) error {
	switch m := into.(type) {
	case *tracepb.Span:
		kept := f.members(raw, spanMembers)
		if len(kept) > maxShared {
			kept = f.members(raw, spanMembers[:len(spanMembers)-1])
		}
		err := lenientJSON.Unmarshal([]byte(kept), m)
		m.TraceId, m.SpanId, m.ParentSpanId = f.id(raw, "traceId"), f.id(raw, "spanId"), f.id(raw, "parentSpanId")
		return err
	case *logspb.LogRecord:
		err := lenientJSON.Unmarshal([]byte(f.members(raw, logMembers)), m)
		m.TraceId, m.SpanId = f.id(raw, "traceId"), f.id(raw, "spanId")
		return err
	}
	return lenientJSON.Unmarshal([]byte(raw), into)
}

var lenientJSON = protojson.UnmarshalOptions{DiscardUnknown: true}

// members copies an object with only some of its members, each once.
func (jsonForm) members(raw string, names []string) string {
	var b strings.Builder
	seen := map[string]bool{}
	r := envelope.ReadRaw(raw)
	r.Members(func(name string) {
		if seen[name] || !slices.Contains(names, name) {
			return
		}
		seen[name] = true
		b.WriteString(`,"` + name + `":` + r.Raw())
	})
	return "{" + strings.TrimPrefix(b.String(), ",") + "}"
}

// id reads an id; one that is not hexadecimal is none.
func (f jsonForm) id(raw, name string) []byte {
	text, _ := f.word(raw, field{name: name})
	return unhex(text)
}

func unhex(text string) []byte {
	id, err := hex.DecodeString(text)
	if err != nil {
		return nil
	}
	return id
}
