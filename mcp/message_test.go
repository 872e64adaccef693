package mcp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireProblem requires an answer to be an error of JSON-RPC, without the words of Go's decoder.
func requireProblem(t *testing.T, answer *httptest.ResponseRecorder, code int, message, sent string) {
	t.Helper()
	var response struct {
		Error struct {
			Code    int
			Message string
		}
	}
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &response), sent)
	require.Equal(t, code, response.Error.Code, sent)
	require.Equal(t, message, response.Error.Message, sent)
	require.NotRegexp(t, `json:|Go |unmarshal|unparsable|invalid character|base64|mcp\.`, answer.Body.String(), sent)
}

func TestProblemsOfMessagesAreInPlainWords(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	const one = "the message must be one JSON object; batches are not taken"
	for message, want := range map[string]struct {
		code int
		text string
	}{
		``:                         {-32700, "the message is not valid JSON"},
		`{"jsonrpc":`:              {-32700, "the message is not valid JSON"},
		"\xff":                     {-32700, "the message is not valid JSON"},
		`[` + listTools + `]`:      {-32600, one},
		` null `:                   {-32600, one},
		`-7`:                       {-32600, one},
		`[]`:                       {-32600, one},
		`{"jsonrpc":"2.0","id":1}`: {-32600, "method is missing"},
		`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`:              {-32600, "the message answers a request, but the server makes none"},
		`{"jsonrpc":"2.0","id":1,"error":{}}`:                    {-32600, "the message answers a request, but the server makes none"},
		`{"id":1,"method":"ping"}`:                               {-32600, `jsonrpc must be "2.0"`},
		`{"jsonrpc":2,"method":"x"}`:                             {-32600, `jsonrpc must be "2.0"`},
		requestMessage(`"method":{}`):                            {-32600, "method must be a string"},
		requestMessage(`"method":null`):                          {-32600, "method must be a string"},
		requestMessage(`"params":"x"`):                           {-32602, "params must be an object"},
		callMessage("tools/call", `{"name":5}`):                  {-32602, "params.name must be a string"},
		callMessage("tools/call", `{"name":"whoami","_meta":3}`): {-32602, "params._meta must be an object"},
		callMessage("initialize", `{"clientInfo":{"name":[]}}`):  {-32602, "params.clientInfo.name must be a string"},
		callMessage("initialize", `{"capabilities":true}`):       {-32602, "params.capabilities must be an object"},
		callMessage("prompts/get", `{"name":"triage_inbox","arguments":{"project":1}}`): {-32602,
			"params.arguments must be an object of strings"},
		callMessage("prompts/list", `{"cursor":1}`): {-32602, "params.cursor must be a string"},
		callMessage("tools/list", `{"cursor":"%%"}`): {-32602,
			"params.cursor is unknown: the list has one page"},
		callMessage("ping", `{"_meta":"x"}`):        {-32602, "params._meta must be an object"},
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`: {-32600, "id must be a string or a number"},
	} {
		requireProblem(t, postMessage(h, message, nil), want.code, want.text, message)
	}
	for _, message := range []string{
		listTools, callMessage("ping", "null"), callMessage("ping", `{"_meta":{"progressToken":7}}`),
		`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":""}}`,
		callMessage("prompts/get", `{"name":"triage_inbox","arguments":{"project":"shop"}}`),
	} {
		answer := postMessage(h, message, nil)
		require.Contains(t, answer.Body.String(), `"result"`, message)
	}
}

// requestMessage is a message whose members may be repeated.
func requestMessage(members string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/list",` + members + `}`
}

func callMessage(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

// Clients of each protocol version look at the status and the id of an answer.
func TestProblemsOfMessagesNameTheRequest(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	answer := postMessage(h, `{"jsonrpc":"2.0","id":"seven","method":"tools/call","params":{"name":{}}}`, nil)
	require.Equal(t, http.StatusOK, answer.Code)
	require.Contains(t, answer.Body.String(), `"id":"seven"`)
	answer = postModern(h, "tools/call", `"name":{}`)
	require.Equal(t, http.StatusBadRequest, answer.Code)
	require.Contains(t, answer.Body.String(), `"code":-32602`)
	answer = postMessage(h, `{`, nil)
	require.Equal(t, http.StatusBadRequest, answer.Code)
	require.Contains(t, answer.Body.String(), `"id":null`)
}

// Clients read errors only from JSON: other texts reach nobody.
func TestRefusalsAreJSON(t *testing.T) {
	t.Parallel()
	h := newHandler(t, nil)
	for _, mediaType := range []string{"", "text/plain", "application/xml", "application/json-seq", ";"} {
		answer := postMessage(h, listTools, map[string]string{"Content-Type": mediaType})
		require.Equal(t, http.StatusBadRequest, answer.Code, mediaType)
		requireProblem(t, answer, -32600, "the header Content-Type must be application/json", mediaType)
	}
	answer := postMessage(h, listTools, map[string]string{"Content-Type": "Application/JSON; charset=utf-8"})
	require.Equal(t, http.StatusOK, answer.Code)
	require.Equal(t, http.StatusAccepted, postMessage(h, `{"jsonrpc":"2.0","id":1,"result":{}}`, nil).Code, "a client answers a ping")
}
