package otlp_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"

	"errand/envelope"
	"errand/otlp"
)

func TestTooManyExceptionsAreRejected(t *testing.T) {
	t.Parallel()
	failing := newSpan("12345678", "")
	for n := range 100_000 {
		failing.Events = append(failing.Events, exceptionEvent("ValueError", fmt.Sprint("boom ", n)))
	}
	m := tracesOf("python", failing)
	for _, c := range []struct {
		encoding otlp.Encoding
		body     []byte
	}{{otlp.Protobuf, marshalWire(t, m)}, {otlp.JSON, jsonOf(t, m)}} {
		batch, err := otlp.ReadRequest(c.body, c.encoding, otlp.Traces)
		require.NoError(t, err)

		require.Equal(t, otlp.MaxExceptions, batch.Len())
		require.Equal(t, 100_000-otlp.MaxExceptions, batch.Rejected)
		require.NotEmpty(t, batch.Reason)
	}
}

func TestNotOfTheEncoding(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"not a request", `{"resourceSpans":[]}`, "\x0a\xff", "\x0a\x02\x12\x7f", "\x0b\x0b\x0b", strings.Repeat("\xff", 11),
	} {
		t.Run(body, func(t *testing.T) {
			_, err := otlp.ReadRequest([]byte(body), otlp.Protobuf, otlp.Traces)
			require.Error(t, err)
		})
	}
	for _, body := range []string{"", "[]", "null", "1", `{"resourceSpans":[`, `{"resourceSpans":[]} x`, "\x0a\x02"} {
		t.Run(body, func(t *testing.T) {
			_, err := otlp.ReadRequest([]byte(body), otlp.JSON, otlp.Traces)
			require.Error(t, err)
		})
	}
	for _, body := range []string{
		"{}", `{"resourceSpans":null}`, `{"resourceSpans":7,"unknown":{}}`, `{"resourceSpans":[null,1,{"scopeSpans":[{"spans":null}]}]}`,
	} {
		batch, err := otlp.ReadRequest([]byte(body), otlp.JSON, otlp.Traces)
		require.NoError(t, err, body)

		require.Zero(t, batch.Len()+batch.Rejected)
	}
	batch, err := otlp.ReadRequest(nil, otlp.Protobuf, otlp.Logs)
	require.NoError(t, err, "a request of nothing is one of no bytes")

	require.Zero(t, batch.Items)
}

// TestUnreadableValuesCostOnlyThemselves checks that an exception survives what protobuf's JSON refuses in or beside it.
func TestUnreadableValuesCostOnlyThemselves(t *testing.T) {
	t.Parallel()
	const good = `{"key":"exception.type","value":{"stringValue":"TypeError"}},{"key":"good","value":{"intValue":"7"}}`
	for name, c := range map[string]struct {
		attribute, event string
		isKept           bool
	}{
		"half of a pair":             {`{"key":"a","value":{"stringValue":"cut \ud83d"}}`, "", true},
		"invalid UTF-8":              {"{\"key\":\"a\",\"value\":{\"stringValue\":\"a\xffb\"}}", "", true},
		"a number without end":       {`{"key":"a","value":{"doubleValue":1e400}}`, "", false},
		"a text as a number":         {`{"key":"a","value":{"intValue":"x"}}`, "", false},
		"a huge integer":             {`{"key":"a","value":{"intValue":12345678901234567890123}}`, "", false},
		"a text as a truth":          {`{"key":"a","value":{"boolValue":"true"}}`, "", false},
		"bytes as an object":         {`{"key":"a","value":{"bytesValue":{"0":1}}}`, "", false},
		"null as an attribute":       {`null`, "", false},
		"null as an element":         {`{"key":"a","value":{"arrayValue":{"values":[null]}}}`, "", false},
		"a time that is none":        {`{"key":"a","value":{"stringValue":"x"}}`, `"timeUnixNano":"99999999999999999999",`, true},
		"a half in a message's name": {`{"key":"\udc00","value":{"stringValue":"x"}}`, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174",` +
				`"events":[{` + c.event + `"name":"exception","attributes":[` + good + `,` + c.attribute +
				`,{"key":"exception.message","value":{"stringValue":"cut \ud83d"}}]}]}]}]}]}`
			events := readEvents(t, []byte(body), otlp.JSON, otlp.Traces)
			require.Len(t, events, 1)
			require.EqualValues(t, "cut \ufffd", events[0].Exceptions[0].Value)
			require.EqualValues(t, "TypeError", events[0].Exceptions[0].Type)
			require.Equal(t, c.isKept && c.event == "", len(events[0].Problems) == 0, events[0].Problems)
		})
	}
}

func TestDeepValues(t *testing.T) {
	t.Parallel()
	deep := newAttribute("deep", "down")
	for range 2000 {
		deep = newAttribute("deep", []*commonpb.KeyValue{deep})
	}
	request := tracesOf("go", newSpan("12345678", "", exceptionEvent("E", "boom", deep)))
	e := readEvents(t, marshalWire(t, request), otlp.Protobuf, otlp.Traces)[0]
	require.NotEmpty(t, e.Problems)

	require.EqualValues(t, "boom", e.Exceptions[0].Value)

	fromJSON := readEvents(t, jsonOf(t, request), otlp.JSON, otlp.Traces)[0]
	require.NotEmpty(t, fromJSON.Problems)

	require.EqualValues(t, "boom", fromJSON.Exceptions[0].Value)
}

func TestManyAttributes(t *testing.T) {
	t.Parallel()
	request := tracesOf("go", newSpan("12345678", "", exceptionEvent("E", "boom")))
	failing := request.ResourceSpans[0].ScopeSpans[0].Spans[0]
	for n := range 20_000 {
		failing.Events[0].Attributes = append(failing.Events[0].Attributes, newAttribute(fmt.Sprint("k", n), "v"))
		failing.Attributes = append(failing.Attributes, newAttribute(fmt.Sprint("k", n), "v"))
	}
	e := readEvents(t, marshalWire(t, request), otlp.Protobuf, otlp.Traces)[0]

	require.EqualValues(t, "span 12345678", e.Transaction, "a span loses its attributes, not its name")
	require.LessOrEqual(t, len(e.Extra.Kids), 1000)
	require.Contains(t, e.Problems[len(e.Problems)-1].Reason, "were left out")
}

func TestOneLargeAttributeOfManyExceptions(t *testing.T) {
	t.Parallel()
	failing := newSpan("12345678", "")
	for n := range otlp.MaxExceptions {
		failing.Events = append(failing.Events, exceptionEvent("ValueError", fmt.Sprint("boom ", n)))
	}
	m := tracesOf("python", failing)
	resource := m.ResourceSpans[0].Resource
	resource.Attributes = append(resource.Attributes, newAttribute("huge", strings.Repeat("x", 60_000)))

	for _, e := range decodeAll(t, readBatch(t, m)) {
		require.Less(t, len(e.AppendJSON(nil)), 4000)
		require.Equal(t, "shop", e.Tags.Get("service.name").Text)
	}
}

func TestTextThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	body := marshalWire(t, tracesOf("go", newSpan("12345678", "", exceptionEvent("E", "boom ???"))))
	body = bytes.ReplaceAll(body, []byte("boom ???"), []byte("boom \xff\xc3\x00"))
	body = bytes.ReplaceAll(body, []byte("shop.tracer"), []byte("shop\xfftracer"))
	e := readEvents(t, body, otlp.Protobuf, otlp.Traces)[0]

	require.Equal(t, "boom \ufffd", string(e.Exceptions[0].Value))
	require.Equal(t, "shop\ufffdtracer", e.Tags.Get("otel.scope.name").Text)

	text := jsonOf(t, tracesOf("go", newSpan("12345678", "", exceptionEvent("E", "boom ???"))))
	text = bytes.ReplaceAll(text, []byte("boom ???"), []byte("boom \xff\xc3"))

	require.Equal(t, "boom \ufffd", string(readEvents(t, text, otlp.JSON, otlp.Traces)[0].Exceptions[0].Value))
}

func TestOddTimesAndIDs(t *testing.T) {
	t.Parallel()
	never := newSpan("12345678", "", boomAt(0))
	e := readEvents(t, marshalWire(t, tracesOf("go", never)), otlp.Protobuf, otlp.Traces)[0]

	require.Equal(t, receivedAt, e.Timestamp.Time, "no time is that of the receipt")

	never.EndTimeUnixNano = exceptionTime

	require.EqualValues(t, exceptionTime, readEvents(t, marshalWire(t, tracesOf("go", never)), otlp.Protobuf,
		otlp.Traces)[0].Timestamp.UnixNano())
	for _, at := range []uint64{1, 1<<64 - 1} {
		e := readEvents(t, marshalWire(t, tracesOf("go", newSpan("12345678", "", boomAt(at)))), otlp.Protobuf, otlp.Traces)[0]

		require.Equal(t, receivedAt, e.Timestamp.Time)
		require.NotEmpty(t, e.Problems)
	}
	for _, id := range []string{"", strings.Repeat("x", 100_000), "\x00\x00\x00\x00\x00\x00\x00\x00"} {
		failing := newSpan(id, id, boomAt(exceptionTime))
		failing.TraceId = []byte(id)
		e := readEvents(t, marshalWire(t, tracesOf("go", failing)), otlp.Protobuf, otlp.Traces)[0]

		require.Len(t, e.EventID, 32)
		require.Empty(t, e.Contexts.Get("trace").Get("trace_id").Text)
	}
	loop := tracesOf("go", newSpan("aaaaaaaa", "bbbbbbbb", boomAt(exceptionTime)), newSpan("bbbbbbbb", "aaaaaaaa"),
		newSpan("cccccccc", "cccccccc", boomAt(exceptionTime)))

	require.NotPanics(t, func() { readEvents(t, marshalWire(t, loop), otlp.Protobuf, otlp.Traces) })
}

// TestSmallMessagesTakeNoMemory reads 5 MB of empty spans, log records or attributes, which would be a hundred times as large
// when decoded.
func TestSmallMessagesTakeNoMemory(t *testing.T) { // not parallel: it measures the process
	const size = 5 << 20
	nested := func(inner []byte, path ...protowire.Number) []byte {
		for _, number := range path {
			inner = protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), inner)
		}
		return inner
	}
	exceptionOf := func(attribute []byte) []byte {
		event := append(nested([]byte("exception"), 2), nested(append(nested([]byte("exception.type"), 1), nested([]byte("E"), 1, 2)...),
			3)...)
		return append(event, nested(append(nested([]byte("list"), 1), attribute...), 3)...)
	}
	empty := func(number protowire.Number) []byte {
		return bytes.Repeat(nested(nil, number), size/2)
	}
	for name, tt := range map[string]struct {
		body     []byte
		encoding otlp.Encoding
		signal   otlp.Signal
	}{
		"spans":      {nested(empty(2), 2, 1), otlp.Protobuf, otlp.Traces},
		"events":     {nested(empty(11), 2, 2, 1), otlp.Protobuf, otlp.Traces},
		"records":    {nested(empty(2), 2, 1), otlp.Protobuf, otlp.Logs},
		"attributes": {nested(append(nested([]byte("exception"), 2), empty(3)[:1<<19]...), 11, 2, 2, 1), otlp.Protobuf, otlp.Traces},
		"values":     {bytes.Repeat(nested(exceptionOf(nested(empty(1)[:size/6], 5, 2)), 11, 2, 2, 1), 5), otlp.Protobuf, otlp.Traces},
		"JSON spans": {
			[]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{}` + strings.Repeat(",{}", size/3) + "]}]}]}"), otlp.JSON, otlp.Traces,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			batch, err := otlp.ReadRequest(tt.body, tt.encoding, tt.signal)
			require.NoError(t, err)
			decodeAll(t, batch)
			runtime.ReadMemStats(&after)

			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(40<<20))
			t.Log(name, len(tt.body), time.Since(start), (after.TotalAlloc-before.TotalAlloc)>>20, "MB")
		})
	}
}

// FuzzRead: the exceptions of every request are decoded or refused, and make events of valid text.
func FuzzRead(f *testing.F) {
	for _, m := range []*tracepb.TracesData{
		tracesOf("python", newSpan("12345678", "", exceptionEvent("ValueError", "boom"))),
		tracesOf("", newSpan("", "", boomAt(0), boomAt(exceptionTime))),
	} {
		f.Add(marshalWire(f, m), false, false)
		f.Add(jsonOf(f, m), true, false)
	}
	record := &logspb.LogRecord{
		TimeUnixNano: exceptionTime, TraceId: traceID, Attributes: newAttributes("exception.type", "E", "exception.stacktrace",
			"E\n at f (x.js:1:1)"),
	}
	f.Add(marshalWire(f, logsOf(record)), false, true)
	f.Add(jsonOf(f, logsOf(record)), true, true)
	f.Fuzz(func(t *testing.T, body []byte, isJSON, isLogs bool) {
		encoding, signal := otlp.Protobuf, otlp.Traces
		if isJSON {
			encoding = otlp.JSON
		}
		if isLogs {
			signal = otlp.Logs
		}
		batch, err := otlp.ReadRequest(body, encoding, signal)
		if err != nil {
			return
		}
		for n := range batch.Len() {
			e, err := batch.DecodeEvent(n, new(envelope.Decoder), envelope.Hints{ReceivedAt: receivedAt})
			require.NoError(t, err)
			require.Contains(t, []int{0, 32}, len(e.EventID))
			require.True(t, utf8.Valid(e.AppendJSON(nil)))
		}
	})
}
