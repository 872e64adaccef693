package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/mcp"
	"errand/prompts"
)

// TestPromptsFollowTheScopes checks that a token sees, and gets, the prompts whose tools it may call.
func TestPromptsFollowTheScopes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		actor core.Actor
		want  []string
	}{
		{tokenOf(), nil},
		{tokenOf(core.ReleasesWrite), nil},
		{tokenOf(core.IssuesWrite), nil},
		{tokenOf(core.IssuesRead), []string{"review_regressions"}},
		{tokenOf(core.IssuesRead, core.IssuesWrite), []string{"fix_next_issue", "review_regressions", "triage_inbox"}},
		{core.Actor{Type: core.ActorToken, ID: 2, IsSetupKey: true}, []string{"setup_app"}},
		{core.NewBootstrapActor(), []string{"fix_next_issue", "review_regressions", "setup_app", "triage_inbox"}},
	} {
		h := newHandler(t, func(o *mcp.Options) { o.Call = func(context.Context) core.Call { return core.Call{Actor: c.actor} } })
		require.ElementsMatch(t, c.want, listedPrompts(t, h), "%v", c.actor.Scopes)
		for _, prompt := range prompts.AllPrompts() {
			answer := postMessage(h, callMessage("prompts/get", fmt.Sprintf(`{"name":%q}`, prompt.Name)), nil).Body.String()
			if prompt.IsFor(c.actor) {
				require.Contains(t, answer, `"messages"`)
			} else {
				require.Contains(t, answer, `"code":-32602`)
				require.Contains(t, answer, "not found")
			}
		}
	}
}

func tokenOf(scopes ...core.Scope) core.Actor {
	return core.Actor{Type: core.ActorToken, ID: 1, Name: "agent", Scopes: scopes}
}

func listedPrompts(t *testing.T, h http.Handler) []string {
	t.Helper()
	var response struct {
		Result struct{ Prompts []struct{ Name string } }
	}
	require.NoError(t, json.Unmarshal(postMessage(h, callMessage("prompts/list", `{}`), nil).Body.Bytes(), &response))
	var names []string
	for _, prompt := range response.Result.Prompts {
		names = append(names, prompt.Name)
	}
	return names
}
