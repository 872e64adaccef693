package mcp

import (
	"context"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"errand/core"
	"errand/prompts"
)

// addGreeting greets each client according to its credential: with a setup key there are no issues to work on.
func (s *surface) addGreeting(hooks *server.Hooks) {
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, message *protocol.InitializeRequest, result *protocol.InitializeResult) {
		s.greetClient(ctx, &message.Params.ClientInfo, &result.Instructions)
	})
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, message *protocol.DiscoverRequest, result *protocol.DiscoverResult) {
		s.greetClient(ctx, message.Params.Meta.ClientInfo(), &result.Instructions)
	})
}

func (s *surface) greetClient(ctx context.Context, client *protocol.Implementation, instructions *string) {
	call := s.Call(ctx)
	*instructions = prompts.RenderInstructions(call.Actor)
	if call.Actor.IsSetupKey {
		*instructions = prompts.RenderSetupInstructions()
	}
	if s.NameClient == nil || client == nil {
		return
	}
	if err := s.NameClient(ctx, call, core.NameProgram(client.Name)); err != nil {
		_ = s.Registry.Failure(ctx, "name_client", call.RequestID, err) // the name is only for people to see; the call continues without it
	}
}

// callOf returns the caller of a tool. Clients of the newer protocol name themselves in each call.
func (s *surface) callOf(ctx context.Context, request protocol.CallToolRequest) core.Call {
	call := s.Call(ctx)
	if client := request.Params.Meta.ClientInfo(); client != nil {
		call.Program = core.NameProgram(client.Name)
	}
	return call
}
