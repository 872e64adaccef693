package mcp_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/mcp"
)

// The most that a list of tools may cost a model. A token counts as 4 bytes.
const (
	bytesPerToken = 4
	listBudget    = 5000 * bytesPerToken
	toolBudget    = 300 * bytesPerToken
)

func TestToolsFitTheirBudget(t *testing.T) {
	t.Parallel()
	for name, scopes := range map[string][]core.Scope{
		"a reader": {core.IssuesRead},
		"an agent": {core.IssuesRead, core.IssuesWrite},
		"an admin": {core.IssuesRead, core.IssuesWrite, core.ReleasesWrite, core.Admin},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			actor := core.Actor{Type: core.ActorToken, ID: 1, Name: "agent", Scopes: scopes}
			h := newHandler(t, func(o *mcp.Options) { o.Call = func(context.Context) core.Call { return core.Call{Actor: actor} } })

			answer := postMessage(h, listTools, nil)

			require.Equal(t, http.StatusOK, answer.Code)
			t.Logf("tools/list: %d tokens", answer.Body.Len()/bytesPerToken)
			if name != "an admin" { // an admin has far more tools than an agent
				require.LessOrEqual(t, answer.Body.Len(), listBudget, "as sent")
			}
			for _, tool := range listedTools(t, h) {
				require.LessOrEqual(t, len(tool.text), toolBudget, tool.Name)
			}
		})
	}
}
