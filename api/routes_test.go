package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/core"
	"errand/tools"
)

const baseURL = "https://errand.example"

// newHandler makes a handler without a store, for requests that never reach one.
func newHandler(t *testing.T, change func(*api.Options)) http.Handler {
	t.Helper()
	registry, err := tools.New(tools.Options{}).Registry(slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	o := api.Options{
		Registry:     registry,
		Authenticate: func(context.Context, core.Secret) (core.Actor, error) { return core.NewBootstrapActor(), nil },
		Ready:        func(context.Context) error { return nil },
		BaseURL:      func() string { return baseURL }, Version: "0.0.0", Log: slog.New(slog.DiscardHandler),
		Assets: api.Assets{Style: "/style.css", Icon: "/icon.svg"},
	}
	if change != nil {
		change(&o)
	}
	return api.New(o)
}

func getPath(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	return sendRequest(t, h, httptest.NewRequest(http.MethodGet, path, nil))
}

func sendRequest(t *testing.T, h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.NotEmpty(t, w.Header().Get("X-Request-Id"), "%s %s", r.Method, r.URL)
	return w
}

func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	for _, path := range []string{
		"/nothing", "/v1", "/v1/", "/v1/nothing", "/v1/issues/", "/v1/issues/1/nothing", "/docs/more", "/mcp", "/v1/ingest", "/api/1/envelope/",
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource/mcp",
	} {
		answer := getPath(t, h, path)
		require.Equal(t, http.StatusNotFound, answer.Code, path)
		require.JSONEq(t, `{"error":"not_found"}`, answer.Body.String(), path)
	}
	answer := sendRequest(t, h, httptest.NewRequest("BREW", "/nothing", nil))
	require.Equal(t, http.StatusNotFound, answer.Code)
}

func TestWrongMethods(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	for _, c := range []struct{ method, path, allow string }{
		{http.MethodPut, "/v1/projects", "GET, POST"},
		{http.MethodGet, "/v1/issues/1/resolve", "POST"},
		{http.MethodPut, "/v1/issues/1/claim", "POST, DELETE"},
		{http.MethodPatch, "/v1/projects/a%2Fb/keys", "POST"},
		{http.MethodPost, "/docs", "GET"},
		{"BREW", "/v1/projects", "GET, POST"},
	} {
		answer := sendRequest(t, h, httptest.NewRequest(c.method, c.path, nil))
		require.Equal(t, http.StatusMethodNotAllowed, answer.Code, c)
		require.JSONEq(t, `{"error":"method_not_allowed"}`, answer.Body.String(), c)
		require.Equal(t, c.allow, answer.Header().Get("Allow"), c)
	}
}

func TestProbes(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	for _, path := range []string{"/healthz", "/readyz"} {
		answer := getPath(t, h, path)
		require.Equal(t, http.StatusOK, answer.Code)
		require.JSONEq(t, `{"status":"ok"}`, answer.Body.String())
		require.Equal(t, http.StatusOK, sendRequest(t, h, httptest.NewRequest(http.MethodHead, path, nil)).Code)
	}
}

func TestNotReady(t *testing.T) {
	t.Parallel()
	registry := newSurface(t).Registry
	h := newHandler(t, func(o *api.Options) {
		o.Registry = registry
		o.Ready = func(context.Context) error { return errors.New("no route to db.internal") }
	})
	answer := getPath(t, h, "/readyz")
	require.Equal(t, http.StatusServiceUnavailable, answer.Code)
	require.JSONEq(t, `{"error":"unavailable"}`, answer.Body.String())
	require.NotEmpty(t, answer.Header().Get("Retry-After"))
	require.Equal(t, http.StatusOK, getPath(t, h, "/healthz").Code)
}

// A page that sends during the server's start can read why, and when to send again. The answer counts against nothing.
func TestPagesReadThatTheServerStarts(t *testing.T) {
	t.Parallel()
	h := api.NewNotReady(func() string { return "starting" })
	for _, path := range []string{"/v1/ingest", "/v1/traces", "/v1/logs", "/api/1/envelope/?sentry_key=x", "/api/1/store", "/api/"} {
		for _, method := range []string{http.MethodPost, http.MethodOptions, http.MethodGet, "BREW"} {
			answer := sendRequest(t, h, httptest.NewRequest(method, path, strings.NewReader("{}")))
			require.Equal(t, http.StatusServiceUnavailable, answer.Code, path)
			require.JSONEq(t, `{"error":"unavailable"}`, answer.Body.String(), path)
			require.NotEmpty(t, answer.Header().Get("Retry-After"), path)
			if method == "BREW" {
				continue
			}
			require.Equal(t, "*", answer.Header().Get("Access-Control-Allow-Origin"), path)
			require.Contains(t, answer.Header().Get("Access-Control-Expose-Headers"), "retry-after", path)
			require.NotContains(t, answer.Header(), "Cache-Control", path)
		}
	}
	for path, want := range map[string]string{"/readyz": `{"error":"unavailable","reason":"starting"}`,
		"/v1/projects": `{"error":"unavailable"}`} {
		answer := getPath(t, h, path)
		require.Equal(t, http.StatusServiceUnavailable, answer.Code, path)
		require.JSONEq(t, want, answer.Body.String(), path)
		require.Equal(t, "no-store", answer.Header().Get("Cache-Control"), path)
		require.Empty(t, answer.Header().Get("Access-Control-Allow-Origin"), path)
	}
	require.Equal(t, http.StatusOK, getPath(t, h, "/healthz").Code)
}

func TestRootLeadsToDocs(t *testing.T) {
	t.Parallel()
	answer := getPath(t, newHandler(t, nil), "/")
	require.Equal(t, http.StatusFound, answer.Code)
	require.Equal(t, "/docs", answer.Header().Get("Location"))
}

func TestOtherSurfaces(t *testing.T) {
	t.Parallel()
	echo := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Surface", name+" "+r.URL.Path+" "+string(api.CallerOf(r.Context()).Actor.Type))
		})
	}
	h := newHandler(t, func(o *api.Options) { o.Ingest, o.MCP = echo("ingest"), echo("mcp") })
	for _, path := range []string{"/v1/ingest", "/api/1/envelope/", "/api/1/store/"} {
		require.Equal(t, "ingest "+path+" ", sendRequest(t, h, httptest.NewRequest(http.MethodPost, path, nil)).Header().Get("Surface"))
	}
	request := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	request.Header.Set("Authorization", "bearer ck_x")
	require.Equal(t, "mcp /mcp admin_token", sendRequest(t, h, request).Header().Get("Surface"))
	require.Equal(t, http.StatusUnauthorized, sendRequest(t, h, httptest.NewRequest(http.MethodPost, "/mcp", nil)).Code)
}

// Chromium permanently counts an answer with no-store against what a page may send.
func TestWhatMayBeKept(t *testing.T) {
	t.Parallel()
	h := newHandler(t, func(o *api.Options) {
		o.Ingest = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery != "" {
				panic("boom")
			}
			w.WriteHeader(http.StatusTeapot)
		})
	})
	for _, method := range []string{http.MethodPost, http.MethodOptions, http.MethodGet, http.MethodPut} {
		for _, path := range []string{"/v1/ingest", "/v1/ingest?panic", "/api/1/envelope/", "/api/1/store/?panic", "/api/nothing", "/api/"} {
			answer := sendRequest(t, h, httptest.NewRequest(method, path, nil))
			require.NotContains(t, answer.Header(), "Cache-Control", "%s %s", method, path)
		}
	}
	for _, path := range []string{"/v1/openapi.json", "/v1/nothing", "/healthz", "/readyz"} {
		require.Equal(t, "no-store", getPath(t, h, path).Header().Get("Cache-Control"), path)
	}
}

func TestPanicOutsideTheRegistry(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := newHandler(t, func(o *api.Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		o.Ingest = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("the secret reason") })
	})
	answer := sendRequest(t, h, httptest.NewRequest(http.MethodPost, "/v1/ingest", nil))
	require.Equal(t, http.StatusInternalServerError, answer.Code)
	var body map[string]string
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &body))
	require.Equal(t, map[string]string{"error": "internal", "request_id": answer.Header().Get("X-Request-Id")}, body)
	require.Contains(t, log.String(), "the secret reason")
	require.Contains(t, log.String(), body["request_id"])
}

func TestPanicAfterTheAnswerBegan(t *testing.T) {
	t.Parallel()
	h := newHandler(t, func(o *api.Options) {
		o.Ingest = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"half":`))
			panic("too late")
		})
	})
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/ingest", nil))
	}, "the connection is cut, so that half an answer is not taken for a whole one")
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	request := httptest.NewRequest(http.MethodGet, "/healthz", nil)
	request.Header.Set("X-Request-Id", "chosen")
	first, second := sendRequest(t, h, request).Header().Get("X-Request-Id"), getPath(t, h, "/healthz").Header().Get("X-Request-Id")
	require.NotEqual(t, "chosen", first)
	require.NotEqual(t, first, second)
}

func TestRequestLogHasNoSecrets(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := newHandler(t, func(o *api.Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Ingest = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	})
	request := httptest.NewRequest(http.MethodPost, "/v1/ingest?key=k3y-in-query", strings.NewReader(`{"message":"b0dy"}`))
	request.Header.Set("Authorization", "Bearer t0ken")
	answer := sendRequest(t, h, request)
	getPath(t, h, "/v1/p4th-key")
	require.Contains(t, log.String(), "route=/v1/ingest")
	require.Contains(t, log.String(), "status=418")
	require.Contains(t, log.String(), answer.Header().Get("X-Request-Id"))
	for _, secret := range []string{"k3y-in-query", "b0dy", "t0ken", "p4th-key"} {
		require.NotContains(t, log.String(), secret)
	}
}
