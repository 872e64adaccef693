package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// limitedTokens are tokens that are limited to the project shop, with their scopes. The tests that call as people of
// other teams also call with these tokens.
var limitedTokens = map[string]string{
	"token that reads": `"issues:read"`, "token that works": `"issues:read", "issues:write", "releases:write"`, "token of an admin": `"admin"`,
}

// makeLimitedToken makes a token that is limited to the project shop, and returns its actor.
func (h *fixture) makeLimitedToken(scopes string) core.Actor {
	h.Helper()
	made := h.callData(core.NewBootstrapActor(), core.CreateToken.Operation,
		fmt.Sprintf(`{"name": "limited", "scopes": [%s], "project": %q, "only_project": true}`, scopes, fmt.Sprint(shop)))
	require.Equal(h, true, made["only_project"])
	actor, err := h.tools.Authenticate(h.Context(), core.Secret(made["token"].(string)))
	require.NoError(h, err)
	return actor
}

// A token that is limited to its project takes work only there, changes only that project, and describes itself so.
func TestATokenStaysInItsProject(t *testing.T) {
	t.Parallel()
	h, _ := openTeams(t)
	own, other := h.ownPart(), h.foreignPart()
	mine, theirs := own.issue(), other.issue()
	h.changeRows(`UPDATE issues SET status = 'regressed' WHERE id = $1`, theirs)
	token := h.makeLimitedToken(`"issues:read", "issues:write"`)

	next := h.callData(token, core.NextIssueOp.Operation, `{}`)

	require.EqualValues(t, mine, next["issue"].(object)["id"])
	none := h.callData(token, core.NextIssueOp.Operation, `{"worker": "second"}`)
	require.Nil(t, none["issue"])
	require.Equal(t, "of the open issues 1 is claimed", none["why"])
	for _, name := range strings.Fields(`get_issue claim_issue resolve_issue get_brief`) {
		h.sameJSON(object{"error": "not_found"}, h.mustFail(token, h.findOperation(name), idArgs(theirs)))
	}
	h.sameJSON(object{"error": "project_not_found"}, h.mustFail(token, core.NextIssueOp.Operation, `{"project": "the-zanzibar"}`))
	who := h.callData(token, core.Whoami.Operation, `{}`)
	require.Equal(t, true, who["only_project"])
	require.EqualValues(t, shop, who["project_id"])
	require.Contains(t, h.mustCall(core.NewBootstrapActor(), core.ListTokens.Operation, `{}`), `"only_project":true`)
}

// A token that is limited to its project may not manage the installation, even with the scope admin: it could make a wider token.
func TestATokenThatStaysMakesNothingOfTheInstallation(t *testing.T) {
	t.Parallel()
	h, _ := openTeams(t)
	admin := h.makeLimitedToken(`"admin"`)
	for _, name := range strings.Fields(`create_project create_token list_tokens revoke_token create_setup_key list_setup_keys revoke_setup_key
		register_app create_agent_token`) {
		op := h.findOperation(name)
		failure := h.mustFail(admin, op, op.Example)
		require.Contains(t, failure, `"error":"forbidden"`, name)
	}
	_, err := h.tools.KeepConsent(t.Context(), core.Consent{By: admin, Scopes: core.List[core.Scope]{core.IssuesRead}})
	require.True(t, core.HasCode(err, core.Forbidden), "nor does it allow a client anything: %v", err)
	h.mustRefuse(core.CreateToken.Operation, `{"name": "x", "scopes": ["admin"], "only_project": true}`, "only_project")
}

// A person who signs a client in may limit the client's token, and create_agent_token may limit the agent's.
func TestTokensOfSignInAndSetupStay(t *testing.T) {
	t.Parallel()
	h, _ := openTeams(t)
	consent := core.Consent{
		By: core.NewBootstrapActor(), ClientID: "client", ClientName: "Agent", RedirectURI: "http://127.0.0.1/", Challenge: "challenge",
		Scopes: core.List[core.Scope]{core.IssuesRead}, OnlyProject: true,
	}
	_, err := h.tools.KeepConsent(t.Context(), consent)
	require.True(t, core.HasCode(err, core.InvalidRequest), "a project must be named: %v", err)
	consent.Project = "nowhere"
	_, err = h.tools.KeepConsent(t.Context(), consent)
	require.True(t, core.HasCode(err, core.ProjectNotFound), "%v", err)
	consent.Project = "the-quagga"
	code, err := h.tools.KeepConsent(t.Context(), consent)
	require.NoError(t, err)
	made, err := h.tools.ExchangeConsent(t.Context(), code, consent)
	require.NoError(t, err)
	setup := h.callData(core.NewBootstrapActor(), core.CreateAgentToken.Operation,
		`{"name": "agent", "project": "the-quagga", "only_project": true}`)
	for _, value := range []string{made.Value, setup["token"].(string)} {
		actor, err := h.tools.Authenticate(t.Context(), core.Secret(value))
		require.NoError(t, err)
		require.True(t, actor.OnlyProject)
		require.EqualValues(t, shop, actor.ProjectID)
		listed := h.mustCall(actor, core.ListProjects.Operation, `{}`)
		require.Contains(t, listed, "the-quagga")
		require.NotContains(t, listed, "zanzibar")
	}
}
