//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
	official "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// agent calls a tool over MCP and returns its structured answer, or its error.
type agent func(tool string, args map[string]any) (answer map[string]any, failed bool)

// agents are the MCP clients that run every test of the main job.
var agents = map[string]func(t *testing.T, url, token string) agent{
	"official SDK": officialAgent,
	"mcp-go":       mcpGoAgent,
}

// withToken adds the bearer token to each request.
type withToken struct{ token string }

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.token)
	return http.DefaultTransport.RoundTrip(r)
}

func officialAgent(t *testing.T, url, token string) agent {
	c := official.NewClient(&official.Implementation{Name: "e2e", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), &official.StreamableClientTransport{
		Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: withToken{token}},
	}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return func(tool string, args map[string]any) (map[string]any, bool) {
		result, err := session.CallTool(t.Context(), &official.CallToolParams{Name: tool, Arguments: args})
		require.NoError(t, err, tool)
		if result.IsError {
			return decodeObject(t, result.Content[0].(*official.TextContent).Text), true
		}
		text, err := json.Marshal(result.StructuredContent)
		require.NoError(t, err)
		return decodeObject(t, string(text)), false
	}
}

func mcpGoAgent(t *testing.T, url, token string) agent {
	c, err := client.NewStreamableHttpClient(url+"/mcp", transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}))
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.Start(context.WithoutCancel(t.Context())))
	_, err = c.Initialize(t.Context(), mcpgo.InitializeRequest{Params: mcpgo.InitializeParams{
		ProtocolVersion: mcpgo.LATEST_PROTOCOL_VERSION, ClientInfo: mcpgo.Implementation{Name: "e2e", Version: "1"},
	}})
	require.NoError(t, err)
	return func(tool string, args map[string]any) (map[string]any, bool) {
		result, err := c.CallTool(t.Context(), mcpgo.CallToolRequest{Params: mcpgo.CallToolParams{Name: tool, Arguments: args}})
		require.NoError(t, err, tool)
		if result.IsError {
			return decodeObject(t, result.Content[0].(mcpgo.TextContent).Text), true
		}
		text, err := json.Marshal(result.StructuredContent)
		require.NoError(t, err)
		return decodeObject(t, string(text)), false
	}
}

func decodeObject(t *testing.T, text string) map[string]any {
	var o map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &o), text)
	return o
}
