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

// ids reads requests and returns the ids of their events.
func ids(t *testing.T, requests ...proto.Message) (list []string) {
	t.Helper()
	for _, m := range requests {
		for _, e := range events(t, wire(t, m), otlp.Protobuf, signalOf(m)) {
			list = append(list, e.EventID)
		}
	}
	return list
}

func distinct(list []string) int {
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
	inner, middle, outer := span("inner123", "middle12", boomAt(now)), span("middle12", "outer123"), span("outer123", "", boomAt(now+2e6))
	list := events(t, wire(t, tracesOf("python", inner, middle, outer)), otlp.Protobuf, otlp.Traces)
	require.Len(t, list, 1)
	require.EqualValues(t, "span inner123", list[0].Transaction)
	list = events(t, wire(t, tracesOf("python", outer, middle, inner)), otlp.Protobuf, otlp.Traces)
	require.Len(t, list, 1)
	require.EqualValues(t, "span inner123", list[0].Transaction, "whatever their order")

	record := &logspb.LogRecord{
		TimeUnixNano: now + 3e6, TraceId: trace, SpanId: []byte("outer123"),
		Attributes: attrs("exception.type", "CartError", "exception.message", "boom"),
	}
	apart := ids(t, tracesOf("python", inner), tracesOf("python", outer), logsOf(record))
	require.Equal(t, 1, distinct(apart), "also in requests of their own")
}

func TestExceptionRecordedTwiceOnASpanIsOneEvent(t *testing.T) {
	t.Parallel()
	require.Len(t, ids(t, tracesOf("java", span("12345678", "", boomAt(now), boomAt(now+1e6)))), 1)
	require.Len(t, ids(t, tracesOf("java", span("12345678", "", boomAt(now), boomAt(now+1e6), boomAt(now+3e9)))), 2, "later it is another")
}

func TestAttemptsAreEventsOfTheirOwn(t *testing.T) {
	t.Parallel()
	m := tracesOf("go",
		span("attempt1", "whole123", boomAt(now)), span("attempt2", "whole123", boomAt(now+1e9)), span("whole123", "", boomAt(now+1e9)))
	list := ids(t, m)
	require.Len(t, list, 2)
	require.Equal(t, 2, distinct(list))
	require.Equal(t, list, ids(t, m), "the same when it is sent again")
}

func TestOtherExceptionsAreOtherEvents(t *testing.T) {
	t.Parallel()
	other := proto.Clone(tracesOf("go", span("12345678", "", boomAt(now)))).(*tracepb.TracesData)
	other.ResourceSpans[0].ScopeSpans[0].Spans[0].TraceId = []byte("fedcba9876543210")
	service := proto.Clone(tracesOf("go", span("12345678", "", boomAt(now)))).(*tracepb.TracesData)
	service.ResourceSpans[0].Resource.Attributes = attrs("service.name", "bank")
	list := ids(t,
		tracesOf("go", span("12345678", "", boomAt(now), exceptionEvent("shop.errors.CartError", "bang"), exceptionEvent("ValueError", "boom"))),
		tracesOf("go", span("12345678", "", boomAt(now+60e9))), other, service)
	require.Equal(t, 6, len(list))
	require.Equal(t, 6, distinct(list))
}

func TestRecordsWithoutATraceAreToldApartByTime(t *testing.T) {
	t.Parallel()
	at := func(nanos uint64) *logspb.LogRecord {
		return &logspb.LogRecord{TimeUnixNano: nanos, Attributes: attrs("exception.message", "boom")}
	}
	list := ids(t, logsOf(at(now), at(now+1), at(now)))
	require.Equal(t, 3, distinct(list))
	require.Equal(t, list, ids(t, logsOf(at(now), at(now+1), at(now))))
}

// TestLaterFailureOfAnOuterSpanIsAnEvent: the same text a minute later is another failure.
func TestLaterFailureOfAnOuterSpanIsAnEvent(t *testing.T) {
	t.Parallel()
	attempt := span("attempt1", "whole123", boomAt(now))
	list := ids(t, tracesOf("go", attempt, span("whole123", "", boomAt(now+60e9))))
	require.Len(t, list, 2)
	require.Equal(t, 2, distinct(list))
	require.Len(t, ids(t, tracesOf("go", attempt, span("whole123", "", boomAt(now+2e9)))), 1)
	late := span("attempt2", "whole123", boomAt(now+59e9))
	require.Len(t, ids(t, tracesOf("go", attempt, late, span("whole123", "", boomAt(now+60e9)))), 2, "that of the last attempt")
}

// TestSpansInALoopKeepOneException: spans that name each other, or themselves, as their parent.
func TestSpansInALoopKeepOneException(t *testing.T) {
	t.Parallel()
	require.Len(t, ids(t, tracesOf("go", span("aaaaaaaa", "aaaaaaaa", boomAt(now)))), 1)
	require.Len(t, ids(t, tracesOf("go", span("aaaaaaaa", "bbbbbbbb", boomAt(now)), span("bbbbbbbb", "aaaaaaaa", boomAt(now)))), 1)
	inLoop := tracesOf("go",
		span("aaaaaaaa", "bbbbbbbb"), span("bbbbbbbb", "aaaaaaaa", boomAt(now)), span("below123", "aaaaaaaa", boomAt(now)))
	list := events(t, wire(t, inLoop), otlp.Protobuf, otlp.Traces)
	require.NotEmpty(t, list)
	require.EqualValues(t, "span below123", list[len(list)-1].Transaction)
	var loop []*tracepb.Span
	for n := range 1000 {
		loop = append(loop, span(fmt.Sprintf("s%07d", n), fmt.Sprintf("s%07d", (n+1)%1000), boomAt(now)))
	}
	require.NotEmpty(t, ids(t, tracesOf("go", loop...)))
	require.Equal(t, ids(t, tracesOf("go", loop...)), ids(t, tracesOf("go", loop...)), "the same when it is sent again")
}

// TestRecordsWithoutTraceAndTimeAreEventsOfTheirOwn: there is nothing by which one could be known when it is sent again.
func TestRecordsWithoutTraceAndTimeAreEventsOfTheirOwn(t *testing.T) {
	t.Parallel()
	m := logsOf(&logspb.LogRecord{Attributes: attrs("exception.message", "boom")})
	for _, id := range ids(t, m, m) {
		require.Empty(t, id, "the pipeline chooses one")
	}
}
