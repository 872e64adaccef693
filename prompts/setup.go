package prompts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"errand/core"
)

// RenderSetupKey returns the text that a person gives a coding agent with a setup key: how to reach Errand with it, and what to
// do. It holds the key.
func RenderSetupKey(baseURL string, key core.Secret) string {
	endpoint := MCPEndpoint{BaseURL: baseURL, SetupKey: key}
	lines := make([]string, len(MCPClients))
	for i, client := range MCPClients {
		entry, err := MakeMCPEntry(client, endpoint)
		if err != nil {
			panic(fmt.Sprintf("prompts: the entry of a setup key: %v", err)) // the client is one of ours
		}
		lines[i] = entry.writeLine(client)
	}
	return renderText("setup_key.md", map[string]any{
		"BaseURL": strings.TrimRight(baseURL, "/"), "Key": key.Reveal(), "Clients": lines,
	})
}

// writeLine writes what a person does with an entry as one line of Markdown: the command, or what stands in the file.
func (entry MCPEntry) writeLine(client MCPClient) string {
	if entry.Command != "" {
		return fmt.Sprintf("%s: `%s`", clientTitles[client], entry.Command)
	}
	var text bytes.Buffer
	if json.Compact(&text, []byte(entry.Text)) != nil { // it is no JSON
		text.WriteString(entry.Text)
	}
	return fmt.Sprintf("%s, in `%s`: `%s`", clientTitles[client], entry.File, strings.TrimSpace(text.String()))
}

// RenderSetupInstructions returns what the MCP server says to a client with a setup key.
func RenderSetupInstructions() string { return renderText("setup_instructions.md", nil) }
