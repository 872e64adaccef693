//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	official "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// mcpAgent works through the official MCP client, with a setup key or a token, and counts the cost.
type mcpAgent struct {
	t       *testing.T
	session *official.ClientSession
	tools   int
	calls   int
	bytes   int
	log     strings.Builder
}

func connectMCPAgent(t *testing.T, url, credential string) *mcpAgent {
	t.Helper()
	c := official.NewClient(&official.Implementation{Name: "e2e-agent", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), &official.StreamableClientTransport{
		Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: withToken{credential}},
	}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	a := &mcpAgent{t: t, session: session}
	a.note("instructions", session.InitializeResult().Instructions)
	tools, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	text, err := json.Marshal(tools)
	require.NoError(t, err)
	a.note(fmt.Sprintf("tools/list (%d tools)", len(tools.Tools)), string(text))
	a.tools = len(tools.Tools)
	return a
}

// note counts a text that the agent reads or writes.
func (a *mcpAgent) note(what, text string) {
	a.bytes += len(text)
	fmt.Fprintf(&a.log, "%-70s %5d tokens\n", what, len(text)/4)
}

// call calls a tool and returns the text of its answer.
func (a *mcpAgent) call(tool string, arguments map[string]any) string {
	a.t.Helper()
	a.calls++
	written, err := json.Marshal(arguments)
	require.NoError(a.t, err)
	result, err := a.session.CallTool(a.t.Context(), &official.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(a.t, err)
	text := result.Content[0].(*official.TextContent).Text
	require.False(a.t, result.IsError, text)
	a.note(fmt.Sprintf("%d. %s %s", a.calls, tool, written), string(written)+text)
	return text
}

// TestSetupByAnAgent goes from a setup key to the first error of an application, and to its fix.
func TestSetupByAnAgent(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	var made struct{ Data struct{ Key, Prompt string } }
	require.Equal(t, 201, s.callAPI(adminToken, "POST", "/v1/setup/keys", "", &made))
	a := connectMCPAgent(t, s.url, made.Data.Key)
	require.LessOrEqual(t, a.tools, 8)
	a.note("prompt of the setup key", made.Data.Prompt)

	slug := a.setUpNode(s, made.Data.Key)
	var token struct{ Data struct{ Token string } }
	require.NoError(t, json.Unmarshal([]byte(a.call("create_agent_token", map[string]any{"name": "fixer", "project": slug})), &token))
	t.Logf("from a setup key to the first error: %d calls, %d tokens\n%s", a.calls, a.bytes/4, a.log.String())
	require.LessOrEqual(t, a.calls, 8)
	require.Less(t, a.bytes/4, 10_000)

	fixer := connectMCPAgent(t, s.url, token.Data.Token)
	fixer.fixIssue(s, slug)

	t.Logf("from the token to the first fix: %d calls, %d tokens\n%s", fixer.calls, fixer.bytes/4, fixer.log.String())
	require.NotContains(t, s.log.String(), made.Data.Key)
	require.NotContains(t, s.log.String(), token.Data.Token)
}

// setUpNode connects a Node.js application according to the guide, and returns its slug after its first error has arrived.
func (a *mcpAgent) setUpNode(s *server, key string) (slug string) {
	a.t.Helper()
	var app struct {
		Data struct{ Project struct{ Slug string } }
	}
	require.NoError(a.t, json.Unmarshal([]byte(a.call("register_app", map[string]any{"name": "Web shop", "platform": "node"})), &app))
	slug = app.Data.Project.Slug
	g := guideOf{t: a.t, server: s, key: key, project: slug}
	g.markdown = a.call("get_setup_guide", map[string]any{"platform": "node", "project": slug})
	dir := tempBeside(a.t, ".")
	g.writeBlocks(dir, "instrument.mjs", "first-error.mjs")
	require.Contains(a.t, a.call("report_setup_step", map[string]any{"project": slug, "step": "sdk_installed"}), "get_setup_progress")
	a.call("send_test_event", map[string]any{"project": slug})
	g.runCommand(dir, "node", "--import", "./instrument.mjs", "first-error.mjs")
	g.requireFirstError()
	progress := a.call("get_setup_progress", map[string]any{})
	require.NotContains(a.t, progress, `"first_event_at":null`)
	require.Contains(a.t, progress, `"agent":"e2e-agent"`)
	return slug
}

// fixIssue takes the application's one error, and links the commit that fixes it.
func (a *mcpAgent) fixIssue(s *server, slug string) {
	a.t.Helper()
	require.Contains(a.t, a.call("next_issue", map[string]any{"project": slug}), "first error of "+slug)
	var list struct {
		Data []struct {
			ID     int64
			Status string
		}
	}
	require.Equal(a.t, 200, s.callAPI(adminToken, "GET", "/v1/issues?project="+slug, "", &list))
	require.Len(a.t, list.Data, 1)
	a.call("link_fix", map[string]any{
		"id": list.Data[0].ID, "commit": "9c1185a5c5e9fc54612808977ee8f548b2258d31",
		"note": "The error was thrown on purpose; the throw is gone.",
	})
	require.Equal(a.t, 200, s.callAPI(adminToken, "GET", "/v1/issues?project="+slug, "", &list))
	require.Equal(a.t, "fix_pending", list.Data[0].Status)
}
