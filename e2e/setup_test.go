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

// setupAgent is an agent with a setup key, through the official MCP client, which counts what it costs.
type setupAgent struct {
	t       *testing.T
	session *official.ClientSession
	calls   int
	bytes   int
	log     strings.Builder
}

func connectSetupAgent(t *testing.T, url, key string) *setupAgent {
	t.Helper()
	c := official.NewClient(&official.Implementation{Name: "e2e-agent", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), &official.StreamableClientTransport{
		Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: withToken{key}},
	}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	a := &setupAgent{t: t, session: session}
	a.note("instructions", session.InitializeResult().Instructions)
	tools, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.LessOrEqual(t, len(tools.Tools), 8)
	text, err := json.Marshal(tools)
	require.NoError(t, err)
	a.note("tools/list", string(text))
	return a
}

// note counts a text that the agent reads or writes.
func (a *setupAgent) note(what, text string) {
	a.bytes += len(text)
	fmt.Fprintf(&a.log, "%-70s %5d tokens\n", what, len(text)/4)
}

// call calls a tool and returns the text of its answer.
func (a *setupAgent) call(tool string, arguments map[string]any) string {
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

// TestSetupByAnAgent goes from a setup key to the first error of an application.
func TestSetupByAnAgent(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	var made struct{ Data struct{ Key, Prompt string } }
	require.Equal(t, 201, s.callAPI(adminToken, "POST", "/v1/setup/keys", "", &made))
	a := connectSetupAgent(t, s.url, made.Data.Key)
	a.note("prompt of the setup key", made.Data.Prompt)

	var app struct {
		Data struct{ Project struct{ Slug string } }
	}
	require.NoError(t, json.Unmarshal([]byte(a.call("register_app", map[string]any{"name": "Web shop", "platform": "node"})), &app))
	slug := app.Data.Project.Slug
	g := guideOf{t: t, server: s, key: made.Data.Key, project: slug}
	g.markdown = a.call("get_setup_guide", map[string]any{"platform": "node", "project": slug})
	dir := tempBeside(t, ".")
	g.writeBlocks(dir, "instrument.mjs", "first-error.mjs")
	require.Contains(t, a.call("report_setup_step", map[string]any{"project": slug, "step": "sdk_installed"}), "get_setup_progress")
	a.call("send_test_event", map[string]any{"project": slug})
	g.runCommand(dir, "node", "--import", "./instrument.mjs", "first-error.mjs")
	g.requireFirstError()
	progress := a.call("get_setup_progress", map[string]any{})
	require.NotContains(t, progress, `"first_event_at":null`)
	require.Contains(t, progress, `"agent":"e2e-agent"`)
	var token struct{ Data struct{ Token string } }
	require.NoError(t, json.Unmarshal([]byte(a.call("create_agent_token", map[string]any{"name": "fixer", "project": slug})), &token))
	require.Equal(t, 200, s.callAPI(token.Data.Token, "GET", "/v1/issues?project="+slug, "", nil))

	t.Logf("from a setup key to the first error: %d calls, %d tokens\n%s", a.calls, a.bytes/4, a.log.String())
	require.LessOrEqual(t, a.calls, 8)
	require.Less(t, a.bytes/4, 10_000)
	require.NotContains(t, s.log.String(), made.Data.Key)
}
