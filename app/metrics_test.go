package app_test

import (
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// measuredPool is the most connections that a server of startMeasured makes.
const measuredPool = 11

// startMeasured runs a server with metrics.
func startMeasured(t *testing.T) *server {
	t.Helper()
	c := configWithJobs(storetest.NewURL(t))
	c.MetricsAddr, c.DatabasePool = "127.0.0.1:0", measuredPool
	return startServer(t, c)
}

// operatorGet sends a GET to the operators' listener.
func (s *server) operatorGet(t *testing.T, path string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(s.MetricsURL(), "/metrics")+path, nil)
	require.NoError(t, err)
	got := s.doRequest(request)
	require.NoError(t, got.err)
	return got
}

// scrapeMetrics reads the metrics as Prometheus does.
func (s *server) scrapeMetrics(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	got := s.operatorGet(t, "/metrics")
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, got.header.Get("Content-Type"), "text/plain")
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(got.body))
	require.NoError(t, err)
	return families
}

// seriesOf returns a metric's series by the values of their labels, in the order of the labels' names.
func seriesOf(family *dto.MetricFamily) map[string]float64 {
	found := map[string]float64{}
	for _, m := range family.GetMetric() {
		var labels []string
		for _, l := range m.GetLabel() {
			labels = append(labels, l.GetValue())
		}
		found[strings.Join(labels, " ")] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
	}
	return found
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	s := startMeasured(t)
	key := s.makeProject(t)
	s.sendEvent(t, key)
	s.sendEvent(t, key)
	call := func(body string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Addr()+"/mcp", strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+adminToken)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		require.Equal(t, http.StatusOK, s.doRequest(request).status)
	}
	call(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_issues","arguments":{}}}`)
	call(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_issue","arguments":{"id":99}}}`)
	call(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"` + key + `","arguments":{}}}`)
	for _, path := range []string{"/v1/issues/99", "/v1/" + key, "/" + adminToken} {
		require.Equal(t, http.StatusNotFound, s.sendRequest(t.Context(), http.MethodGet, path, "", nil).status)
	}
	require.NoError(t, s.sendRequest(t.Context(), "BREW", "/v1/issues", "", nil).err)

	families := s.scrapeMetrics(t)
	require.Equal(t, 2.0, seriesOf(families["errand_ingest_events_total"])["stored"])
	require.Equal(t, 2.0, seriesOf(families["errand_ingest_answers_total"])["200 native"])
	require.Equal(t, 2.0, seriesOf(families["errand_ingest_commit_events"])[""])
	requests := seriesOf(families["errand_http_requests_total"])
	require.Equal(t, 1.0, requests["201 POST /v1/projects"], requests)
	require.Equal(t, 1.0, requests["404 GET /v1/issues/{id}"], requests)
	require.Equal(t, 3.0, requests["200 POST /mcp"], requests)
	require.Equal(t, 1.0, requests["405 other none"], requests)
	require.NotContains(t, requests, "200 POST /v1/ingest", "ingest counts its own")
	require.Equal(t, 3.0, seriesOf(families["errand_http_request_duration_seconds"])["POST /mcp"])
	require.Equal(t, map[string]float64{"ok list_issues": 1, "not_found get_issue": 1}, seriesOf(families["errand_mcp_calls_total"]))
	limits := seriesOf(families["errand_db_pool_connections_limit"])
	require.EqualValues(t, measuredPool, limits["main"]+limits["events"]+limits["ids"], "what is not of a pool of its own is of main")
	require.Positive(t, seriesOf(families["errand_db_pool_acquires_total"])["events"])
	require.Equal(t, 1, len(families["errand_build_info"].GetMetric()))
	require.Contains(t, slices.Collect(maps.Keys(families)), "go_goroutines")
	require.Contains(t, slices.Collect(maps.Keys(families)), "process_resident_memory_bytes")
	require.Eventually(t, func() bool { return seriesOf(s.scrapeMetrics(t)["errand_job_runs_total"])["make_partitions ok"] == 1 }, atMost,
		every)
}

// TestMetricsHaveNothingOfClients sends its own names, keys and types. None of them may become a label.
func TestMetricsHaveNothingOfClients(t *testing.T) {
	t.Parallel()
	s := startMeasured(t)
	key := s.makeProject(t)
	s.sendEvent(t, key)
	const secret = "hunter2"
	for _, r := range []struct{ method, path, body string }{
		{"POST", "/v1/ingest?key=" + key, `{"message":"hunter2","platform":"hunter2"}`},
		{"POST", "/api/" + secret + "/envelope/?sentry_key=" + key, "{}\n{\"type\":\"hunter2\"}\n{}\n"},
		{"POST", "/v1/projects", `{"name":"hunter2"}`},
		{"GET", "/v1/issues?project=hunter2", ""},
		{"HUNTER2", "/v1/issues", ""},
		{"GET", "/hunter2", ""},
	} {
		t.Run(r.method+" "+r.path, func(t *testing.T) {
			require.NoError(t, s.sendRequest(t.Context(), r.method, r.path, "", strings.NewReader(r.body)).err)
		})
	}
	text := s.operatorGet(t, "/metrics").body
	for _, secret := range []string{"hunter2", "HUNTER2", key, adminToken, "Web shop", "web-shop", "cart"} {
		require.NotContains(t, text, secret)
	}
	lint := regexp.MustCompile(`^errand_[a-z_]+$`)
	for name, family := range s.scrapeMetrics(t) {
		if ours := strings.HasPrefix(name, "errand_"); ours {
			require.Regexp(t, lint, name)
			require.NotEmpty(t, family.GetHelp(), name)
			require.Equal(t, family.GetType() == dto.MetricType_COUNTER, strings.HasSuffix(name, "_total"), name)
		}
	}
}

func TestOperatorsHaveProfiles(t *testing.T) {
	t.Parallel()
	s := startMeasured(t)
	require.Contains(t, s.operatorGet(t, "/debug/pprof/").body, "goroutine")
	require.Equal(t, http.StatusOK, s.operatorGet(t, "/debug/pprof/heap").status)
	require.Contains(t, s.operatorGet(t, "/debug/pprof/goroutine?debug=1").body, "goroutine profile")
	require.Equal(t, http.StatusNotFound, s.operatorGet(t, "/debug/pprof/cmdline").status, "flags can hold secrets")
	require.Equal(t, http.StatusNotFound, s.operatorGet(t, "/").status)

	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/heap"} {
		require.Equal(t, http.StatusNotFound, s.sendRequest(t.Context(), http.MethodGet, path, "", nil).status, "only for operators: %s", path)
	}
	s.stopServer(t)
	require.True(t, refusesConnections(strings.TrimSuffix(strings.TrimPrefix(s.MetricsURL(), "http://"), "/metrics")))
}

func TestMetricsAreOffByDefault(t *testing.T) {
	t.Parallel()
	s := startServer(t, configWithJobs(storetest.NewURL(t)))
	require.Empty(t, s.MetricsURL())
	require.Equal(t, http.StatusNotFound, s.sendRequest(t.Context(), http.MethodGet, "/metrics", "", nil).status)
}

func TestMetricsAddressThatIsTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	c := configWithJobs(storetest.NewURL(t))
	c.MetricsAddr = taken.Addr().String()

	_, err = app.New(t.Context(), c, "0.0.0", (&logtext.Text{}).NewLogger())

	require.ErrorContains(t, err, "METRICS_ADDR")
}

// TestLogLinesHaveTheTrace sends traceparent with a request of the API and with an event.
func TestLogLinesHaveTheTrace(t *testing.T) {
	t.Parallel()
	s := startServer(t, configWithJobs(storetest.NewURL(t)))
	key := s.makeProject(t)
	for _, path := range []string{"/v1/ingest", "/v1/issues/99/claim"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Addr()+path, strings.NewReader(event))
		require.NoError(t, err)
		request.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
		request.Header.Set("X-Service-Key", key)
		require.NoError(t, s.doRequest(request).err)
	}
	require.NoError(t, s.sendRequest(t.Context(), http.MethodGet, "/healthz", "", nil).err)
	s.stopServer(t)
	var traced []string

	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, "trace_id") {
			require.Contains(t, line, `"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"`)
			traced = append(traced, line)
		}
	}

	require.Len(t, traced, 2)
	require.Contains(t, traced[0], `"route":"/v1/ingest"`)
	require.Contains(t, traced[1], `"route":"/v1/issues/{id}/claim"`)
}
