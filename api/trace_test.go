package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/api"
)

func TestTraceOfARequest(t *testing.T) {
	t.Parallel()
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	var got string
	h := newHandler(t, func(o *api.Options) {
		o.Ready = func(ctx context.Context) error { got = api.TraceIDOf(ctx); return nil }
	})
	for _, c := range []struct{ header, want string }{
		{"00-" + id + "-00f067aa0ba902b7-01", id},
		{"cc-" + id + "-00f067aa0ba902b7-01-of-later-versions", id},
		{"", ""},
		{id, ""},
		{"00-" + id + "-00f067aa0ba902b7", ""},
		{"00-" + id + "-00f067aa0ba902b7-01-more", ""},
		{"ff-" + id + "-00f067aa0ba902b7-01", ""},
		{"0-" + id + "-00f067aa0ba902b7-01", ""},
		{"00-" + strings.ToUpper(id) + "-00f067aa0ba902b7-01", ""},
		{"00-" + id[1:] + "-00f067aa0ba902b7-01", ""},
		{"00-" + id[1:] + "\"-00f067aa0ba902b7-01", ""},
		{"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01", ""},
		{"00-" + id + "-0000000000000000-01", ""},
		{"00-" + id + "-00f067aa0ba902b7-0x", ""},
	} {
		request := httptest.NewRequest(http.MethodGet, "/readyz", nil)
		request.Header.Set("Traceparent", c.header)
		sendRequest(t, h, request)
		require.Equal(t, c.want, got, c.header)
	}
	twice := httptest.NewRequest(http.MethodGet, "/readyz", nil)
	twice.Header["Traceparent"] = []string{"00-" + id + "-00f067aa0ba902b7-01", "00-" + id + "-00f067aa0ba902b7-01"}
	sendRequest(t, h, twice)
	require.Empty(t, got)
	require.Empty(t, api.TraceIDOf(t.Context()))
}

func TestObserve(t *testing.T) {
	t.Parallel()
	var seen []string
	h := newHandler(t, func(o *api.Options) {
		o.Ingest = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		o.Observe = func(method, route string, status int, took time.Duration) {
			require.GreaterOrEqual(t, took, time.Duration(0))
			seen = append(seen, strings.Join([]string{method, route, http.StatusText(status)}, " "))
		}
	})
	for _, path := range []string{"/v1/ingest", "/api/1/envelope/", "/healthz", "/nothing/at/all", "/v1/openapi.json"} {
		getPath(t, h, path)
	}
	require.Equal(t, []string{"GET /healthz OK", "GET  Not Found", "GET /v1/openapi.json OK"}, seen, "ingest counts its own")
}
