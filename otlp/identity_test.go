package otlp_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"errand/otlp"
)

// eventIDs reads requests and returns the ids of their events.
func eventIDs(t *testing.T, requests ...proto.Message) (list []string) {
	t.Helper()
	for _, m := range requests {
		for _, e := range readEvents(t, marshalWire(t, m), otlp.Protobuf, signalOf(m)) {
			list = append(list, e.EventID)
		}
	}
	return list
}

func countDistinct(list []string) int {
	set := map[string]bool{}
	for _, id := range list {
		set[id] = true
	}
	return len(set)
}

func boomAt(at uint64) *tracepb.Span_Event {
	e := exceptionEvent("shop.errors.CartError", "boom")
	e.TimeUnixNano = at
	return e
}

func TestExceptionThroughSpansIsOneEvent(t *testing.T) {
	t.Parallel()
	inner, middle, outer := newSpan("inner123", "middle12", boomAt(exceptionTime)), newSpan("middle12", "outer123"),
		newSpan("outer123", "", boomAt(exceptionTime+2e6))
	list := readEvents(t, marshalWire(t, tracesOf("python", inner, middle, outer)), otlp.Protobuf, otlp.Traces)

	require.Len(t, list, 1)
	require.EqualValues(t, "span inner123", list[0].Transaction)

	list = readEvents(t, marshalWire(t, tracesOf("python", outer, middle, inner)), otlp.Protobuf, otlp.Traces)

	require.Len(t, list, 1)
	require.EqualValues(t, "span inner123", list[0].Transaction, "whatever their order")

	record := &logspb.LogRecord{
		TimeUnixNano: exceptionTime + 3e6, TraceId: traceID, SpanId: []byte("outer123"),
		Attributes: newAttributes("exception.type", "CartError", "exception.message", "boom"),
	}
	apart := eventIDs(t, tracesOf("python", inner), tracesOf("python", outer), logsOf(record))

	require.Equal(t, 1, countDistinct(apart), "also in requests of their own")
}

func TestExceptionRecordedTwiceOnASpanIsOneEvent(t *testing.T) {
	t.Parallel()
	require.Len(t, eventIDs(t, tracesOf("java", newSpan("12345678", "", boomAt(exceptionTime), boomAt(exceptionTime+1e6)))), 1)
	require.Len(t, eventIDs(t,
		tracesOf("java", newSpan("12345678", "", boomAt(exceptionTime), boomAt(exceptionTime+1e6), boomAt(exceptionTime+3e9)))), 2,
		"later it is another")
}

func TestAttemptsAreEventsOfTheirOwn(t *testing.T) {
	t.Parallel()
	request := tracesOf("go",
		newSpan("attempt1", "whole123", boomAt(exceptionTime)), newSpan("attempt2", "whole123", boomAt(exceptionTime+1e9)),
		newSpan("whole123", "", boomAt(exceptionTime+1e9)))
	list := eventIDs(t, request)

	require.Len(t, list, 2)
	require.Equal(t, 2, countDistinct(list))
	require.Equal(t, list, eventIDs(t, request), "the same when it is sent again")
}

func TestOtherExceptionsAreOtherEvents(t *testing.T) {
	t.Parallel()
	other := proto.Clone(tracesOf("go", newSpan("12345678", "", boomAt(exceptionTime)))).(*tracepb.TracesData)
	other.ResourceSpans[0].ScopeSpans[0].Spans[0].TraceId = []byte("fedcba9876543210")
	service := proto.Clone(tracesOf("go", newSpan("12345678", "", boomAt(exceptionTime)))).(*tracepb.TracesData)
	service.ResourceSpans[0].Resource.Attributes = newAttributes("service.name", "bank")
	list := eventIDs(t,
		tracesOf("go", newSpan("12345678", "", boomAt(exceptionTime), exceptionEvent("shop.errors.CartError", "bang"),
			exceptionEvent("ValueError", "boom"))),
		tracesOf("go", newSpan("12345678", "", boomAt(exceptionTime+60e9))), other, service)

	require.Equal(t, 6, len(list))
	require.Equal(t, 6, countDistinct(list))
}

func TestRecordsWithoutATraceAreToldApartByTime(t *testing.T) {
	t.Parallel()
	at := func(nanos uint64) *logspb.LogRecord {
		return &logspb.LogRecord{TimeUnixNano: nanos, Attributes: newAttributes("exception.message", "boom")}
	}
	list := eventIDs(t, logsOf(at(exceptionTime), at(exceptionTime+1), at(exceptionTime)))

	require.Equal(t, 3, countDistinct(list))
	require.Equal(t, list, eventIDs(t, logsOf(at(exceptionTime), at(exceptionTime+1), at(exceptionTime))))
}

// TestLaterFailureOfAnOuterSpanIsAnEvent: the same text a minute later is another failure.
func TestLaterFailureOfAnOuterSpanIsAnEvent(t *testing.T) {
	t.Parallel()
	attempt := newSpan("attempt1", "whole123", boomAt(exceptionTime))
	list := eventIDs(t, tracesOf("go", attempt, newSpan("whole123", "", boomAt(exceptionTime+60e9))))

	require.Len(t, list, 2)
	require.Equal(t, 2, countDistinct(list))
	require.Len(t, eventIDs(t, tracesOf("go", attempt, newSpan("whole123", "", boomAt(exceptionTime+2e9)))), 1)

	late := newSpan("attempt2", "whole123", boomAt(exceptionTime+59e9))

	require.Len(t, eventIDs(t, tracesOf("go", attempt, late, newSpan("whole123", "", boomAt(exceptionTime+60e9)))), 2,
		"that of the last attempt")
}

// TestSpansInALoopKeepOneException: the spans name each other, or themselves, as their parent.
func TestSpansInALoopKeepOneException(t *testing.T) {
	t.Parallel()
	require.Len(t, eventIDs(t, tracesOf("go", newSpan("aaaaaaaa", "aaaaaaaa", boomAt(exceptionTime)))), 1)
	require.Len(t, eventIDs(t, tracesOf("go", newSpan("aaaaaaaa", "bbbbbbbb", boomAt(exceptionTime)),
		newSpan("bbbbbbbb", "aaaaaaaa", boomAt(exceptionTime)))), 1)

	inLoop := tracesOf("go",
		newSpan("aaaaaaaa", "bbbbbbbb"), newSpan("bbbbbbbb", "aaaaaaaa", boomAt(exceptionTime)),
		newSpan("below123", "aaaaaaaa", boomAt(exceptionTime)))
	list := readEvents(t, marshalWire(t, inLoop), otlp.Protobuf, otlp.Traces)
	require.NotEmpty(t, list)

	require.EqualValues(t, "span below123", list[len(list)-1].Transaction)

	var loop []*tracepb.Span
	for n := range 1000 {
		loop = append(loop, newSpan(fmt.Sprintf("s%07d", n), fmt.Sprintf("s%07d", (n+1)%1000), boomAt(exceptionTime)))
	}
	require.NotEmpty(t, eventIDs(t, tracesOf("go", loop...)))
	require.Equal(t, eventIDs(t, tracesOf("go", loop...)), eventIDs(t, tracesOf("go", loop...)), "the same when it is sent again")
}

// TestRecordsWithoutTraceAndTimeAreEventsOfTheirOwn: nothing identifies a repeat.
func TestRecordsWithoutTraceAndTimeAreEventsOfTheirOwn(t *testing.T) {
	t.Parallel()
	m := logsOf(&logspb.LogRecord{Attributes: newAttributes("exception.message", "boom")})
	for _, id := range eventIDs(t, m, m) {
		require.Empty(t, id, "the pipeline chooses one")
	}
}
