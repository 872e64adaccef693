package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"errand/core"
	"errand/prompts"
)

// describeTool makes the tool of an operation.
func describeTool(op *core.Operation) protocol.Tool {
	readOnly, destructive, idempotent, openWorld := op.ReadOnly(), op.Destructive, op.Idempotent || op.ReadOnly(), false
	tool := protocol.Tool{
		Name:           op.Name,
		Title:          op.Summary,
		Description:    toolDescription(op),
		RawInputSchema: schemaText(op, op.ToolInput()),
		Annotations: protocol.ToolAnnotation{
			ReadOnlyHint: &readOnly, DestructiveHint: &destructive, IdempotentHint: &idempotent, OpenWorldHint: &openWorld,
		},
	}
	if output := op.ToolOutput(); output != nil {
		tool.RawOutputSchema = schemaText(op, output)
	}
	return tool
}

func schemaText(op *core.Operation, schema core.Schema) json.RawMessage {
	text, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("mcp: schema of %s: %v", op.Name, err)) // a mistake in the declaration
	}
	return text
}

// toolDescription says what the tool does, and what it answers if its action is held.
func toolDescription(op *core.Operation) string {
	if op.IsHoldable() {
		return op.Description + " May answer approval_required: nothing has changed then, until an admin approves it."
	}
	return op.Description
}

// describePrompt makes the MCP form of a prompt.
func describePrompt(p prompts.Prompt) protocol.Prompt {
	described := protocol.Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
	for _, a := range p.Arguments {
		described.Arguments = append(described.Arguments, protocol.PromptArgument{Name: a.Name, Description: a.Description})
	}
	return described
}

// hidePrompts keeps only prompts whose tools the caller may call, in a list and for a single prompt.
func (s *surface) hidePrompts(ctx context.Context, listed []protocol.Prompt) []protocol.Prompt {
	actor := s.Call(ctx).Actor
	return slices.DeleteFunc(listed, func(described protocol.Prompt) bool {
		isIt := func(p prompts.Prompt) bool { return p.Name == described.Name && p.IsFor(actor) }
		return !slices.ContainsFunc(prompts.AllPrompts(), isIt)
	})
}

func handlePrompt(p prompts.Prompt) server.PromptHandlerFunc {
	return func(_ context.Context, request protocol.GetPromptRequest) (*protocol.GetPromptResult, error) {
		text, err := p.Render(request.Params.Arguments)
		if err != nil {
			return nil, err
		}
		message := protocol.NewPromptMessage(protocol.RoleUser, protocol.NewTextContent(text))
		return protocol.NewGetPromptResult(p.Description, []protocol.PromptMessage{message}), nil
	}
}
