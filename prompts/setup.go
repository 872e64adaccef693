package prompts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"errand/core"
)

// RenderSetupKey returns the text that a person gives a coding agent with a setup key: how to reach Errand with the
// key, and what to do. It contains the key.
func RenderSetupKey(baseURL string, key core.Secret) string {
	endpoint := MCPEndpoint{BaseURL: baseURL, SetupKey: key}
	lines := make([]string, len(MCPClients))
	for i, client := range MCPClients {
		entry, err := MakeMCPEntry(client, endpoint)
		if err != nil {
			panic(fmt.Sprintf("prompts: the entry of a setup key: %v", err)) // the client is one of MCPClients
		}
		lines[i] = entry.writeLine(client)
	}
	return renderText("setup_key.md", map[string]any{
		"BaseURL": strings.TrimRight(baseURL, "/"), "Key": key.Reveal(), "Clients": lines,
	})
}

// writeLine writes, as one line of Markdown, what a person does with an entry: the command, or the contents of the file.
func (entry MCPEntry) writeLine(client MCPClient) string {
	if entry.Command != "" {
		return fmt.Sprintf("%s: `%s`", clientTitles[client], entry.Command)
	}
	var text bytes.Buffer
	if json.Compact(&text, []byte(entry.Text)) != nil { // not JSON
		text.WriteString(entry.Text)
	}
	return fmt.Sprintf("%s, in `%s`: `%s`", clientTitles[client], entry.File, strings.TrimSpace(text.String()))
}

// RenderSetupInstructions returns the MCP server's instructions to a client with a setup key.
func RenderSetupInstructions() string { return renderText("setup_instructions.md", nil) }
