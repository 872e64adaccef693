package ingest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// exportOfMany makes an export of exceptions that all have the same large resource.
func exportOfMany(t testing.TB, exceptions int) []byte {
	t.Helper()
	var m tracepb.TracesData
	require.NoError(t, proto.Unmarshal(spansOf(t, "boom"), &m))
	about := m.ResourceSpans[0]
	for n := range 600 {
		about.Resource.Attributes = append(about.Resource.Attributes, textAttributes(fmt.Sprint("key ", n), "value")...)
	}
	failing := about.ScopeSpans[0].Spans[0]
	one := failing.Events[0]
	failing.Events = nil
	for n := range exceptions {
		event := proto.Clone(one).(*tracepb.Span_Event)
		event.Attributes = textAttributes("exception.type", fmt.Sprintf("Error%c%c", 'a'+n%26, 'a'+n/26), "exception.message", "boom")
		failing.Events = append(failing.Events, event)
	}
	body, err := proto.Marshal(&m)
	require.NoError(t, err)
	return body
}

// TestSmallExportOfLargeEventsWaitsForItsTurn: the events take many times the size of the body.
func TestSmallExportOfLargeEventsWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	goOn := s.HoldLarge()
	requireTaken(t, s.postBody(traces, exportOfMany(t, 5), byBearer, asWire))

	body := exportOfMany(t, 500)
	require.Less(t, len(body), 64<<10)

	answers := make(chan answer)
	for range 3 {
		go func() {
			a, err := s.trySend(http.MethodPost, traces, strings.NewReader(string(body)), byBearer, asWire)
			if err != nil {
				a.text = err.Error()
			}
			answers <- a
		}()
	}
	require.Eventually(t, func() bool { return s.WaitingForTurn()+s.WaitingForLarge() == 3 }, 20*time.Second, time.Millisecond)
	require.Positive(t, s.WaitingForTurn())
	requireTaken(t, s.postBody(traces, spansOf(t, "a small one meanwhile"), byBearer, asWire))

	goOn()
	for range 3 {
		requireTaken(t, <-answers)
	}
	s.requireMetrics("errand_ingest_items_total", map[string]float64{"otel_span": 5})
}

// TestAnswersOfExportsHaveALength: edge keeps a connection open only after an answer that it knows
// to be whole.
func TestAnswersOfExportsHaveALength(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, headers := range [][]string{
		{byBearer, asWire}, {byBearer, asJSON}, {"Authorization: Bearer nobody", asJSON}, {byBearer, "Content-Type: text/plain"},
	} {
		r := httptest.NewRequest(http.MethodPost, traces, strings.NewReader(""))
		for _, header := range headers {
			name, value, _ := strings.Cut(header, ": ")
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		require.Equal(t, fmt.Sprint(w.Body.Len()), w.Result().Header.Get("Content-Length"), headers)
	}
}

// TestUnreadableAttributesOfExports checks that an exception is stored without an attribute that cannot be read.
func TestUnreadableAttributesOfExports(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	body := strings.Replace(string(spansJSON("boom")), `{"stringValue":"boom"}}`,
		`{"stringValue":"boom"}},{"key":"n","value":{"intValue":"seven"}}`, 1)

	a := s.postBody(traces, []byte(body), byBearer, asJSON)

	requireTaken(t, a)
	require.NotContains(t, a.text, "not taken")
	require.NotEmpty(t, s.onlyEvent().Problems)
}
