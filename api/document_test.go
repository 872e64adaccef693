package api_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/testkit/golden"
)

// document is the part of the OpenAPI document that the tests check.
type document struct {
	OpenAPI    string                                `json:"openapi"`
	Paths      map[string]map[string]documentedRoute `json:"paths"`
	Components struct {
		Schemas         map[string]json.RawMessage `json:"schemas"`
		Responses       map[string]json.RawMessage `json:"responses"`
		SecuritySchemes map[string]json.RawMessage `json:"securitySchemes"`
	} `json:"components"`
}

type documentedRoute struct {
	OperationID string `json:"operationId"`
	Summary     string `json:"summary"`
	Description string `json:"description"`
	Scope       string `json:"x-required-scope"`
	Parameters  []struct {
		Name     string `json:"name"`
		In       string `json:"in"`
		Required bool   `json:"required"`
	} `json:"parameters"`
	RequestBody json.RawMessage            `json:"requestBody"`
	Responses   map[string]json.RawMessage `json:"responses"`
	Security    []map[string][]string      `json:"security"`
}

func readDocument(t *testing.T) (document, []byte) {
	t.Helper()
	answer := getPath(t, newHandler(t, nil), "/v1/openapi.json")
	require.Equal(t, http.StatusOK, answer.Code)
	require.Equal(t, "application/json", answer.Header().Get("Content-Type"))
	var d document
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &d))
	return d, answer.Body.Bytes()
}

func TestOpenAPIGolden(t *testing.T) {
	t.Parallel()
	_, text := readDocument(t)
	var pretty bytes.Buffer
	require.NoError(t, json.Indent(&pretty, text, "", "  "))
	golden.CheckFile(t, "testdata/openapi.json", pretty.String()+"\n")
}

func TestOpenAPIHasEveryRoute(t *testing.T) {
	t.Parallel()
	d, _ := readDocument(t)
	require.Equal(t, "3.1.0", d.OpenAPI)
	ids := map[string]bool{}
	for path, methods := range d.Paths {
		for method, route := range methods {
			require.False(t, ids[route.OperationID], "operationId %s stands twice", route.OperationID)
			ids[route.OperationID] = true
			require.NotEmpty(t, route.Summary, "%s %s", method, path)
			require.NotEmpty(t, route.Description, "%s %s", method, path)
		}
	}
	for _, op := range core.V1.Operations() {
		for _, at := range append([]string{op.Route}, op.Aliases...) {
			method, path, _ := strings.Cut(at, " ")
			route, documented := d.Paths[path][strings.ToLower(method)]
			require.True(t, documented, at)
			require.Equal(t, string(op.Scope), route.Scope, at)
			there := *op
			there.Route = at
			checkRoute(t, d, &there, path, route)
		}
	}
}

// headersOf are the headers that accompany errors.
var headersOf = map[core.Code][]string{
	core.Unauthorized: {"WWW-Authenticate"},
	core.Unavailable:  {"Retry-After"},
	core.Quota:        {"Retry-After", "X-Sentry-Rate-Limits"},
}

// checkRoute checks that the parts of a route match its operation.
func checkRoute(t *testing.T, d document, op *core.Operation, path string, route documentedRoute) {
	t.Helper()
	want := []map[string][]string{{"bearer": {}}, {"session": {}}}
	switch op.Scope {
	case core.NoToken:
		want = []map[string][]string{{"dsnKey": {}}}
	case core.SetupScope:
		want = []map[string][]string{{"setupKey": {}}, {"bearer": {}}, {"session": {}}}
	case core.PersonScope:
		want = []map[string][]string{{"session": {}}}
	}
	require.Equal(t, want, route.Security, route.OperationID)
	for _, scheme := range route.Security {
		for name := range scheme {
			require.Contains(t, d.Components.SecuritySchemes, name)
		}
	}
	for _, code := range append(op.AllErrors(), core.HeadersTooLarge) {
		response := d.responseOf(route, code.Info().Status)
		require.Contains(t, response, `"`+string(code)+`"`, "%s does not document %s", route.OperationID, code)
		names, _ := core.V1.Errors().MembersOf(code)
		for _, name := range names {
			require.Contains(t, response, `"`+name+`":{`, "%s does not document what %s has", route.OperationID, code)
		}
		for _, header := range headersOf[code] {
			require.Contains(t, response, `"`+header+`":`, "%s does not document the header of %s", route.OperationID, code)
		}
	}
	inPath := 0
	for _, p := range route.Parameters {
		if p.In == "path" {
			inPath++
			require.True(t, p.Required)
			require.Contains(t, path, "{"+p.Name+"}")
		}
	}
	require.Equal(t, strings.Count(path, "{"), inPath, route.OperationID)
}

// TestOpenAPIHasTheWholeNativeEvent looks for the deepest parts of the body of POST /v1/ingest.
func TestOpenAPIHasTheWholeNativeEvent(t *testing.T) {
	t.Parallel()
	d, _ := readDocument(t)
	var body struct {
		Required bool
		Content  map[string]struct {
			Schema struct{ Properties map[string]json.RawMessage }
		}
	}
	require.NoError(t, json.Unmarshal(d.Paths["/v1/ingest"]["post"].RequestBody, &body))
	require.True(t, body.Required)
	event := body.Content["application/json"].Schema.Properties
	for field, parts := range map[string][]string{
		"exception": {"mechanism", "handled", "stacktrace", "frames", "lineno", "context_line", "vars", "stack"}, "user": {"ip_address"},
		"request": {"query_string", "headers", "cookies", "data"}, "breadcrumbs": {"category", "timestamp"}, "sdk": {"name", "version"},
	} {
		for _, part := range parts {
			require.Contains(t, string(event[field]), `"`+part+`":{`, field)
		}
	}
	require.Contains(t, string(event["release"]), "200 characters")
}

// responseOf returns what the document says of a status, as text, where the route may refer to a shared description.
func (d document) responseOf(route documentedRoute, status int) string {
	response := route.Responses[strconv.Itoa(status)]
	var reference struct {
		Ref string `json:"$ref"`
	}
	if json.Unmarshal(response, &reference) == nil && reference.Ref != "" {
		response = d.Components.Responses[strings.TrimPrefix(reference.Ref, "#/components/responses/")]
	}
	return string(response)
}

func TestOpenAPIReferences(t *testing.T) {
	t.Parallel()
	d, text := readDocument(t)
	references := regexp.MustCompile(`"\$ref":"#/components/(schemas|responses)/([^"]+)"`).FindAllStringSubmatch(string(text), -1)
	for _, reference := range references {
		if reference[1] == "schemas" {
			require.Contains(t, d.Components.Schemas, reference[2])
		} else {
			require.Contains(t, d.Components.Responses, reference[2])
		}
	}
	require.NotEmpty(t, references)
	require.Len(t, references, strings.Count(string(text), `"$ref"`), "a reference points elsewhere")
}

func TestOpenAPIIsTheSameForEveryInstallation(t *testing.T) {
	t.Parallel()
	_, text := readDocument(t)
	require.NotContains(t, string(text), baseURL)
}
