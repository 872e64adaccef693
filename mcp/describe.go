package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

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
		RawInputSchema: schemaText(op, op.InputSchema()),
		Annotations: protocol.ToolAnnotation{
			Title: op.Summary, ReadOnlyHint: &readOnly, DestructiveHint: &destructive, IdempotentHint: &idempotent, OpenWorldHint: &openWorld,
		},
	}
	if output := outputSchema(op); output != nil {
		tool.RawOutputSchema = schemaText(op, output)
	}
	return tool
}

// outputSchema is the schema of every answer that is not an error; nil when the answer is prose. An action that may be held has
// two kinds of answers.
func outputSchema(op *core.Operation) core.Schema {
	if op.IsProse() {
		return nil
	}
	output := op.OutputSchema(false)
	if !op.IsHoldable() {
		return output
	}
	held, properties := core.HeldSchema(), core.Schema{}
	for _, answer := range []core.Schema{output, held} {
		answered, _ := answer["properties"].(core.Schema)
		maps.Copy(properties, answered)
	}
	return core.Schema{"type": "object", "properties": properties, "anyOf": []core.Schema{
		{"required": output["required"]}, {"required": held["required"]},
	}}
}

func schemaText(op *core.Operation, schema core.Schema) json.RawMessage {
	text, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("mcp: schema of %s: %v", op.Name, err)) // a mistake in the declaration
	}
	return text
}

// toolDescription says what the tool does, what it returns, and which scope it needs: not every client shows its model the
// output schema.
func toolDescription(op *core.Operation) string {
	text := op.Description
	if returns := outlineAnswer(op); returns != "" {
		text += " Returns " + returns + "."
	}
	if op.IsHoldable() {
		text += " Where the deployment holds it for approval, returns " + outlineSchema(core.HeldSchema(), 1) +
			" and changes nothing: an admin must approve it first."
	}
	switch op.Scope {
	case core.AnyToken:
		return text + " Needs no scope."
	case core.SetupScope:
		return text + " Needs a setup key."
	}
	return text + " Needs the scope " + string(op.Scope) + "."
}

// outlineAnswer outlines the answer. A long one is written out where it is read; what changes names its noun only: every
// description costs its reader tokens.
func outlineAnswer(op *core.Operation) string {
	if op.IsProse() {
		return "Markdown"
	}
	const depth, long = 2, 120 // down to the members of data; characters
	full := outlineSchema(op.OutputSchema(false), depth)
	if op.ReadOnly() || len(full) <= long {
		return full
	}
	return outlineSchema(op.OutputSchema(true), depth)
}

// outlineSchema names the members of a schema down to a depth: {data: [{id, title}], next_cursor}.
func outlineSchema(schema core.Schema, depth int) string {
	if noun, ok := schema["$ref"].(string); ok {
		return noun[strings.LastIndex(noun, "/")+1:]
	}
	if items, ok := schema["items"].(core.Schema); ok {
		if inner := outlineSchema(items, depth); inner != "" {
			return "[" + inner + "]"
		}
		return ""
	}
	properties, ok := schema["properties"].(core.Schema)
	if !ok || depth == 0 {
		return ""
	}
	names, _ := schema["required"].([]string) // all of them, in the order of their declaration
	members := make([]string, len(names))
	for i, name := range names {
		members[i] = name
		property, _ := properties[name].(core.Schema)
		if inner := outlineSchema(property, depth-1); inner != "" {
			members[i] += ": " + inner
		}
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// describePrompt makes the MCP form of a prompt.
func describePrompt(p prompts.Prompt) protocol.Prompt {
	described := protocol.Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
	for _, a := range p.Arguments {
		described.Arguments = append(described.Arguments, protocol.PromptArgument{Name: a.Name, Description: a.Description})
	}
	return described
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
