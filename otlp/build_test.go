package otlp_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"errand/otlp"
)

// exceptionTime is when the exceptions of the tests happen, in nanoseconds.
var exceptionTime = uint64(receivedAt.UnixNano()) - 60e9

var traceID = []byte("0123456789abcdef")

func newAttribute(key string, value any) *commonpb.KeyValue {
	v := new(commonpb.AnyValue)
	switch value := value.(type) {
	case string:
		v.Value = &commonpb.AnyValue_StringValue{StringValue: value}
	case int:
		v.Value = &commonpb.AnyValue_IntValue{IntValue: int64(value)}
	case bool:
		v.Value = &commonpb.AnyValue_BoolValue{BoolValue: value}
	case float64:
		v.Value = &commonpb.AnyValue_DoubleValue{DoubleValue: value}
	case []byte:
		v.Value = &commonpb.AnyValue_BytesValue{BytesValue: value}
	case []*commonpb.AnyValue:
		v.Value = &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{Values: value}}
	case []*commonpb.KeyValue:
		v.Value = &commonpb.AnyValue_KvlistValue{KvlistValue: &commonpb.KeyValueList{Values: value}}
	}
	return &commonpb.KeyValue{Key: key, Value: v}
}

// newAttributes makes attributes of names and texts in turn.
func newAttributes(pairs ...string) []*commonpb.KeyValue {
	var list []*commonpb.KeyValue
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, newAttribute(pairs[i], pairs[i+1]))
	}
	return list
}

func exceptionEvent(typ, message string, more ...*commonpb.KeyValue) *tracepb.Span_Event {
	return &tracepb.Span_Event{
		TimeUnixNano: exceptionTime, Name: "exception",
		Attributes: append(newAttributes("exception.type", typ, "exception.message", message), more...),
	}
}

func newSpan(id, parent string, events ...*tracepb.Span_Event) *tracepb.Span {
	return &tracepb.Span{TraceId: traceID, SpanId: []byte(id), ParentSpanId: []byte(parent), Name: "span " + id, Events: events}
}

func tracesOf(language string, spans ...*tracepb.Span) *tracepb.TracesData {
	return &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource:   &resourcepb.Resource{Attributes: newAttributes("service.name", "shop", "telemetry.sdk.language", language)},
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: &commonpb.InstrumentationScope{Name: "shop.tracer"}, Spans: spans}},
	}}}
}

func logsOf(records ...*logspb.LogRecord) *logspb.LogsData {
	return &logspb.LogsData{ResourceLogs: []*logspb.ResourceLogs{{
		Resource:  &resourcepb.Resource{Attributes: newAttributes("service.name", "shop", "telemetry.sdk.language", "go")},
		ScopeLogs: []*logspb.ScopeLogs{{Scope: &commonpb.InstrumentationScope{Name: "shop.log"}, LogRecords: records}},
	}}}
}

func signalOf(m proto.Message) otlp.Signal {
	if _, ok := m.(*logspb.LogsData); ok {
		return otlp.Logs
	}
	return otlp.Traces
}

func marshalWire(t testing.TB, m proto.Message) []byte {
	t.Helper()
	body, err := proto.Marshal(m)
	require.NoError(t, err)
	return body
}

// jsonOf writes a request as OTLP's JSON: protobuf's JSON with other ids.
func jsonOf(t testing.TB, m proto.Message) []byte {
	t.Helper()
	text, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(m)
	require.NoError(t, err)
	var tree any
	require.NoError(t, json.Unmarshal(text, &tree))
	writeHex(t, tree)
	body, err := json.Marshal(tree)
	require.NoError(t, err)
	return body
}

func writeHex(t testing.TB, tree any) {
	switch v := tree.(type) {
	case []any:
		for _, element := range v {
			writeHex(t, element)
		}
	case map[string]any:
		for name, value := range v {
			writeHex(t, value)
			if name == "traceId" || name == "spanId" || name == "parentSpanId" {
				id, err := base64.StdEncoding.DecodeString(value.(string))
				require.NoError(t, err)
				v[name] = hex.EncodeToString(id)
			}
		}
	}
}

// readBatch reads a request in protobuf.
func readBatch(t testing.TB, m proto.Message) *otlp.Batch {
	t.Helper()
	batch, err := otlp.ReadRequest(marshalWire(t, m), otlp.Protobuf, signalOf(m))
	require.NoError(t, err)
	return batch
}
