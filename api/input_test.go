package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api/surfacetest"
	"errand/core"
	"errand/wire"
)

func decodeBody[T any](t *testing.T, body string) T {
	t.Helper()
	var v T
	require.NoError(t, json.Unmarshal([]byte(body), &v), body)
	return v
}

// detailsOf returns the details of an invalid_request by their paths.
func detailsOf(t *testing.T, answer surfacetest.Answer) map[string]string {
	t.Helper()
	require.Equal(t, http.StatusBadRequest, answer.Status, answer.Body)
	failure := decodeBody[struct {
		Error   core.Code
		Details []core.Detail
	}](t, answer.Body)
	require.Equal(t, core.InvalidRequest, failure.Error)
	require.NotEmpty(t, failure.Details)
	details := map[string]string{}
	for _, d := range failure.Details {
		details[d.Path] = d.Message
	}
	return details
}

func TestFieldsInTheWrongPlace(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	for _, c := range []struct{ method, path, body, field, says string }{
		{"POST", "/v1/issues/1/claim?minutes=5", ``, "minutes", "stands in the body, not in the query"},
		{"POST", "/v1/issues/1/claim?hours=5", ``, "hours", "is not a known field; this operation takes its fields from the body"},
		{"POST", "/v1/issues/1/claim", `{"id": 1}`, "id", "stands in the path, not in the body"},
		{"POST", "/v1/issues/1/claim?id=1", ``, "id", "stands in the path, not in the query"},
		{"POST", "/v1/issues/1/claim", `{"hours": 5}`, "hours", "is not a known field; allowed: id, minutes"},
		{"POST", "/v1/issues/1/unresolve", `{"note": "x"}`, "note", "is not a known field; allowed: id"},
		{"GET", "/v1/issues?state=open", ``, "state", "is not a known field; allowed: "},
		{"GET", "/v1/issues", `{"status": "resolved"}`, "status", "stands in the query, not in the body"},
		{"GET", "/v1/issues/1?id=2", ``, "id", "stands in the path, not in the query"},
		{"GET", "/v1/projects?limit=5", ``, "limit", "is not a known field; allowed: none"},
		{"DELETE", "/v1/issues/1/claim?minutes=5", ``, "minutes", "is not a known field; allowed: id"},
	} {
		details := detailsOf(t, s.SendAsAdmin(t, c.method, c.path, c.body))
		require.Contains(t, details[c.field], c.says, "%s %s %s", c.method, c.path, c.body)
	}
}

func TestWrongValues(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	for _, c := range []struct{ method, path, body, field, says string }{
		{"GET", "/v1/issues/first", ``, "id", "must be an integer, not string"},
		{"GET", "/v1/issues/1.5", ``, "id", "must be an integer"},
		{"GET", "/v1/issues/0", ``, "id", "must be at least 1"},
		{"GET", "/v1/issues/9007199254740992", ``, "id", "must be at most 9007199254740991"},
		{"GET", "/v1/issues/99999999999999999999999", ``, "id", "must be an integer"},
		{"GET", "/v1/issues/%00", ``, "id", "U+0000"},
		{"GET", "/v1/issues/%ff", ``, "id", "must be valid UTF-8"},
		{"GET", "/v1/issues?search=%ff", ``, "search", "must be valid UTF-8"},
		{"GET", "/v1/issues?search=a%00b", ``, "search", "U+0000"},
		{"GET", "/v1/issues?limit=many", ``, "limit", "must be an integer"},
		{"GET", "/v1/issues?limit=101", ``, "limit", "must be at most 100"},
		{"GET", "/v1/issues?limit=", ``, "limit", "must be an integer"},
		{"GET", "/v1/issues?limit=5&limit=6", ``, "limit", "must be given once"},
		{"GET", "/v1/issues?a=1&a=2", ``, "a", "is not a known field"},
		{"GET", "/v1/issues?status=closed", ``, "status", "must be one of open, unresolved, "},
		{"GET", "/v1/issues?search=%zz", ``, "", "the query must be name=value pairs"},
		{"GET", "/v1/issues?a=1;b=2", ``, "", "the query must be name=value pairs"},
		{"POST", "/v1/similar", `{"text": "boom", "project": ""}`, "project", "must have at least 1 character"},
		{"POST", "/v1/tokens", `{"name": "a", "scopes": ["issues:read"], "project": ""}`, "project", "must have at least 1 character"},
		{"POST", "/v1/issues/1/claim", `{"minutes": true}`, "minutes", "must be an integer, not boolean"},
		{"POST", "/v1/issues/1/claim", `{"minutes": 9007199254740993}`, "minutes", "must be at most 1440"},
		{"POST", "/v1/projects", `{}`, "name", "is required"},
		{"POST", "/v1/projects", ``, "name", "is required"},
		{"POST", "/v1/projects", `{"name": "a\u0000b"}`, "name", "U+0000"},
		{"POST", "/v1/projects", `{"name": ["a"]}`, "name", "must be a string, not array"},
		{"POST", "/v1/tokens", `{"name": "a", "scopes": ["issues:read", "root"]}`, "scopes.1", "must be one of "},
	} {
		details := detailsOf(t, s.SendAsAdmin(t, c.method, c.path, c.body))
		require.Contains(t, details[c.field], c.says, "%s %s %s", c.method, c.path, c.body)
	}
}

// TestEmptyQueryValues sends the query of a script with an empty variable: it must not widen the result.
func TestEmptyQueryValues(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	found := 0
	for _, op := range core.V1.Operations() {
		if op.HasBody() || op.ServedBy != "" {
			continue
		}
		path := strings.NewReplacer("{id}", "1", "{project}", "1", "{key}", "k").Replace(op.Path())
		for _, field := range op.Fields() {
			if strings.Contains(op.Path(), "{"+field.Name+"}") {
				continue
			}
			for _, query := range []string{field.Name + "=", field.Name, field.Name + "=&" + field.Name + "="} {
				details := detailsOf(t, s.SendAsAdmin(t, op.Method(), path+"?"+query, ""))
				require.True(t, details[field.Name] != "" || details[field.Name+".0"] != "", "%s?%s: %v", path, query, details)
			}
			found++
		}
	}
	require.Greater(t, found, 12)
}

func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	for body, says := range map[string]string{
		`{"name": "Web`:                       "it ends too early",
		`{"name": }`:                          "at byte 10",
		`{"name": "a"} {"name": "b"}`:         "nothing after it",
		`{"name": "a"}]`:                      "nothing after it",
		`["name"]`:                            "it is a JSON array",
		`"name"`:                              "it is a JSON string",
		`null`:                                "must be a JSON object",
		"{\"name\": \"\xff\xfe\"}":            "valid UTF-8",
		"name=Web+shop":                       "must be a JSON object",
		strings.Repeat("[", 20_000):           "must be a JSON object",
		`{"a":` + strings.Repeat("[", 20_000): "must be a JSON object",
	} {
		details := detailsOf(t, s.SendAsAdmin(t, http.MethodPost, "/v1/projects", body))
		require.Contains(t, details[""], says, "%.40s", body)
	}
}

// TestWholeNumbers uses the forms that JSON allows for one (JSON Schema 2020-12: 60.0 is an integer).
func TestWholeNumbers(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	issue := s.CreateIssue(t)
	for _, minutes := range []string{"60", "60.0", "6e1", "600E-1", `"60.00"`} {
		at := fmt.Sprintf("/v1/issues/%d", issue)
		answer := s.SendAsAdmin(t, http.MethodPost, at+"/claim", `{"minutes": `+minutes+`}`)
		require.Equal(t, http.StatusOK, answer.Status, "%s: %s", minutes, answer.Body)
		answer = s.SendAsAdmin(t, http.MethodGet, at+"/activity?limit=1.0", "")
		require.Equal(t, http.StatusOK, answer.Status, answer.Body)
		require.Contains(t, answer.Body, `"minutes":60,`)
		require.Equal(t, 1, strings.Count(answer.Body, `"action"`))
	}
}

func TestBodiesThatAreFine(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	issue := fmt.Sprintf("/v1/issues/%d", s.CreateIssue(t))
	for _, c := range []struct{ path, body, contentType string }{
		{"/resolve", ``, ""},
		{"/resolve", "\n", "application/json"},
		{"/resolve", `{}`, "application/json"},
		{"/claim", `{"minutes": 5}`, "application/x-www-form-urlencoded"},
		{"/claim", `{"minutes": 5}`, "application/vnd.api+json"},
		{"/claim", `{"minutes": 5}`, "text/plain"},
		{"/claim", `{"minutes": "5"}`, "application/json; charset=utf-8"},
		{"/claim", `{"minutes": null}`, ""},
		{"/claim", "\r\n {\"minutes\": 5} \t", ""},
	} {
		answer := s.SendRequest(t, surfacetest.Request{
			Method: http.MethodPost, Path: issue + c.path, Token: surfacetest.AdminToken, Body: strings.NewReader(c.body),
			Header: map[string]string{"Content-Type": c.contentType},
		})
		require.Equal(t, http.StatusOK, answer.Status, "%v: %s", c, answer.Body)
	}
}

// chunked hides the length of a body, so that it is sent without Content-Length.
type chunked struct{ io.Reader }

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	const project = `{"name":"Web shop"}`
	exact := project + strings.Repeat(" ", wire.MaxBody-len(project))
	for _, wrap := range []func(string) io.Reader{
		func(body string) io.Reader { return strings.NewReader(body) },
		func(body string) io.Reader { return chunked{strings.NewReader(body)} },
	} {
		for _, path := range []string{"/v1/projects", "/mcp"} {
			for _, more := range []int{1, 4 << 20} {
				body := wrap(exact + strings.Repeat(" ", more))
				answer := s.SendRequest(t, surfacetest.Request{Method: http.MethodPost, Path: path, Token: surfacetest.AdminToken, Body: body})
				require.Equal(t, http.StatusRequestEntityTooLarge, answer.Status, path)
				require.JSONEq(t, `{"error":"payload_too_large","max_bytes":1048576}`, answer.Body, path)
			}
		}
		answer := s.SendRequest(t, surfacetest.Request{Method: http.MethodPost, Path: "/v1/projects", Token: surfacetest.AdminToken,
			Body: wrap(exact)})
		require.Equal(t, http.StatusCreated, answer.Status, answer.Body)
	}
}
