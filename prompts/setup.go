package prompts

import (
	"strings"

	"errand/core"
)

// RenderSetupKey returns the text that a person gives a coding agent with a setup key: how to reach Errand with it, and what to
// do. It holds the key.
func RenderSetupKey(baseURL string, key core.Secret) string {
	return renderText("setup_key.md", map[string]string{"BaseURL": strings.TrimRight(baseURL, "/"), "Key": key.Reveal()})
}

// RenderSetupInstructions returns what the MCP server says to a client with a setup key.
func RenderSetupInstructions() string { return renderText("setup_instructions.md", nil) }
