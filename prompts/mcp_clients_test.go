package prompts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/prompts"
	"errand/testkit/golden"
)

// TestEntriesOfClients writes the entry of each client, with a token and without.
func TestEntriesOfClients(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, client := range prompts.MCPClients {
		for _, signsIn := range []bool{false, true} {
			endpoint := prompts.MCPEndpoint{BaseURL: "https://errand.example/", Project: "web shop", SignsIn: signsIn}
			entry, err := prompts.MakeMCPEntry(client, endpoint)
			require.NoError(t, err)

			require.Equal(t, !signsIn, strings.Contains(strings.ToLower(entry.Text), "token"), client)
			require.Contains(t, entry.Text, "https://errand.example/mcp?project=web+shop")
			if strings.HasSuffix(entry.File, ".json") {
				require.True(t, json.Valid([]byte(entry.Text)), entry.Text)
			}
			all.WriteString("## " + string(client) + ", " + entry.File + "\n" + entry.Command + "\n" + entry.Text + "\n")
		}
	}
	golden.CheckFile(t, "testdata/mcp_clients.txt", all.String())

	_, err := prompts.MakeMCPEntry("emacs", prompts.MCPEndpoint{BaseURL: "https://errand.example"})
	require.ErrorContains(t, err, "claude-code, codex, cursor, vscode, gemini")
}
