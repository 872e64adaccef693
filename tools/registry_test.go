package tools_test

import (
	"crypto/rand"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
	"errand/tools"
)

// scopes is the scope that each operation requires (primary API, Endpoints).
var scopes = map[string]core.Scope{
	"list_projects": core.IssuesRead, "create_project": core.Admin, "update_project": core.Admin, "delete_project": core.Admin,
	"create_project_key": core.Admin, "delete_project_key": core.Admin,
	"list_issues": core.IssuesRead, "get_issue": core.IssuesRead, "list_issue_events": core.IssuesRead, "list_issue_activity": core.IssuesRead,
	"get_event": core.IssuesRead, "resolve_issue": core.IssuesWrite, "ignore_issue": core.IssuesWrite, "unresolve_issue": core.IssuesWrite,
	"next_issue": core.IssuesWrite, "claim_issue": core.IssuesWrite, "release_issue": core.IssuesWrite, "add_note": core.IssuesWrite,
	"merge_issues": core.IssuesWrite, "split_issue": core.IssuesWrite,
	"correct_triage": core.IssuesWrite, "find_similar": core.IssuesRead, "get_brief": core.IssuesRead,
	"link_fix": core.IssuesWrite, "create_deploy": core.ReleasesWrite, "list_releases": core.IssuesRead, "get_release": core.IssuesRead,
	"list_fix_outcomes": core.Admin,
	"upload_source_map": core.ReleasesWrite, "list_source_maps": core.IssuesRead, "delete_source_map": core.ReleasesWrite,
	"count_issues": core.IssuesRead, "list_filter_values": core.IssuesRead, "get_issues": core.IssuesRead,
	"get_issue_hours": core.IssuesRead,
	"get_issue_days":  core.IssuesRead, "get_issue_shares": core.IssuesRead, "get_events_around": core.IssuesRead,
	"change_issues":      core.IssuesWrite,
	"list_project_teams": core.Admin, "count_open_issues": core.IssuesRead, "get_source_map_state": core.IssuesRead,
	"list_claims": core.IssuesRead, "get_outcomes": core.IssuesRead, "list_fixes": core.IssuesRead,
	"get_release_hours": core.IssuesRead, "try_scrubbing": core.Admin,
	"list_people": core.Admin, "invite_person": core.Admin, "update_person": core.Admin, "delete_person": core.Admin,
	"create_person_link": core.Admin,
	"create_api_key":     core.Admin, "list_api_keys": core.Admin, "revoke_api_key": core.Admin,
	"create_token": core.Admin, "list_tokens": core.Admin, "whoami": core.AnyToken, "revoke_token": core.Admin,
	"list_approvals": core.Admin, "count_approvals": core.Admin,
	"approve_request": core.Admin, "reject_request": core.Admin, "list_activity": core.Admin,
	"list_labels":      core.Admin,
	"create_setup_key": core.Admin, "list_setup_keys": core.SetupScope, "revoke_setup_key": core.SetupScope,
	"register_app": core.SetupScope, "create_agent_token": core.SetupScope, "send_test_event": core.SetupScope,
	"report_setup_step": core.SetupScope, "get_setup_progress": core.SetupScope, "get_setup_guide": core.SetupScope,
	"get_server": core.Admin, "examine_server": core.Admin, "rotate_webhook_secret": core.Admin,
	"create_webhook": core.Admin, "list_webhooks": core.Admin, "delete_webhook": core.Admin, "test_webhook": core.Admin,
	"get_account": core.PersonScope, "update_account": core.PersonScope, "list_sessions": core.PersonScope,
	"end_session": core.PersonScope, "end_other_sessions": core.PersonScope,
	"list_deliveries": core.Admin, "resend_delivery": core.Admin, "list_alerts": core.IssuesRead,
}

func TestScopes(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	for _, op := range h.registry.Operations() {
		require.Contains(t, scopes, op.Name, "add it to scopes in tools/registry_test.go")
		required := scopes[op.Name]
		for n, scope := range []core.Scope{core.IssuesRead, core.IssuesWrite, core.ReleasesWrite} {
			if scope == required || scope == op.OrScope || required == core.AnyToken {
				continue
			}
			h.sameJSON(object{"error": "forbidden", "required_scope": required}, h.mustFail(newAgent(n+1, scope), op, op.Example))
		}
		if required != core.AnyToken {
			h.sameJSON(object{"error": "forbidden", "required_scope": required}, h.mustFail(newAgent(9), op, op.Example))
		}
		h.sameJSON(object{"error": "unauthorized"}, h.mustFail(core.Actor{}, op, op.Example))
	}
	h.sameJSON(object{"data": []any{}}, h.mustCall(reader, core.ListProjects.Operation, `{}`))
	h.sameJSON(object{"data": []any{}}, h.mustCall(core.NewBootstrapActor(), core.ListTokens.Operation, `{}`))

	for _, op := range h.registry.Operations() {
		if scopes[op.Name] == core.PersonScope { // which no token has, not even the admin's
			h.sameJSON(object{"error": "forbidden", "required_scope": "person"}, h.mustFail(core.NewBootstrapActor(), op, op.Example))
			continue
		}
		for _, actor := range []core.Actor{newAgent(1, scopes[op.Name]), newAgent(2, core.Admin), core.NewBootstrapActor()} {
			if _, failure := h.callOperation(actor, op, op.Example); failure != nil {
				require.Contains(t, []core.Code{core.NotFound, core.ProjectNotFound, core.TestEventExists}, failure.Code,
					"%s by %s: %v", op.Name, actor.Name, failure)
			}
		}
	}
}

func TestUnknownThingsAreNotFound(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	tried := 0
	for _, op := range h.registry.Operations() {
		example, err := core.DecodeArgs([]byte(op.Example))
		require.NoError(t, err)
		if _, byID := example["id"]; byID {
			require.Contains(t, op.Errors, core.NotFound, op.Name)
			for _, id := range []int64{1, 1<<53 - 1} {
				example["id"] = id
				h.sameJSON(object{"error": "not_found"}, h.mustFail(adminFor(op), op, mustJSON(t, example)))
			}
			for _, id := range []any{0, -1, 1.5, "x", "9223372036854775808", nil, object{}} {
				example["id"] = id
				h.mustRefuse(op, mustJSON(t, example), "id")
			}
			tried++
		}
		if slices.Contains(op.Errors, core.ProjectNotFound) {
			for _, project := range []any{"nowhere", 42, "%", "shop' --"} {
				example["project"] = project
				h.sameJSON(object{"error": "project_not_found"}, h.mustFail(core.NewBootstrapActor(), op, mustJSON(t, example)))
			}
			tried++
		}
	}
	require.Greater(t, tried, 12)
	require.Empty(t, h.log.String(), "nothing of it is worth a line in the log")
}

func TestUnknownFieldsAreNamed(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	for _, op := range h.registry.Operations() {
		args, err := core.DecodeArgs([]byte(op.Example))
		require.NoError(t, err)
		args["colour"] = "blue"
		h.mustRefuse(op, mustJSON(t, args), "colour")
	}
}

func TestEveryOperationSaysUnavailableWhenTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	h := openWith(t, "postgres:///errand?host=/nonexistent/socket&user=errand", rand.Reader)
	for _, op := range h.registry.Operations() {
		if storetest.NeedsNoDatabase(op) {
			h.mustCall(core.NewBootstrapActor(), op, op.Example)
			continue
		}
		_, failure := h.callOperation(adminFor(op), op, op.Example)
		require.NotNil(t, failure, "if %s reads no database, add it to withoutDatabase in store/storetest/look.go", op.Name)
		require.Equal(t, core.Unavailable, failure.Code, op.Name)
	}
	_, err := h.tools.Authenticate(t.Context(), core.Secret(fmt.Sprintf("ck_%043d", 1)))
	require.True(t, core.HasCode(err, core.Unavailable), "%v", err)
	_, err = h.tools.Authenticate(t.Context(), "no token at all")
	requireUnauthorized(t, err) // so nothing is looked up
}

func TestAuthenticateWithoutAdminToken(t *testing.T) {
	t.Parallel()
	without := tools.New(tools.Options{Store: storetest.New(t)})
	for _, token := range []core.Secret{"", " ", "ADMIN_TOKEN"} {
		_, err := without.Authenticate(t.Context(), token)
		requireUnauthorized(t, err)
	}
}
