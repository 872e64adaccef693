package otlp_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"errand/otlp"
)

// serverSpan is a span of a request that is being served, with attributes of the given size in bytes.
func serverSpan(id string, size int) *tracepb.Span {
	s := newSpan(id, "")
	s.Kind, s.Attributes = tracepb.Span_SPAN_KIND_SERVER, newAttributes("http.request.method", "PUT", "large", strings.Repeat("x", size))
	return s
}

// failingIn returns a thousand spans with an exception each; their parents take turns.
func failingIn(parents ...*tracepb.Span) (list []*tracepb.Span) {
	for n := range otlp.MaxExceptions {
		parent := string(parents[n%len(parents)].SpanId)
		list = append(list, newSpan(fmt.Sprintf("s%07d", n), parent, exceptionEvent("E", fmt.Sprint("boom ", n))))
	}
	return list
}

// requireCheap reads and decodes a request and requires that this allocates no more than the given number of bytes.
func requireCheap(t *testing.T, most uint64, body []byte, encoding otlp.Encoding, signal otlp.Signal) *otlp.Batch {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	batch, err := otlp.ReadRequest(body, encoding, signal)
	require.NoError(t, err)
	size := 0
	for _, e := range decodeAll(t, batch) {
		size += len(e.AppendJSON(nil))
	}
	runtime.ReadMemStats(&after)
	t.Log(len(body), "bytes become", size, "in", time.Since(start), "with", (after.TotalAlloc-before.TotalAlloc)>>20, "MB")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, most)
	require.Less(t, size, 2*batch.EventBytes(), "the size is about that which was foretold")
	return batch
}

// TestServingSpansAreNotDecodedForEachException: exceptions happen alternately below two large spans.
func TestServingSpansAreNotDecodedForEachException(t *testing.T) { // not parallel: it measures the process
	for _, size := range []int{4 << 20, 60 << 10} {
		serving := []*tracepb.Span{serverSpan("serving1", size), serverSpan("serving2", size)}
		m := tracesOf("python", append(serving, failingIn(serving...)...)...)
		for _, c := range []struct {
			encoding otlp.Encoding
			body     []byte
		}{{otlp.Protobuf, marshalWire(t, m)}, {otlp.JSON, jsonOf(t, m)}} {
			batch := requireCheap(t, 200<<20, c.body, c.encoding, otlp.Traces)
			require.Equal(t, otlp.MaxExceptions, batch.Len())
		}
	}
}

func TestLargeServingSpanLosesItsAttributesOnly(t *testing.T) {
	t.Parallel()
	serving := serverSpan("serving1", 100)
	request := tracesOf("python", serving, newSpan("failing1", "serving1", exceptionEvent("E", "boom")))

	require.EqualValues(t, "PUT", readEvents(t, marshalWire(t, request), otlp.Protobuf, otlp.Traces)[0].Request.Method)

	serving.Attributes = append(serving.Attributes, newAttributes("huge", strings.Repeat("x", 100_000))...)
	serving.Events = append(serving.Events, exceptionEvent("Other", "bang"))
	for _, encoding := range []otlp.Encoding{otlp.Protobuf, otlp.JSON} {
		body := marshalWire(t, request)
		if encoding == otlp.JSON {
			body = jsonOf(t, request)
		}
		list := readEvents(t, body, encoding, otlp.Traces)

		require.Len(t, list, 2)
		require.EqualValues(t, "span serving1", list[0].Transaction)
		require.Nil(t, list[1].Request)
	}
}

// TestWhatIsSharedIsNotMultiplied: a small request with a thousand exceptions, which would all copy the shared parts.
func TestWhatIsSharedIsNotMultiplied(t *testing.T) { // not parallel: it measures the process
	many := func(size int) (list []string) {
		for n := range size / 20 {
			list = append(list, fmt.Sprintf("key%05d", n), "value")
		}
		return list
	}
	serving := serverSpan("serving1", 0)
	serving.Attributes = append(serving.Attributes, newAttributes(many(16_000)...)...)
	failing := newSpan("failing1", "serving1")
	failing.Attributes, failing.Status = newAttributes(many(16_000)...), &tracepb.Status{Message: strings.Repeat("status ", 5000)}
	failing.Name = strings.Repeat("name ", 6000)
	for n := range otlp.MaxExceptions {
		failing.Events = append(failing.Events, exceptionEvent("E", fmt.Sprint("boom ", n)))
	}
	request := tracesOf("python", serving, failing)
	about := request.ResourceSpans[0]
	about.Resource.Attributes = append(about.Resource.Attributes, newAttributes(many(16_000)...)...)
	about.Resource.Attributes = append(about.Resource.Attributes, newAttribute("service.instance", strings.Repeat("i", 40_000)))
	about.ScopeSpans[0].Scope.Attributes = newAttributes(many(16_000)...)
	about.ScopeSpans[0].Scope.Name = strings.Repeat("scope ", 5000)
	batch := requireCheap(t, 220<<20, marshalWire(t, request), otlp.Protobuf, otlp.Traces)

	require.Less(t, batch.EventBytes(), 7<<20)

	failing.Events = failing.Events[:1]
	e := readEvents(t, marshalWire(t, request), otlp.Protobuf, otlp.Traces)[0]

	require.Greater(t, len(e.Contexts.Get("otel").Get("resource").Kids), 400, "one exception has all")
	require.Equal(t, "shop", e.Tags.Get("service.name").Text)
}

// TestLogRecordsThatOnlyMentionExceptions: they do not count towards the bound of exceptions.
func TestLogRecordsThatOnlyMentionExceptions(t *testing.T) {
	t.Parallel()
	var records []*logspb.LogRecord
	for n := range 2 * otlp.MaxExceptions {
		records = append(records, &logspb.LogRecord{
			TimeUnixNano: exceptionTime, Body: newAttribute("", "no exception.type here").Value,
			Attributes: newAttributes("exception.id", fmt.Sprint(n), "note", "exception.type"),
		})
	}
	records[5].Body = newAttribute("", "exception "+strings.Repeat("x", 2<<20)).Value
	for _, name := range []string{"exception.type", "exception.message", "exception.stacktrace"} {
		records = append(records, &logspb.LogRecord{TimeUnixNano: exceptionTime, Attributes: newAttributes("a", "b", name, "boom")})
	}
	m := logsOf(records...)

	for e, body := range map[otlp.Encoding][]byte{otlp.Protobuf: marshalWire(t, m), otlp.JSON: jsonOf(t, m)} {
		require.Len(t, readEvents(t, body, e, otlp.Logs), 3)
	}

	failing := newSpan("12345678", "")
	for range 2 * otlp.MaxExceptions {
		failing.Events = append(failing.Events, &tracepb.Span_Event{Name: "exception", Attributes: newAttributes("note", "nothing")})
	}
	failing.Events = append(failing.Events, exceptionEvent("E", "boom"))
	batch := readBatch(t, tracesOf("go", failing))

	require.Equal(t, 1, batch.Len())
	require.Equal(t, 2*otlp.MaxExceptions, batch.Rejected)
}

func TestWhatIsLostOfServingSpansIsSaid(t *testing.T) {
	t.Parallel()
	serving := serverSpan("serving1", 30_000)
	m := tracesOf("python", serving, newSpan("failing1", "serving1", exceptionEvent("E", "boom")))
	e := readEvents(t, marshalWire(t, proto.Clone(m)), otlp.Protobuf, otlp.Traces)[0]
	require.NotEmpty(t, e.Problems)

	require.Contains(t, e.Problems[len(e.Problems)-1].Reason, "1 attributes or values were left out")
}
