package ingest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

const (
	security  = "/api/1000000001/security/?sentry_key=" + shopKey
	cspReport = `{"csp-report":{"document-uri":"https://shop.example/","effective-directive":"img-src",
		"blocked-uri":"https://evil.example/x.png"}}`
	reportList = `[{"type":"csp-violation","url":"https://shop.example/","body":{
		"effectiveDirective":"script-src-elem","blockedURL":"inline"}},
		{"type":"deprecation","body":{"id":"x"}},{"type":"csp-violation","url":"https://shop.example/","body":{}},
		{"type":"csp-violation","url":"https://shop.example/","body":{"effectiveDirective":"font-src","blockedURL":"https://evil.example/f"}}]`
)

func TestReportsOfBrowsers(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	a := s.postBody(security+"&sentry_release=shop%401&sentry_environment=production", []byte(cspReport),
		"Content-Type: application/csp-report", "User-Agent: Firefox/140", "Origin: https://shop.example")
	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Regexp(t, `^{"id":"[0-9a-f]{32}"}$`, a.text)
	require.Equal(t, "*", a.header.Get("Access-Control-Allow-Origin"))
	e := s.onlyEvent()
	require.EqualValues(t, "Blocked 'image' from 'evil.example'", e.Title)
	require.Equal(t, []core.Untrusted{"shop@1", "production"}, []core.Untrusted{e.Release, e.Environment})
	require.Equal(t, "Firefox/140", e.Request.Headers.Get("User-Agent").Text)

	for contentType, path := range map[string]string{
		"application/csp-report": "/security/", "application/json": "/security", "text/plain": "/csp-report/", "": "/csp-report",
	} {
		require.Equal(t, http.StatusOK, s.postBody(strings.Replace(security, "/security/", path, 1), []byte(cspReport),
			"Content-Type: "+contentType).status, contentType)
	}
	require.EqualValues(t, 1, s.queryNumber(`SELECT count(*) FROM issues`))

	a = s.postBody(security, []byte(reportList), "Content-Type: application/reports+json")
	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Equal(t, "event: the report names no directive that was violated", a.header.Get("X-Sentry-Error"))
	require.EqualValues(t, 3, s.queryNumber(`SELECT count(*) FROM issues`))
	require.EqualValues(t, 7, s.eventsCounted())
	require.Equal(t, "{}", s.postBody(security, []byte("[]")).text)
}

func TestReportsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for body, detail := range map[string]string{
		"":                   "the report is neither a JSON object nor a list of them",
		`{"csp-report":`:     "not valid JSON: no value at byte 14",
		`{"message":"no"}`:   "event: the report is of none of the kinds that are taken: ",
		`[{"csp-report":7}]`: "event: the report names no directive that was violated",
	} {
		a := s.postBody(security, []byte(body))
		require.Equal(t, http.StatusBadRequest, a.status, body)
		require.Contains(t, a.body["detail"], detail, body)
		require.Contains(t, a.header.Get("X-Sentry-Error"), detail, body)
	}

	requireTooLarge(t, s.postBody(security, []byte(padTo(cspReport, 1<<20+1))), 1<<20, "large")
	require.Equal(t, http.StatusUnauthorized, s.postBody("/api/1000000001/security/", []byte(cspReport)).status)
	require.Equal(t, http.StatusMethodNotAllowed, s.sendRequest(http.MethodGet, security, nil).status)
	require.Zero(t, s.eventsCounted())
}

// The answer to a wrong path lists the right ones.
func TestPathsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	const there = "Below /api there are: POST /api/{project}/envelope/, POST /api/{project}/store/, POST /api/{project}/security/, " +
		"POST /api/{project}/csp-report/, POST /api/{project}/integration/otlp/v1/traces, POST /api/{project}/integration/otlp/v1/logs"
	for path, reason := range map[string]string{
		"/api/1000000001/minidump/?sentry_key=" + shopKey: "Minidumps are not taken: an error is grouped by a stack trace",
		"/api/1000000001/unreal/" + shopKey + "/":         "Crash reports of the Unreal Engine are not taken: ",
		"/api/1000000001/envelopes/":                      "There is no such endpoint.",
		"/api/0/projects/":                                "There is no such endpoint.",
		"/api/":                                           "There is no such endpoint.",
	} {
		a := s.postBody(path, []byte("MDMP"))
		require.Equal(t, http.StatusNotFound, a.status, path)
		require.Equal(t, "not_found", a.body["error"], path)
		require.Contains(t, a.body["detail"], reason, path)
		require.Equal(t, []any{there}, a.body["causes"], path)
		require.Contains(t, a.header.Get("X-Sentry-Error"), reason, path)
		require.Contains(t, a.header.Get("X-Sentry-Error"), there, path)
	}
}
