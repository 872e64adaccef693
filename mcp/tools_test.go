package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/mcp"
	"errand/testkit/golden"
	"errand/tools"
)

const baseURL = "https://errand.example"

// newHandler makes a handler without a store, for requests that never reach one. The caller is an admin unless change says otherwise.
func newHandler(t *testing.T, change func(*mcp.Options)) http.Handler {
	t.Helper()
	registry, err := tools.New(tools.Options{}).Registry(slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	o := mcp.Options{
		Registry: registry,
		Call:     func(context.Context) core.Call { return core.Call{Actor: core.NewBootstrapActor()} },
		BaseURL:  func() string { return baseURL }, Version: "0.0.0", Log: slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&o)
	}
	return mcp.New(o)
}

func postMessage(h http.Handler, message string, header map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(message))
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// tool is the part of a tool that the lint checks.
type tool struct {
	Name         string         `json:"name"`
	Title        string         `json:"title"`
	Description  string         `json:"description"`
	InputSchema  map[string]any `json:"inputSchema"`
	OutputSchema map[string]any `json:"outputSchema"`
	Annotations  map[string]any `json:"annotations"`
	text         json.RawMessage
}

func listedTools(t *testing.T, h http.Handler) []tool {
	t.Helper()
	answer := postMessage(h, listTools, nil)
	require.Equal(t, http.StatusOK, answer.Code, answer.Body)
	var response struct {
		Result struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor string            `json:"nextCursor"`
		} `json:"result"`
	}
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &response))
	require.Empty(t, response.Result.NextCursor, "the list has one page: some clients read only the first")
	var listed []tool
	for _, text := range response.Result.Tools {
		one := tool{text: text}
		require.NoError(t, json.Unmarshal(text, &one))
		listed = append(listed, one)
	}
	return listed
}

func TestToolGoldens(t *testing.T) {
	t.Parallel()
	var files []string
	for _, tool := range listedTools(t, newHandler(t, nil)) {
		var pretty bytes.Buffer
		require.NoError(t, json.Indent(&pretty, tool.text, "", "  "))
		golden.CheckFile(t, "testdata/tools/"+tool.Name+".json", pretty.String()+"\n")
		files = append(files, tool.Name+".json")
	}
	golden.CheckNames(t, "testdata/tools", files)
}

func TestEveryToolIsListed(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, tool := range listedTools(t, newHandler(t, nil)) {
		listed[tool.Name] = true
	}
	for _, op := range core.V1.Operations() {
		require.Equal(t, op.NotATool == "", listed[op.Name], op.Name)
	}
}

// TestToolLint finds schemas that providers and clients refuse: one bad schema can cost the whole list.
func TestToolLint(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	property := regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)
	for _, tool := range listedTools(t, newHandler(t, nil)) {
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			require.Regexp(t, name, tool.Name)
			require.NotEmpty(t, tool.Title)
			require.NotEmpty(t, tool.Description)
			require.Less(t, len(tool.Description), 2048, "clients cut longer descriptions")
			for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
				require.Contains(t, tool.Annotations, hint)
			}

			require.Equal(t, "object", tool.InputSchema["type"])
			require.Equal(t, false, tool.InputSchema["additionalProperties"])
			require.IsType(t, map[string]any{}, tool.InputSchema["properties"])
			for name := range tool.InputSchema["properties"].(map[string]any) {
				require.Regexp(t, property, name)
			}
			for _, combinator := range []string{"oneOf", "anyOf", "allOf", "not", "if"} {
				require.NotContains(t, tool.InputSchema, combinator)
			}
			walkSchema(tool.InputSchema, func(schema map[string]any) {
				require.NotContains(t, schema, "$ref")
				require.NotContains(t, schema, "$defs")
				require.NotContains(t, schema, "definitions")
				_, several := schema["type"].([]any)
				require.False(t, several, "a type of an input is one type: %v", schema)
			})
			if tool.OutputSchema != nil {
				require.Equal(t, "object", tool.OutputSchema["type"])
				walkSchema(tool.OutputSchema, func(schema map[string]any) {
					require.NotContains(t, schema, "$ref")
					require.NotContains(t, schema, "additionalProperties", "outputs stay open")
				})
			}
		})
	}
}

// walkSchema visits every object in a JSON value.
func walkSchema(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(v)
		for _, inner := range v {
			walkSchema(inner, visit)
		}
	case []any:
		for _, inner := range v {
			walkSchema(inner, visit)
		}
	}
}

func TestToolListFollowsTheScopes(t *testing.T) {
	t.Parallel()
	for _, scopes := range [][]core.Scope{{}, {core.IssuesRead}, {core.IssuesWrite}, {core.IssuesRead, core.IssuesWrite}, {core.ReleasesWrite},
		{core.Admin}} {
		actor := core.Actor{Type: core.ActorToken, ID: 1, Name: "agent", Scopes: scopes}
		h := newHandler(t, func(o *mcp.Options) { o.Call = func(context.Context) core.Call { return core.Call{Actor: actor} } })
		var listed, want []string
		for _, tool := range listedTools(t, h) {
			listed = append(listed, tool.Name)
		}
		for _, op := range core.V1.Tools() {
			if op.AuthorizeActor(actor) == nil {
				want = append(want, op.Name)
			}
		}
		require.ElementsMatch(t, want, listed, "%v", scopes)
		require.Contains(t, listed, "whoami")
	}
}
