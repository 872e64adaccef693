package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/mcp"
	"errand/prompts"
	"errand/wire"
)

var legacyVersions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

func TestInitialize(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	for _, version := range legacyVersions {
		answer := postMessage(h,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,`+
				`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, version), nil)
		require.Equal(t, http.StatusOK, answer.Code)
		require.Empty(t, answer.Header().Get("Mcp-Session-Id"), "the server is stateless")
		var response struct {
			Result struct {
				ProtocolVersion string
				Instructions    string
				Capabilities    map[string]map[string]any
				ServerInfo      struct{ Name, Title string }
			}
		}
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &response))
		require.Equal(t, version, response.Result.ProtocolVersion)
		require.Equal(t, prompts.RenderInstructions(core.NewBootstrapActor()), response.Result.Instructions)
		require.Equal(t, map[string]map[string]any{"tools": {}, "prompts": {}, "completions": {}}, response.Result.Capabilities)
		require.Equal(t, "errand", response.Result.ServerInfo.Name)
	}
}

func TestProtocolVersionHeader(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	for _, version := range append([]string{""}, legacyVersions...) {
		header := map[string]string{}
		if version != "" {
			header["Mcp-Protocol-Version"] = version
		}
		require.Equal(t, http.StatusOK, postMessage(h, listTools, header).Code, version)
	}
	for _, version := range []string{"2024-10-07", "2025-01-01", "1", "2027-01-01", "latest"} {
		answer := postMessage(h, listTools, map[string]string{"Mcp-Protocol-Version": version})
		require.Equal(t, http.StatusBadRequest, answer.Code, version)
		require.Equal(t, "application/json", answer.Header().Get("Content-Type"), version)
		if version < "2026" {
			require.Contains(t, answer.Body.String(), "2025-06-18", "it names the versions")
		}
	}
}

// modernMessage makes a message of protocol version 2026-07-28, which has no handshake, and its headers.
func modernMessage(method, params string) (string, map[string]string) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	if params != "" {
		params += ","
	}
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, params, meta)
	return message, map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method}
}

func TestModernProtocol(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	discover := postModern(h, "server/discover", "")
	require.Equal(t, http.StatusOK, discover.Code, discover.Body)
	for _, version := range append([]string{"2026-07-28"}, legacyVersions...) {
		require.Contains(t, discover.Body.String(), version)
	}
	list := postModern(h, "tools/list", "")
	require.Equal(t, http.StatusOK, list.Code, list.Body)
	require.Contains(t, list.Body.String(), `"whoami"`)
	require.Contains(t, list.Body.String(), `"cacheScope":"private"`, "what a token may see is for its owner only")
	require.Contains(t, list.Body.String(), `"ttlMs":300000`)
}

func postModern(h http.Handler, method, params string) *httptest.ResponseRecorder {
	message, header := modernMessage(method, params)
	return postMessage(h, message, header)
}

func TestNothingIsSubscribed(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	answer := postModern(h, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
	require.Equal(t, http.StatusNotFound, answer.Code)
	requireProblem(t, answer, -32601, "subscriptions/listen is not supported: the server sends no notifications", "listen")
	require.Contains(t, answer.Body.String(), `"id":1`)

	message, header := modernMessage("subscriptions/listen", `"notifications":{}`)
	header["Mcp-Method"] = "tools/list"
	mismatch := postMessage(h, message, header)
	require.Equal(t, http.StatusBadRequest, mismatch.Code, "header and message disagree")
	require.Contains(t, mismatch.Body.String(), `"code":-32020`)

	old := postMessage(h, callMessage("subscriptions/listen", `{"notifications":{}}`), nil)
	require.Contains(t, old.Body.String(), `"code":-32601`, "the older versions do not know it")
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	listed := postMessage(h, `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, nil)
	for _, prompt := range prompts.AllPrompts() {
		require.Contains(t, listed.Body.String(), `"`+prompt.Name+`"`)
		want, err := prompt.Render(map[string]string{"project": "web-shop"})
		require.NoError(t, err)
		answer := postMessage(h,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":%q,"arguments":{"project":"web-shop"}}}`, prompt.Name), nil)
		var response struct {
			Result struct {
				Messages []struct {
					Role    string
					Content struct{ Text string }
				}
			}
		}
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &response))
		require.Len(t, response.Result.Messages, 1)
		require.Equal(t, "user", response.Result.Messages[0].Role)
		require.Equal(t, want, response.Result.Messages[0].Content.Text)
	}
	refused := postMessage(h, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"triage_inbox","arguments":{"projct":"x"}}}`,
		nil)
	requireProblem(t, refused, -32602, "params.arguments.projct is not an argument of triage_inbox", "prompts/get")
}

func TestUnknownTool(t *testing.T) {
	t.Parallel()
	answer := postMessage(newHandler(t, nil), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drop_database"}}`, nil)
	require.Contains(t, answer.Body.String(), `"code":-32602`)
}

func TestOnlyPOST(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut, http.MethodHead, http.MethodOptions} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/mcp", nil))
		require.Equal(t, http.StatusMethodNotAllowed, w.Code, method)
		require.Equal(t, "POST", w.Header().Get("Allow"), method)
		require.JSONEq(t, `{"error":"method_not_allowed"}`, w.Body.String(), method)
	}
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	h := newHandler(t, func(o *mcp.Options) { o.AllowedOrigins = []string{"https://Tools.example:8443"} })
	for origin, status := range map[string]int{
		"":                            http.StatusOK,
		baseURL:                       http.StatusOK,
		"HTTPS://Errand.Example":      http.StatusOK,
		"https://tools.example:8443":  http.StatusOK,
		"https://tools.example":       http.StatusForbidden,
		"http://tools.example:8443":   http.StatusForbidden,
		"https://evil.example":        http.StatusForbidden,
		"https://errand.example:8443": http.StatusForbidden,
		"https://errand.example.evil": http.StatusForbidden,
		"http://localhost:8080":       http.StatusForbidden,
		"null":                        http.StatusForbidden,
		"::":                          http.StatusForbidden,
	} {
		header := map[string]string{}
		if origin != "" {
			header["Origin"] = origin
		}
		answer := postMessage(h, listTools, header)
		require.Equal(t, status, answer.Code, origin)
		if status == http.StatusForbidden {
			require.JSONEq(t, `{"error":"forbidden_origin"}`, answer.Body.String(), origin)
		}
	}
}

func TestNoBaseURLAllowsNoOrigin(t *testing.T) {
	t.Parallel()
	h := newHandler(t, func(o *mcp.Options) { o.BaseURL = func() string { return "" } })
	require.Equal(t, http.StatusForbidden, postMessage(h, listTools, map[string]string{"Origin": "null"}).Code)
	require.Equal(t, http.StatusOK, postMessage(h, listTools, nil).Code)
}

// A proxy on the same host connects over loopback with the public Host.
func TestProxyOnTheSameHost(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newHandler(t, nil))
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(listTools))
	require.NoError(t, err)
	request.Host = "errand.example"
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	exact := listTools + strings.Repeat(" ", wire.MaxBody-len(listTools))
	require.Equal(t, http.StatusOK, postMessage(h, exact, nil).Code)
	answer := postMessage(h, exact+" ", nil)
	require.Equal(t, http.StatusRequestEntityTooLarge, answer.Code)
	require.JSONEq(t, `{"error":"payload_too_large","max_bytes":1048576}`, answer.Body.String())
}

func TestBrokenMessages(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	for _, message := range []string{"", "{", "null", "[]", `[` + listTools + `]`, `"text"`, `{"jsonrpc":"2.0","id":1}`,
		`{"jsonrpc":"1.0","id":1,"method":"tools/list"}`, "\xff"} {
		answer := postMessage(h, message, nil)
		require.Less(t, answer.Code, http.StatusInternalServerError, message)
		require.NotContains(t, answer.Body.String(), `"tools"`, message)
	}
}

// One client's cancel must not reach another's call with the same id.
func TestCancelOfAnotherClient(t *testing.T) {
	t.Parallel()
	started, release, outcome := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	h := newHandler(t, func(o *mcp.Options) {
		o.Call = func(ctx context.Context) core.Call {
			close(started)
			<-release
			outcome <- ctx.Err()
			return core.Call{Actor: core.NewBootstrapActor()}
		}
	})
	answered := make(chan int, 1)
	go func() { answered <- postMessage(h, listTools, nil).Code }()
	<-started
	cancel := postMessage(h, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, nil)
	require.Equal(t, http.StatusAccepted, cancel.Code)
	close(release)
	require.NoError(t, <-outcome)
	require.Equal(t, http.StatusOK, <-answered)
}
