package ingest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// captureItem is an error that an SDK captured in the trace of spansOf. The error has a cause.
func captureItem(message string) string {
	return fmt.Sprintf(`{"type":"event"}`+"\n"+
		`{"release":"shop@1.4.0","platform":"python","contexts":{"trace":{"trace_id":"%x","span_id":"b7ad6b7169203331"}},`+
		`"exception":{"values":[{"type":"ValueError","value":"the cause of %s"},{"type":"ValueError","value":%q}]}}`,
		"0123456789abcdef", message, message)
}

func TestExportsOfCapturedErrorsDoNotCount(t *testing.T) {
	t.Parallel()
	const otherKey = "0ff1ce00000000000000000000000000"
	s := startServer(t)
	s.makeProject(shop+1, otherKey)
	requireTaken(t, s.postEvents(captureItem("no cart")))
	require.EqualValues(t, 1, s.eventsStored())

	for range 2 {
		a := s.postBody(traces, spansOf(t, "no cart", "'no cart'", "the cause of no cart"), byBearer, asWire)
		requireTaken(t, a)
		require.Empty(t, a.text, "nothing is rejected")
	}
	require.EqualValues(t, 1, s.eventsStored())

	requireTaken(t, s.postBody(traces, spansOf(t, "no address"), byBearer, asWire))
	require.EqualValues(t, 2, s.eventsStored(), "another exception of the trace")
	requireTaken(t, s.postBody(traces, spansJSON("no cart"), byBearer, asJSON))
	require.EqualValues(t, 3, s.eventsStored(), "another trace")
	requireTaken(t, s.postBody(traces, spansOf(t, "no cart"), "Authorization: Bearer "+otherKey, asWire))
	require.EqualValues(t, 4, s.eventsStored(), "another project")
}

// TestExportsOfErrorsThatWereRefused: an error that was refused from the SDK is taken from the
// export.
func TestExportsOfErrorsThatWereRefused(t *testing.T) {
	t.Parallel()
	s, clock := startWithQuota(t, 1)
	a := s.postEvents(captureItem("no cart"), captureItem("no address"))
	requireTaken(t, a)
	require.NotEmpty(t, a.header.Get("X-Sentry-Error"))

	clock.moveForward(24 * time.Hour)
	requireTaken(t, s.postBody(traces, spansOf(t, "no cart", "no address"), byBearer, asWire))
	require.EqualValues(t, 2, s.eventsStored())
}
