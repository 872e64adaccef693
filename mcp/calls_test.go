package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api/surfacetest"
	"errand/core"
	"errand/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// failureOf returns the error of a tool result.
func failureOf(t *testing.T, result surfacetest.ToolResult) map[string]any {
	t.Helper()
	require.True(t, result.IsError)
	require.Empty(t, result.StructuredContent, "clients check it against the output schema")
	require.Len(t, result.Content, 1)
	var failure map[string]any
	require.NoError(t, json.Unmarshal([]byte(result.Content[0].Text), &failure), result.Content[0].Text)
	return failure
}

func TestCallIsWhatRESTAnswers(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	issue := s.CreateIssue(t)
	rest := s.SendAsAdmin(t, http.MethodGet, fmt.Sprintf("/v1/issues/%d/events", issue), "")
	result := s.CallTool(t, surfacetest.AdminToken, "list_issue_events", fmt.Sprintf(`{"id": %d}`, issue))
	require.False(t, result.IsError)
	require.JSONEq(t, rest.Body, string(result.StructuredContent))
	require.Len(t, result.Content, 1)
	require.Equal(t, rest.Body, result.Content[0].Text)
}

func TestCallWithoutOutput(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	project := s.CreateProject(t)
	created := s.CallTool(t, surfacetest.AdminToken, "create_project_key", fmt.Sprintf(`{"project": %d}`, project))
	var key core.Data[core.ProjectKey]
	require.NoError(t, json.Unmarshal(created.StructuredContent, &key))
	result := s.CallTool(t, surfacetest.AdminToken, "delete_project_key",
		fmt.Sprintf(`{"project": "%d", "key": %q}`, project, key.Data.PublicKey))
	require.False(t, result.IsError, result.Content)
	require.Empty(t, result.StructuredContent)
	require.Len(t, result.Content, 1)
	require.NotEmpty(t, result.Content[0].Text)
}

func TestCallWithoutTheScope(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	reader := s.CreateToken(t, core.IssuesRead)
	for _, arguments := range []string{`{"id": 1}`, `{"id": "wrong"}`, `[]`} {
		failure := failureOf(t, s.CallTool(t, reader, "claim_issue", arguments))
		require.Equal(t, "forbidden", failure["error"])
		require.Equal(t, "issues:write", failure["required_scope"])
		require.NotEmpty(t, failure["hint"])
	}
}

func TestCallErrors(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	for _, c := range []struct{ tool, arguments, code, says string }{
		{"get_issue", `{"id": 12345}`, "not_found", ""},
		{"get_issue", `{}`, "invalid_request", "is required"},
		{"get_issue", `null`, "invalid_request", "is required"},
		{"get_issue", `[1]`, "invalid_request", "it is a JSON array"},
		{"get_issue", `"1"`, "invalid_request", "it is a JSON string"},
		{"get_issue", `{"id": "first"}`, "invalid_request", "must be an integer, not string"},
		{"get_issue", `{"id": 9007199254740993}`, "invalid_request", "must be at most 9007199254740991"},
		{"get_issue", `{"id": 1, "issue": 1}`, "invalid_request", "is not a known field; allowed: id"},
		{"list_issues", `{"search": "a\u0000b"}`, "invalid_request", "U+0000"},
		{"list_issues", "{\"search\": \"a\xffb\"}", "invalid_request", "valid UTF-8"},
		{"list_issues", `{"project": "nothing"}`, "project_not_found", ""},
	} {
		result := s.CallTool(t, surfacetest.AdminToken, c.tool, c.arguments)
		failure := failureOf(t, result)
		require.Equal(t, c.code, failure["error"], "%s %s", c.tool, c.arguments)
		require.NotEmpty(t, failure["hint"], "%s %s", c.tool, c.arguments)
		require.Contains(t, result.Content[0].Text, c.says, "%s %s", c.tool, c.arguments)
	}
}

func TestCallWithoutArguments(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	for _, params := range []string{`{"name":"whoami"}`, `{"name":"whoami","arguments":null}`, `{"name":"whoami","arguments":{}}`} {
		answer := s.SendMessage(t, surfacetest.AdminToken, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`, nil)
		require.Contains(t, answer.Body, `"structuredContent"`, params)
		require.Contains(t, answer.Body, "admin_token", params)
	}
}

func TestModernCall(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	message, header := modernMessage("tools/call", `"name":"whoami","arguments":{}`)
	header["Mcp-Name"] = "whoami"
	answer := s.SendMessage(t, surfacetest.AdminToken, message, header)
	require.Equal(t, http.StatusOK, answer.Status, answer.Body)
	require.Contains(t, answer.Body, `"structuredContent":{"data":{"type":"admin_token"`)
	require.Contains(t, answer.Body, `"resultType":"complete"`)
}

func TestCallFailsInside(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	s.Store.Close()
	failure := failureOf(t, s.CallTool(t, surfacetest.AdminToken, "list_projects", `{}`))
	require.Contains(t, []any{"internal", "unavailable"}, failure["error"])
}

// TestCallOfProse checks that a tool whose product is a text answers only the text, and declares no other output: if
// clients get structured content, they show their models nothing else.
func TestCallOfProse(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	issue := s.CreateIssue(t)
	result := s.CallTool(t, surfacetest.AdminToken, "get_brief", fmt.Sprintf(`{"id": %d, "budget": 500}`, issue))
	require.False(t, result.IsError)
	require.Empty(t, result.StructuredContent)
	require.Len(t, result.Content, 1)
	require.Contains(t, result.Content[0].Text, fmt.Sprintf("# Errand issue %d: ", issue))
	for _, tool := range listedTools(t, newHandler(t, nil)) {
		if tool.Name == "get_brief" {
			require.Nil(t, tool.OutputSchema)
		}
	}
}
