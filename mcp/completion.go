package mcp

import (
	"context"
	"encoding/json"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"errand/core"
)

// mostCompletions is the most values that the protocol allows.
const mostCompletions = 100

// projectCompletion completes the argument project of the prompts with the slugs of the projects that the caller may see.
type projectCompletion struct{ *surface }

// CompletePromptArgument returns the slugs that begin with the value, and nothing for other arguments.
func (p projectCompletion) CompletePromptArgument(
	ctx context.Context, _ string, argument protocol.CompleteArgument, _ protocol.CompleteContext,
) (*protocol.Completion, error) {
	completion := &protocol.Completion{Values: []string{}}
	if argument.Name != "project" {
		return completion, nil
	}
	answer, failure := p.Registry.Call(ctx, core.ListProjects.Operation, p.Call(ctx), nil)
	if failure != nil {
		return completion, nil
	}
	var list struct{ Data []struct{ Slug string } }
	if err := json.Unmarshal(answer.Body, &list); err != nil {
		return completion, nil
	}
	for _, project := range list.Data {
		if !strings.HasPrefix(project.Slug, strings.ToLower(argument.Value)) {
			continue
		}
		completion.Total++
		if len(completion.Values) < mostCompletions {
			completion.Values = append(completion.Values, project.Slug)
		}
	}
	completion.HasMore = completion.Total > len(completion.Values)
	return completion, nil
}
