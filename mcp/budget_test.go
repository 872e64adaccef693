package mcp_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
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
			if name != "an admin" { // who has far more tools than an agent
				require.LessOrEqual(t, answer.Body.Len(), listBudget, "tools/list has %d tokens, at most %d; the heaviest tools: %s",
					answer.Body.Len()/bytesPerToken, listBudget/bytesPerToken, nameLongest(textsOf(listedTools(t, h))))
			}
			for _, tool := range listedTools(t, h) {
				require.LessOrEqual(t, len(tool.text), toolBudget, "%s has %d tokens, at most %d; shorten the longest of its texts: %s",
					tool.Name, len(tool.text)/bytesPerToken, toolBudget/bytesPerToken, nameLongest(describedBy(tool)))
			}
		})
	}
}

func textsOf(tools []tool) map[string]string {
	texts := map[string]string{}
	for _, listed := range tools {
		texts[listed.Name] = string(listed.text)
	}
	return texts
}

// describedBy returns the description of a tool and those of its fields, by where they are declared.
func describedBy(listed tool) map[string]string {
	texts := map[string]string{"Description of the operation": listed.Description}
	fields, _ := listed.InputSchema["properties"].(map[string]any)
	for name, field := range fields {
		schema, _ := field.(map[string]any)
		text, _ := schema["description"].(string)
		texts["doc of the field "+name] = text
	}
	return texts
}

// nameLongest names the three longest texts, with their tokens.
func nameLongest(texts map[string]string) string {
	names := slices.SortedFunc(maps.Keys(texts), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(texts[b]), len(texts[a])), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d tokens)", name, len(texts[name])/bytesPerToken)
	}
	return strings.Join(names[:min(3, len(names))], ", ")
}
