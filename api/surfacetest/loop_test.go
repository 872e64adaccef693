package surfacetest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api/surfacetest"
	"errand/core"
	"errand/store/storetest"
)

// nextOf returns the calls that a tool's answer proposes, by the name of the tool.
func nextOf(t *testing.T, result surfacetest.ToolResult) map[string]map[string]any {
	t.Helper()
	var answer struct {
		Next []struct {
			Tool      string
			Arguments map[string]any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(result.Content[0].Text), &answer), result.Content[0].Text)
	require.LessOrEqual(t, len(answer.Next), 2)
	calls := map[string]map[string]any{}
	for _, call := range answer.Next {
		require.NotNil(t, call.Arguments, "an object, never null")
		calls[call.Tool] = call.Arguments
	}
	return calls
}

func TestTheAddressNamesTheProject(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	first, second := s.CreateIssue(t), s.CreateIssue(t) // each in its own project: web-shop and web-shop-1
	list := func(address, arguments string) string {
		message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_issues","arguments":%s}}`, arguments)
		answer := s.SendRequest(t, surfacetest.Request{
			Method: http.MethodPost, Path: address, Token: surfacetest.AdminToken, Body: strings.NewReader(message),
			Header: map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"},
		})
		require.Equal(t, http.StatusOK, answer.Status, answer.Body)
		return answer.Body
	}
	has := func(body string, id int64) bool { return strings.Contains(body, fmt.Sprintf(`"data":[{"id":%d,`, id)) }

	require.True(t, has(list("/mcp?project=web-shop", `{}`), first))
	require.True(t, has(list("/mcp?project=WEB-Shop-1", `{}`), second), "in any case")
	require.True(t, has(list("/mcp?project=web-shop", `{"project":"web-shop-1"}`), second), "what a call names goes before it")
	require.Contains(t, list("/mcp?project=no-such", `{}`), "project_not_found")
}

func TestProjectsAreNamedInAnyCase(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	id := s.CreateIssue(t)

	for _, name := range []string{"web-shop", "Web-Shop", "WEB-SHOP"} {
		result := s.CallTool(t, surfacetest.AdminToken, "list_issues", fmt.Sprintf(`{"project": %q}`, name))
		require.False(t, result.IsError, "%s: %v", name, result.Content)
		require.Contains(t, result.Content[0].Text, fmt.Sprintf(`"id":%d`, id), name)
	}
}

func TestPromptsCompleteProjects(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	s.CreateProject(t)
	s.CreateProject(t)
	complete := func(token, argument, value string) string {
		message := `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"fix_next_issue"},` +
			`"argument":{"name":%q,"value":%q}}}`
		answer := s.SendMessage(t, token, fmt.Sprintf(message, argument, value), nil)
		var said struct {
			Result struct{ Completion struct{ Values []string } }
		}
		require.NoError(t, json.Unmarshal([]byte(answer.Body), &said), answer.Body)
		return strings.Join(said.Result.Completion.Values, " ")
	}

	require.ElementsMatch(t, []string{"web-shop", "web-shop-1"}, strings.Fields(complete(surfacetest.AdminToken, "project", "WEB")))
	require.Equal(t, "web-shop-1", complete(surfacetest.AdminToken, "project", "web-shop-"))
	require.Empty(t, complete(surfacetest.AdminToken, "project", "other"))
	require.Empty(t, complete(surfacetest.AdminToken, "issue", "web"))
}

// Every operation that takes the id of an issue takes it as id and as issue_id.
func TestIssuesAreNamedByBothNames(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	both := 0
	for _, op := range s.Registry.Catalogue().Tools() {
		for _, field := range op.Fields() {
			if field.Name != "id" && field.Name != "issue_id" || !strings.Contains(op.Route, "/issues/") && field.Name == "id" {
				continue
			}
			both++
			t.Run(op.Name+" "+field.Name, func(t *testing.T) {
				t.Parallel()
				for _, name := range []string{"id", "issue_id"} {
					result := s.CallTool(t, surfacetest.AdminToken, op.Name, fmt.Sprintf(`{%q: 999999999}`, name))
					for _, c := range result.Content {
						require.NotContains(t, c.Text, `"path":"id"`, name)
						require.NotContains(t, c.Text, `"path":"issue_id"`, name)
					}
				}
			})
		}
	}
	require.Greater(t, both, 10)
}

func TestErrorsSayWhatToCallNext(t *testing.T) {
	t.Parallel()
	s := surfacetest.New(t)
	token := s.CreateToken(t, core.IssuesRead, core.IssuesWrite)
	first := s.CreateIssue(t)
	call := func(tool, arguments string) surfacetest.ToolResult { return s.CallTool(t, token, tool, arguments) }

	unknown := call("list_issues", `{"project": "no-such"}`)
	require.Contains(t, nextOf(t, unknown), "list_projects")
	require.Contains(t, unknown.Content[0].Text, `"web-shop"`, "the slugs there are")

	storetest.MakeProject(t, s.Store, storetest.Shop, "Shop")
	second := storetest.MakeIssue(t, s.Store, "another")
	third := storetest.MakeIssue(t, s.Store, "a third")
	merged := s.CallTool(t, surfacetest.AdminToken, "merge_issues", fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, third, second))
	require.False(t, merged.IsError, merged.Content)
	refused := call("claim_issue", fmt.Sprintf(`{"issue_id": %d, "worker": "red"}`, second))
	require.True(t, refused.IsError)
	require.Equal(t, map[string]map[string]any{"claim_issue": {"id": float64(third), "worker": "red"}}, nextOf(t, refused))

	require.False(t, s.CallTool(t, surfacetest.AdminToken, "claim_issue", fmt.Sprintf(`{"id": %d}`, first)).IsError)
	claimed := call("claim_issue", fmt.Sprintf(`{"id": %d}`, first))
	require.Contains(t, nextOf(t, claimed), "next_issue")

	reader := s.CreateToken(t, core.IssuesRead)
	forbidden := s.CallTool(t, reader, "claim_issue", fmt.Sprintf(`{"id": %d}`, first))
	require.Equal(t, map[string]map[string]any{"whoami": {}}, nextOf(t, forbidden), "only what the token may call")

	link := call("link_fix", fmt.Sprintf(`{"issue_id": %d, "pr_url": "https://github.com/acme/shop/pull/7", "note": "null check"}`, second))
	require.Equal(t, map[string]map[string]any{"link_fix": {
		"id": float64(third), "pr_url": "https://github.com/acme/shop/pull/7", "note": "null check",
	}}, nextOf(t, link), "the whole call, of the target")
	for _, read := range []string{"get_brief", "find_similar"} {
		require.Contains(t, nextOf(t, call(read, fmt.Sprintf(`{"issue_id": %d}`, second))), read)
	}
	require.Empty(t, nextOf(t, call("get_release", `{"project": "web-shop", "version": "no-such"}`)), "no issue was asked for")
}
