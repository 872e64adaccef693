package surfacetest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"errand/api/surfacetest"
	"errand/core"
	"errand/store/storetest"
)

var approvalCases = []parityCase{
	{core.ListApprovals.Operation, success, "admin", `{}`},
	{core.ListApprovals.Operation, success, "admin", `{"limit": "1", "cursor": "$approvalcursor"}`},
	{core.ListApprovals.Operation, core.InvalidRequest, "admin", `{"limit": 101}`},
	{core.ListApprovals.Operation, core.InvalidRequest, "admin", `{"cursor": "$issuecursor"}`},

	{core.IgnoreIssue.Operation, held, "agent", `{"id": $issue}`},
	{core.IgnoreIssue.Operation, held, "admin", `{"id": "$resolved"}`},
	{core.IgnoreIssue.Operation, held, "agent", `{"id": "$issue", "until": "1h"}`},

	{core.MergeIssues.Operation, held, "agent", `{"id": $issue, "source_ids": "$resolved"}`},

	{core.ListActivity.Operation, success, "admin", `{}`},
	{core.ListActivity.Operation, success, "admin", `{"limit": "2"}`},
	{core.ListActivity.Operation, success, "admin", `{"project": $project, "action": "issue.note", "actor": "writer", "since": "7d"}`},
	{core.ListActivity.Operation, success, "admin", `{"issue": "$issue"}`},
	{core.ListActivity.Operation, core.NotFound, "admin", `{"issue": 987654321}`},
	{core.ListActivity.Operation, core.ProjectNotFound, "admin", `{"project": "no-such-app"}`},
	{core.ListActivity.Operation, core.InvalidRequest, "admin", `{"action": "issue"}`},
	{core.ListActivity.Operation, core.InvalidRequest, "admin", `{"limit": 0}`},
	{core.ListActivity.Operation, core.InvalidRequest, "admin", `{"cursor": "$issuecursor"}`},

	{core.ListLabels.Operation, success, "admin", `{}`},
	{core.ListLabels.Operation, success, "admin", `{"limit": 1000, "since": "7d"}`},
	{core.ListLabels.Operation, core.InvalidRequest, "admin", `{"limit": 1001}`},
	{core.ListLabels.Operation, core.InvalidRequest, "admin", `{"since": "yesterday"}`},
	{core.ListLabels.Operation, core.InvalidRequest, "admin", `{"cursor": "$issuecursor"}`},
}

// TestApprovalOverREST decides requests over REST, since no tool does.
func TestApprovalOverREST(t *testing.T) {
	t.Parallel()
	s := surfacetest.ServeSurfaces(t, surfacetest.Options{Store: storetest.New(t), Settings: holdActions("ignore")})
	agent, second, issue := s.CreateToken(t, core.IssuesWrite), s.CreateToken(t, core.Admin), s.CreateIssue(t)
	call := func(token, path string) surfacetest.Answer {
		t.Helper()
		return s.SendRequest(t, surfacetest.Request{Method: http.MethodPost, Path: path, Token: token})
	}
	ignore := fmt.Sprintf("/v1/issues/%d/ignore", issue)
	for i, token := range []string{agent, surfacetest.AdminToken} {
		answer := call(token, ignore)
		require.Equal(t, http.StatusAccepted, answer.Status)
		require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
		require.JSONEq(t, fmt.Sprintf(`{"status": "approval_required", "approval_id": %d}`, i+1), answer.Body)
	}
	for _, c := range []struct {
		token, path string
		status      int
		body        string
	}{
		{agent, "/v1/approvals/1/approve", 403, `{"error": "forbidden", "required_scope": "admin"}`},
		{surfacetest.AdminToken, "/v1/approvals/2/approve", 403,
			`{"error": "forbidden", "reason": "the request is your own: another admin must decide it"}`},
		{surfacetest.AdminToken, "/v1/approvals/2/reject", 403,
			`{"error": "forbidden", "reason": "the request is your own: another admin must decide it"}`},
		{second, "/v1/approvals/3/approve", 404, `{"error": "not_found"}`},
		{second, "/v1/approvals/2/reject", 200, `{"data": {"id": 2, "decision": "reject"}}`},
		{second, "/v1/approvals/2/approve", 409, `{"error": "approval_not_pending"}`},
		{second, "/v1/approvals/1/approve", 200, `{"data": {"id": 1, "decision": "approve"}}`},
		{surfacetest.AdminToken, "/v1/approvals/1/reject", 409, `{"error": "approval_not_pending"}`},
	} {
		answer := call(c.token, c.path)
		require.Equal(t, c.status, answer.Status, "%s: %s", c.path, answer.Body)
		require.JSONEq(t, c.body, answer.Body, c.path)
	}
	answer := call(agent, ignore)
	require.Equal(t, http.StatusOK, answer.Status, "it is ignored now, so nothing changes")
	require.Contains(t, answer.Body, `"status":"ignored"`)
}

func TestDeletionIsHeldOverREST(t *testing.T) {
	t.Parallel()
	s := surfacetest.ServeSurfaces(t, surfacetest.Options{Store: storetest.New(t), Settings: holdActions("delete_project")})
	answer := s.SendAsAdmin(t, http.MethodDelete, fmt.Sprintf("/v1/projects/%d", s.CreateProject(t)), "")
	require.Equal(t, http.StatusAccepted, answer.Status)
	require.JSONEq(t, `{"status": "approval_required", "approval_id": 1}`, answer.Body)
}

// TestHeldAnswersFitTheOutputSchema checks that a client which validates results accepts both answers of a tool.
func TestHeldAnswersFitTheOutputSchema(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	holding := surfacetest.ServeSurfaces(t, surfacetest.Options{Store: db, Settings: holdActions("ignore")})
	issue := holding.CreateIssue(t)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("tool", outputSchemaOf(t, holding, "ignore_issue")))
	schema, err := compiler.Compile("tool")
	require.NoError(t, err)
	for _, held := range []string{"ignore", "none"} {
		storetest.SaveSettings(t, db, holdActions(held))
		result := holding.CallTool(t, surfacetest.AdminToken, "ignore_issue", fmt.Sprintf(`{"id": %d}`, issue))
		require.False(t, result.IsError)
		require.NoError(t, schema.Validate(any(objectOf(t, string(result.StructuredContent)))), string(result.StructuredContent))
	}
	require.Error(t, schema.Validate(any(map[string]any{"approval_id": "one"})))
}

// outputSchemaOf returns the output schema in tools/list.
func outputSchemaOf(t *testing.T, s *surfacetest.Surface, name string) any {
	t.Helper()
	answer := s.SendMessage(t, surfacetest.AdminToken, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil)
	result, _ := objectOf(t, answer.Body)["result"].(map[string]any)
	tools, _ := result["tools"].([]any)
	for _, tool := range tools {
		if described, _ := tool.(map[string]any); described["name"] == name {
			return described["outputSchema"]
		}
	}
	t.Fatalf("no tool is called %s", name)
	return nil
}
