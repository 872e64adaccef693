package mcp

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"errand/core"
	"errand/prompts"
	"errand/wire"
)

// message has the members that every message of JSON-RPC has.
type message struct {
	JSONRPC json.RawMessage `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  json.RawMessage `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"` // in an answer, as is error
	Error   json.RawMessage `json:"error"`
}

// messageProblem is a fault of a message, in the words and with the codes of JSON-RPC.
type messageProblem struct {
	id   json.RawMessage
	code int
	text string
}

// checkMessage finds faults that mcp-go would report in the words of Go's decoder; nil when there are none.
func checkMessage(body []byte) *messageProblem {
	if !json.Valid(body) {
		return &messageProblem{code: protocol.PARSE_ERROR, text: "the message is not valid JSON"}
	}
	var m message
	if json.Unmarshal(body, &m) != nil || kindOf(body) != '{' {
		return &messageProblem{code: protocol.INVALID_REQUEST, text: "the message must be one JSON object; batches are not taken"}
	}
	if m.Method == nil {
		return checkAnswer(m)
	}
	problem := &messageProblem{code: protocol.INVALID_REQUEST}
	if m.ID != nil {
		if kind := kindOf(m.ID); kind != '"' && kind != '0' {
			problem.text = "id must be a string or a number"
			return problem
		}
		problem.id = m.ID
	}
	switch {
	case string(m.JSONRPC) != `"`+protocol.JSONRPC_VERSION+`"`:
		problem.text = `jsonrpc must be "` + protocol.JSONRPC_VERSION + `"`
	case kindOf(m.Method) != '"':
		problem.text = "method must be a string"
	case m.Params != nil && kindOf(m.Params) != '{' && string(m.Params) != "null":
		problem.code, problem.text = protocol.INVALID_PARAMS, "params must be an object"
	default:
		var method protocol.MCPMethod
		_ = json.Unmarshal(m.Method, &method) // it is a string
		problem.code, problem.text = protocol.INVALID_PARAMS, checkParams(method, body)
	}
	if problem.text == "" {
		return nil
	}
	return problem
}

// checkAnswer refuses a message without a method: an answer to a request that the server never made. An empty answer
// passes, since clients answer pings with it.
func checkAnswer(m message) *messageProblem {
	switch {
	case m.Result == nil && m.Error == nil:
		return &messageProblem{code: protocol.INVALID_REQUEST, text: "method is missing"}
	case string(m.Result) == "{}" && m.Error == nil:
		return nil
	}
	return &messageProblem{code: protocol.INVALID_REQUEST, text: "the message answers a request, but the server makes none"}
}

// kindOf returns the first character of a JSON value; 0 for every number.
func kindOf(value []byte) byte {
	for _, c := range value {
		switch {
		case strings.IndexByte(" \t\r\n", c) >= 0:
		case c == '-' || c >= '0' && c <= '9':
			return '0'
		default:
			return c
		}
	}
	return 0
}

// checkParams returns the fault in the params of a request, as mcp-go reads them; empty for none.
func checkParams(method protocol.MCPMethod, body []byte) string {
	var request any
	var list protocol.PaginatedRequest
	switch method {
	case protocol.MethodInitialize:
		request = new(protocol.InitializeRequest)
	case protocol.MethodToolsCall:
		request = new(protocol.CallToolRequest)
	case protocol.MethodPromptsGet:
		request = new(protocol.GetPromptRequest)
	case protocol.MethodToolsList, protocol.MethodPromptsList:
		request = &list
	case protocol.MethodSubscriptionsListen:
		request = new(protocol.SubscriptionsListenRequest)
	default:
		request = new(protocol.PingRequest) // the params that every request has
	}
	err := json.Unmarshal(body, request)
	if err == nil {
		err = json.Unmarshal(body, new(protocol.PingRequest))
	}
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		if method == protocol.MethodPromptsGet && fieldOf(wrong) == "params.arguments" {
			return "params.arguments must be an object of strings"
		}
		return fieldOf(wrong) + " must be " + wordFor(wrong.Type)
	}
	if err != nil {
		return "params are not those of " + string(method)
	}
	if list.Params.Cursor != "" {
		return "params.cursor is unknown: the list has one page"
	}
	if get, ok := request.(*protocol.GetPromptRequest); ok {
		return checkPrompt(get.Params.Name, get.Params.Arguments)
	}
	return ""
}

// checkPrompt returns the fault in the arguments of a prompt: an error of the handler would be reported as internal.
func checkPrompt(name string, arguments map[string]string) string {
	all := prompts.AllPrompts()
	at := slices.IndexFunc(all, func(p prompts.Prompt) bool { return p.Name == name })
	if at < 0 {
		return "" // mcp-go reports it
	}
	_, err := all[at].Render(arguments)
	if err == nil {
		return ""
	}
	for _, detail := range core.AsError(err).Details {
		return "params.arguments." + detail.Path + " " + detail.Message
	}
	return "params.arguments are not those of " + name
}

// fieldOf returns the path of the field as the client wrote it, without the names of embedded types.
func fieldOf(wrong *json.UnmarshalTypeError) string {
	parts := slices.DeleteFunc(strings.Split(wrong.Field, "."), func(part string) bool {
		return part == "" || unicode.IsUpper(rune(part[0]))
	})
	if len(parts) == 0 {
		return "params"
	}
	return strings.Join(parts, ".")
}

func wordFor(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Map, reflect.Struct, reflect.Pointer, reflect.Interface:
		return "an object"
	default:
		return "a number"
	}
}

// writeTo answers with the problem. Clients of the older protocol read the errors of calls only from answers with status 200.
func (p *messageProblem) writeTo(w http.ResponseWriter, r *http.Request) {
	status := http.StatusBadRequest
	switch isModern := protocol.IsModernProtocol(r.Header.Get(protocol.HeaderProtocolVersion)); {
	case p.code == protocol.METHOD_NOT_FOUND:
		status = http.StatusNotFound
	case p.code == protocol.INVALID_PARAMS && !isModern:
		status = http.StatusOK
	}
	id := p.id
	if id == nil {
		id = json.RawMessage("null")
	}
	body, err := core.MarshalPlain(map[string]any{
		"jsonrpc": protocol.JSONRPC_VERSION, "id": id, "error": map[string]any{"code": p.code, "message": p.text},
	})
	if err != nil {
		wire.WriteError(w, core.AsError(err))
		return
	}
	wire.WriteJSON(w, status, body)
}
