// Package mcp serves the registry as MCP tools over Streamable HTTP, with instructions and prompts. It mirrors the
// registry and decides nothing. It is stateless: each request is independent, so any server can answer it.
package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"errand/core"
	"errand/prompts"
)

// Options are the parts of the surface. All but AllowedOrigins, NameClient and Observe must be set.
type Options struct {
	Registry       *core.Registry
	Call           func(context.Context) core.Call // the call of the request, from the authentication in front
	BaseURL        func() string                   // the present public URL; web pages of its host may call
	AllowedOrigins []string                        // other origins of web pages that may call, as scheme://host[:port]
	Version        string                          // of Errand
	Log            *slog.Logger
	// NameClient is called with the name of an MCP client that identifies itself; may be nil.
	NameClient func(ctx context.Context, call core.Call, client core.Program) error
	Observe    func(tool, outcome string) // called after each call of a tool, with ok or the code of its error; may be nil
}

// listsHoldFor is how long a client may keep the lists of tools and prompts, for its token only. They change with the
// version of Errand, and each fetch costs more than most calls.
const listsHoldFor = 5 * time.Minute

// surface holds what the handlers share.
type surface struct {
	Options
	tools map[string]*core.Operation
}

// New makes the handler of /mcp. It expects authentication in front of it. Answers have the form of MCP, except for
// refusals before a message is read, which are Errand's errors.
func New(o Options) http.Handler {
	serve := sync.OnceValue(func() http.Handler { return newServer(o) }) // a start does not wait for it
	return newGuard(o.BaseURL, o.AllowedOrigins, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve().ServeHTTP(w, r)
	}))
}

// newServer makes the server with the tools and the prompts.
func newServer(o Options) http.Handler {
	s := &surface{Options: o, tools: map[string]*core.Operation{}}
	hooks := &server.Hooks{}
	hooks.AddAfterListTools(s.hideTools)
	s.addGreeting(hooks)
	// Left off: mcp-go's validation (the registry validates), its recovery (it sends the text of the panic to the
	// client), and everything that needs a session.
	mcpServer := server.NewMCPServer("errand", o.Version,
		server.WithTitle("Errand"),
		server.WithToolCapabilities(false),
		server.WithPromptCapabilities(false),
		server.WithPromptFilter(s.hidePrompts),
		server.WithCacheHints(listsHoldFor.Milliseconds(), protocol.CacheScopePrivate),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(projectCompletion{s}),
		server.WithHooks(hooks),
	)
	for _, op := range o.Registry.Catalogue().Tools() {
		s.tools[op.Name] = op
		mcpServer.AddTool(describeTool(op), s.handleTool(op))
	}
	for _, prompt := range prompts.AllPrompts() {
		mcpServer.AddPrompt(describePrompt(prompt), handlePrompt(prompt))
	}
	return server.NewStreamableHTTPServer(mcpServer,
		server.WithStateLess(true),
		server.WithDisableStreaming(true),
		server.WithDisableLocalhostProtection(true), // guard checks the origin
		server.WithStreamableHTTPLogger(o.Log),
	)
}

// hideTools keeps only tools that the caller may call in a list. Calling another one is forbidden, not unknown.
func (s *surface) hideTools(ctx context.Context, _ any, _ *protocol.ListToolsRequest, result *protocol.ListToolsResult) {
	actor := s.Call(ctx).Actor
	result.Tools = slices.DeleteFunc(result.Tools, func(tool protocol.Tool) bool { return s.tools[tool.Name].AuthorizeActor(actor) != nil })
}

// handleTool carries out one tool call: scope, arguments, registry, answer. Every failure is a tool result: a
// returned error would become a protocol error, which models do not see.
func (s *surface) handleTool(op *core.Operation) server.ToolHandlerFunc {
	return func(ctx context.Context, request protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		answer, failure := s.carryOut(ctx, op, s.callOf(ctx, request), request.Params.RawArguments)
		switch {
		case failure != nil:
			s.observeCall(op, string(failure.Code))
			return failedResult(failure), nil
		case answer.IsHeld:
			s.observeCall(op, core.HeldStatus)
		default:
			s.observeCall(op, "ok")
		}
		if op.IsProse() {
			return protocol.NewToolResultText(answer.Prose), nil
		}
		return succeededResult(op, answer.Body), nil
	}
}

func (s *surface) carryOut(ctx context.Context, op *core.Operation, call core.Call, raw json.RawMessage) (core.Answer, *core.Error) {
	call.ForModel, call.Project = true, projectOf(ctx)
	args, err := decodeArguments(op, call, raw)
	if err != nil {
		return core.Answer{}, s.Registry.FailCall(ctx, op, call, nil, err)
	}
	return s.Registry.Call(ctx, op, call, args)
}

func (s *surface) observeCall(op *core.Operation, outcome string) {
	if s.Observe != nil {
		s.Observe(op.Name, outcome)
	}
}

// decodeArguments reads the flat input from the text of the message, which keeps whole numbers exact. It checks the
// scope first, as REST does.
func decodeArguments(op *core.Operation, call core.Call, raw json.RawMessage) (map[string]any, error) {
	if err := op.AuthorizeActor(call.Actor); err != nil {
		return nil, err
	}
	if string(raw) == "null" { // counts as absent
		raw = nil
	}
	return core.DecodeArgs(raw)
}

// succeededResult is a result with the same JSON as over REST, as data and as text, since some clients show only one of them.
func succeededResult(op *core.Operation, body []byte) *protocol.CallToolResult {
	if body == nil {
		return doneResult(op)
	}
	result := protocol.NewToolResultText(string(body))
	result.StructuredContent = json.RawMessage(body)
	return result
}

// doneResult is the result of an operation without an answer: the call to make next, if there is one.
func doneResult(op *core.Operation) *protocol.CallToolResult {
	next, err := core.MarshalPlain(map[string]any{"next": op.NextCalls()})
	if err != nil || op.Next == nil {
		return protocol.NewToolResultText("Done.")
	}
	return protocol.NewToolResultText(string(next))
}

// failedResult is the same error as over REST, with its hint, as text only: some clients check structured content
// against the output schema even for errors.
func failedResult(failure *core.Error) *protocol.CallToolResult {
	text, err := failure.ForAgent()
	if err != nil {
		text = []byte(`{"error":"internal"}`)
	}
	return protocol.NewToolResultError(string(text))
}
