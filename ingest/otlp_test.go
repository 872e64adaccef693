package ingest_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"errand/ingest"
	"errand/otlp"
)

const (
	traces    = "/v1/traces"
	byBearer  = "Authorization: Bearer " + shopKey
	asWire    = "Content-Type: application/x-protobuf"
	asJSON    = "Content-Type: application/json"
	emptyJSON = `{"resourceSpans":[]}`
)

func textAttributes(pairs ...string) (list []*commonpb.KeyValue) {
	for i := 0; i < len(pairs); i += 2 {
		value := &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: pairs[i+1]}}
		list = append(list, &commonpb.KeyValue{Key: pairs[i], Value: value})
	}
	return list
}

// spansOf makes a protobuf export of spans with one exception each, one span for each message.
func spansOf(t testing.TB, messages ...string) []byte {
	t.Helper()
	scope := &tracepb.ScopeSpans{}
	for n, message := range messages {
		scope.Spans = append(scope.Spans, &tracepb.Span{
			TraceId: []byte("0123456789abcdef"), SpanId: fmt.Appendf(nil, "%08d", n), Name: "GET /cart",
			Events: []*tracepb.Span_Event{{
				Name: "exception", TimeUnixNano: uint64(time.Now().UnixNano()),
				Attributes: textAttributes("exception.type", "ValueError", "exception.message", message),
			}},
		})
	}
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource:   &resourcepb.Resource{Attributes: textAttributes("telemetry.sdk.language", "python", "service.version", "shop@1.4.0")},
		ScopeSpans: []*tracepb.ScopeSpans{scope},
	}}})
	require.NoError(t, err)
	return body
}

// spansJSON is a JSON export of one span with an exception.
func spansJSON(message string) []byte {
	return fmt.Appendf(nil, `{"resourceSpans":[{"scopeSpans":[{"spans":[{
		"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331",
		"events":[{"name":"exception","timeUnixNano":"%d","attributes":[{"key":"exception.message","value":{"stringValue":%q}}]}]}]}]}]}`,
		time.Now().UnixNano(), message)
}

func TestExportOfSpans(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	body := spansOf(t, "no cart, password=hunter2hunter2")
	for range 2 { // the second time as a retry
		a := s.postBody(traces, body, byBearer, asWire)
		requireTaken(t, a)
		require.Empty(t, a.text)
		require.Equal(t, "application/x-protobuf", a.header.Get("Content-Type"))
		require.Empty(t, a.header.Get("Cache-Control"))
	}
	require.EqualValues(t, 1, s.eventsCounted())

	e := s.onlyEvent()
	require.EqualValues(t, "ValueError: no cart, password=[Filtered]", e.Title)
	require.EqualValues(t, "GET /cart", e.Culprit)
	require.EqualValues(t, "shop@1.4.0", e.Release)
	require.Equal(t, "python", e.Platform)
	require.EqualValues(t, "opentelemetry.python", e.SDK.Name)
	s.requireMetrics("errand_ingest_answers_total", map[string]float64{"200,otlp": 2})
	s.requireMetrics("errand_ingest_events_total", map[string]float64{"stored": 1, "duplicate": 1})
	s.requireMetrics("errand_ingest_items_total", map[string]float64{"otel_span": 2})
}

func TestExportOfLogs(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	records := []*logspb.LogRecord{
		{
			TimeUnixNano: uint64(time.Now().UnixNano()),
			Attributes:   textAttributes("exception.type", "*fs.PathError", "exception.message", "open cart: no such file"),
		},
		{SeverityText: "FATAL", Attributes: textAttributes("code.file.path", "cart.go")},
	}

	body, err := proto.Marshal(&logspb.LogsData{ResourceLogs: []*logspb.ResourceLogs{{ScopeLogs: []*logspb.ScopeLogs{{LogRecords: records}}}}})
	require.NoError(t, err)

	requireTaken(t, s.postBody("/api/1000000001/integration/otlp/v1/logs", body, byKey, asWire))
	require.EqualValues(t, "*fs.PathError: open cart: no such file", s.onlyEvent().Title)
	s.requireMetrics("errand_ingest_items_total", map[string]float64{"otel_log": 2})
}

func TestExportsInJSON(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for n, headers := range [][]string{{asJSON}, {"Content-Type: application/json; charset=utf-8"}, {}} {
		a := s.postBody(traces, spansJSON(fmt.Sprint("cart ", n)), append(headers, byBearer)...)
		requireTaken(t, a)
		require.Equal(t, "{}", a.text)
		require.Equal(t, "application/json", a.header.Get("Content-Type"))
	}

	a := s.postBody(traces, spansOf(t, "without a type of content"), byBearer)

	requireTaken(t, a)
	require.Equal(t, "application/x-protobuf", a.header.Get("Content-Type"))
	require.EqualValues(t, 4, s.eventsCounted())
}

// TestKeysOfExports: the DSN key in each form that SDKs and their environment variables can send.
func TestKeysOfExports(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	basic := base64.StdEncoding.EncodeToString([]byte(shopKey + ":"))
	good := []string{
		"X-Sentry-Auth: sentry sentry_key=" + shopKey,
		"x-sentry-auth: Sentry sentry_key=" + shopKey + ", sentry_version=7, sentry_client=sentry.python/2.68.0",
		"X-Sentry-Auth: sentry_key=" + shopKey, "X-Sentry-Auth: sentry%20sentry_key=" + shopKey,
		"Authorization: Sentry sentry_key=" + shopKey,
		byBearer, "Authorization: bearer  " + shopKey, "Authorization: Bearer%20" + shopKey, "Authorization: Basic " + basic, nativeByKey,
	}
	const integration = "/api/1000000001/integration/otlp/v1/"
	for _, path := range []string{traces, "/v1/logs", "/v1/metrics", integration + "traces", integration + "traces/"} {
		for _, header := range good {
			requireTaken(t, s.postBody(path, []byte("{}"), header, asJSON))
		}
		requireTaken(t, s.postBody(path+"?sentry_key="+shopKey, nil, asWire))
		for _, header := range []string{
			"Accept: */*", "Authorization: Bearer nobody", "Authorization: " + shopKey, "X-Sentry-Auth: " + shopKey,
			"Authorization: Basic x", "X-Sentry-Auth: sentry%zz",
		} {
			a := s.postBody(path, []byte("{}"), header, asJSON)
			require.Equal(t, http.StatusUnauthorized, a.status, header)
			require.Equal(t, "unauthorized", a.body["error"])
			require.EqualValues(t, 16, a.body["code"])
			require.NotEmpty(t, a.body["message"])
		}
	}

	a := s.postBody("/api/1000000002/integration/otlp/v1/traces", nil, byKey, asWire)

	require.Equal(t, http.StatusUnauthorized, a.status, "the key is of another project")
	require.True(t, strings.HasPrefix(a.text, "\x08\x10\x12"), "a google.rpc.Status in protobuf")
}

func TestRefusedExports(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
		code    int
		message string
	}{
		"not JSON":        {`{"resourceSpans":`, []string{asJSON}, 400, 3, "not valid JSON"},
		"not an object":   {`[]`, []string{asJSON}, 400, 3, "not a JSON object"},
		"not protobuf":    {"boom", []string{asWire}, 400, 3, ""},
		"text":            {"{}", []string{"Content-Type: text/plain"}, 415, 3, "must be application/x-protobuf or application/json."},
		"no type at all":  {"{}", []string{"Content-Type: /"}, 415, 3, "must be application/x-protobuf or application/json."},
		"truncated":       {"\x1f\x8b\x08", []string{asJSON, "Content-Encoding: gzip"}, 400, 3, ""},
		"encoding":        {"{}", []string{asJSON, "Content-Encoding: snappy"}, 400, 3, ""},
		"larger than max": {`{"x":"` + strings.Repeat("x", 20<<20) + `"}`, []string{asJSON}, 413, 8, "larger than 20971520 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.postBody(traces, []byte(c.body), append(c.headers, byBearer)...)
			require.Equal(t, c.status, a.status, a.text)
			require.Empty(t, a.header.Get("Cache-Control"))
			if c.headers[0] == asWire {
				require.True(t, strings.HasPrefix(a.text, fmt.Sprintf("\x08%c\x12", c.code)))
			} else {
				require.EqualValues(t, c.code, a.body["code"])
				require.NotEmpty(t, a.body["message"])
				require.Contains(t, a.body["message"], c.message)
			}
		})
	}

	a := s.sendRequest(http.MethodGet, traces, nil, byBearer)

	require.Equal(t, http.StatusMethodNotAllowed, a.status)
	require.Equal(t, "POST, OPTIONS", a.header.Get("Allow"))
	require.Equal(t, http.StatusNotFound, s.postBody("/v1/spans", nil, byBearer, asWire).status)
	require.Equal(t, http.StatusNotFound, s.postBody("/api/1000000001/integration/otlp/v1/profiles", nil, byKey, asWire).status)
	require.Zero(t, s.eventsCounted())
}

func TestEncodingsOfExports(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for name, encoding := range encodings {
		packed := packText(t, name, bytes.NewBuffer(spansJSON("packed by "+name)))
		requireTaken(t, s.postBody(traces, packed, byBearer, asJSON, "Content-Encoding: "+encoding.header))
	}
	require.EqualValues(t, len(encodings), s.eventsCounted())

	bomb := packText(t, "gzip", bytes.NewBuffer(append(spansOf(t, "boom"), make([]byte, 30<<20)...)))
	require.Equal(t, http.StatusRequestEntityTooLarge, s.postBody(traces, bomb, byBearer, asWire, "Content-Encoding: gzip").status)
}

func TestExportsOverQuota(t *testing.T) {
	t.Parallel()
	s, _ := startWithQuota(t, 2)
	a := s.postBody(traces, spansOf(t, "one", "two", "three"), byBearer, asWire)
	requireTaken(t, a)
	require.True(t, strings.HasPrefix(a.text, "\x0a"), "a partial success")
	require.Contains(t, a.text, "1 exceptions were not taken: The project has used up its daily quota.")

	a = s.postBody(traces, spansJSON("four"), byBearer, asJSON)
	requireQuota(t, a)
	require.Equal(t, "60", a.header.Get("Retry-After"))
	require.EqualValues(t, 8, a.body["code"])
	requireTaken(t, s.postBody(traces, []byte(emptyJSON), byBearer, asJSON))
	requireTaken(t, s.postBody("/v1/metrics", []byte("anything"), byBearer, asWire))
	require.EqualValues(t, 2, s.eventsCounted())
}

func TestTooManyExceptionsInOneExport(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	messages := make([]string, otlp.MaxExceptions+7)
	for n := range messages {
		messages[n] = fmt.Sprintf("cart %c%c", 'a'+n%26, 'a'+n/26)
	}

	a := s.postBody(traces, spansOf(t, messages...), byBearer, asWire)

	requireTaken(t, a)
	require.Contains(t, a.text, "7 exceptions were not taken")
	require.EqualValues(t, otlp.MaxExceptions, s.eventsCounted())
}

func TestExportsAreSignsOfLife(t *testing.T) {
	t.Parallel()
	for path, body := range map[string]string{traces: emptyJSON, "/v1/logs": "{}", "/v1/metrics": `{"resourceMetrics":[]}`} {
		s := startServer(t)
		requireTaken(t, s.postBody(path, []byte(body), byBearer, asJSON))
		s.end()
		require.NotZero(t, s.aliveAt(), path)
	}
}

func TestExportsOfPages(t *testing.T) {
	t.Parallel()
	s := startWithOrigins(t)
	a := s.sendRequest(http.MethodOptions, traces, nil, "Origin: https://shop.example",
		"Access-Control-Request-Headers: authorization,content-type")
	require.Equal(t, http.StatusNoContent, a.status)
	require.Contains(t, a.header.Get("Access-Control-Allow-Headers"), "authorization")
	requireTaken(t, s.postBody(traces, spansJSON("on a page"), byBearer, asJSON, "Origin: https://shop.example"))

	a = s.postBody(traces, spansJSON("on a page"), byBearer, asJSON, "Origin: https://evil.example")
	require.Equal(t, http.StatusForbidden, a.status)
	require.EqualValues(t, 7, a.body["code"])
}

func TestExportsWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	s := startServerWith(t, config{before: func(i *ingest.Ingest) { i.WaitAtMost(time.Second) }})
	requireTaken(t, s.postBody(traces, spansJSON("before"), byBearer, asJSON))

	comeBack := s.takeDatabaseAway(t)
	a := s.postBody(traces, spansJSON("meanwhile"), byBearer, asJSON)
	comeBack()
	require.Equal(t, http.StatusServiceUnavailable, a.status, a.text)
	require.Equal(t, "5", a.header.Get("Retry-After"))
	require.EqualValues(t, 14, a.body["code"])

	text, err := json.Marshal(a.body)
	require.NoError(t, err)
	require.NotContains(t, string(text), "SQL")
}
