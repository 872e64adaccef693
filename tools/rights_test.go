package tools_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// The rights of the roles in a project of their team.
var rightsOfRoles = map[string][]core.Right{
	"in no team":                       {core.NoRight},
	"owner of a team without projects": {core.NoRight},

	"viewer":    {core.NoRight, core.ReadRight},
	"member":    {core.NoRight, core.ReadRight, core.WriteRight},
	"developer": {core.NoRight, core.ReadRight, core.WriteRight},
	"admin":     {core.NoRight, core.ReadRight, core.WriteRight, core.ManageRight},
	"owner":     {core.NoRight, core.ReadRight, core.WriteRight, core.ManageRight},
	// In projects without a team, too.
	"site admin": {core.NoRight, core.ReadRight, core.WriteRight, core.ManageRight, core.SiteRight},
}

// The right that each operation requires of a person.
var operationsByRight = map[core.Right]string{
	core.NoRight: "whoami get_account update_account list_sessions end_session end_other_sessions",
	core.ReadRight: `list_projects list_issues get_issue get_brief get_event list_issue_events list_issue_activity find_similar
		list_releases get_release list_source_maps list_alerts list_activity list_labels list_fix_outcomes get_setup_guide
		count_issues list_filter_values get_issues get_issue_hours get_issue_days get_issue_shares get_events_around
		list_claims get_outcomes list_fixes get_release_hours
		list_project_teams count_open_issues get_source_map_state`,
	core.WriteRight: `resolve_issue ignore_issue unresolve_issue next_issue claim_issue release_issue add_note correct_triage link_fix
		merge_issues split_issue change_issues`,
	core.ManageRight: `update_project try_scrubbing create_project_key delete_project_key create_deploy upload_source_map delete_source_map
		rotate_webhook_secret
		create_webhook list_webhooks delete_webhook test_webhook list_deliveries resend_delivery
		list_approvals count_approvals approve_request reject_request`,
	core.SiteRight: `get_server examine_server create_project delete_project create_token list_tokens revoke_token
		create_api_key list_api_keys revoke_api_key list_people invite_person update_person delete_person create_person_link
		create_setup_key list_setup_keys revoke_setup_key
		register_app create_agent_token send_test_event report_setup_step get_setup_progress`,
}

// lowestRoles are the roles that a refusal names.
var lowestRoles = map[core.Right]string{core.WriteRight: "member", core.ManageRight: "admin", core.SiteRight: "site_admin"}

func rightOf(t *testing.T, op *core.Operation) core.Right {
	t.Helper()
	for right, names := range operationsByRight {
		if slices.Contains(strings.Fields(names), op.Name) {
			return right
		}
	}
	require.Fail(t, "add "+op.Name+" to operationsByRight in tools/rights_test.go")
	return ""
}

// TestRightsOfPeople makes every call of the registry as people of each kind, about a project of their team and about
// a project outside it.
func TestRightsOfPeople(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	for _, op := range h.registry.Operations() {
		if op == core.EndSession.Operation { // it is about a person, not a project: see TestSessionsOfPeople
			continue
		}
		t.Run(op.Name, func(t *testing.T) {
			t.Parallel()
			h, people := openTeams(t)
			for who, rights := range rightsOfRoles {
				caller := personCalls{h, people[who], rights, op, rightOf(t, op)}
				caller.callAssigned(who)
				caller.callForeign(who)
			}
		})
	}
}

// personCalls are one person's calls of an operation.
type personCalls struct {
	*fixture
	person core.Actor
	rights []core.Right
	op     *core.Operation
	needs  core.Right
}

func (c personCalls) has(right core.Right) bool { return slices.Contains(c.rights, right) }

// callAssigned makes the call about a project of the person's team.
func (c personCalls) callAssigned(who string) {
	c.Helper()
	args := callOfPeople(c, c.op)(c.ownPart())
	switch isOfNothing := args == callOfPeople(c, c.op)(c.unknownPart()); {
	case c.has(c.needs), c.needs == core.ReadRight && isOfNothing:
		_, failure := c.callOperation(c.person, c.op, args)
		require.Nil(c, failure, "%s: %s %s: %v", who, c.op.Name, args, failure)
	case c.needs == core.ReadRight:
		c.refuseAsUnknown(who, args)
	default:
		c.refuse(who, args, object{"error": "forbidden", "required_role": lowestRoles[c.needs]})
	}
}

// callForeign makes the call about a project outside the team. It does not exist for people with the right elsewhere.
func (c personCalls) callForeign(who string) {
	c.Helper()
	args := callOfPeople(c, c.op)(c.foreignPart())
	isOfNothing := args == callOfPeople(c, c.op)(c.unknownPart())
	switch {
	case isOfNothing:
	case c.has(core.SiteRight):
		_, failure := c.callOperation(c.person, c.op, args)
		require.Nil(c, failure, "%s: %s %s: %v", who, c.op.Name, args, failure)
	case c.has(c.needs), c.needs == core.ReadRight:
		c.refuseAsUnknown(who, args)
	default:
		c.refuse(who, args, object{"error": "forbidden", "required_role": lowestRoles[c.needs]})
	}
}

// refuseAsUnknown requires the same answer as for an unknown id, and no change.
func (c personCalls) refuseAsUnknown(who, args string) {
	c.Helper()
	unknown := c.mustFail(c.person, c.op, callOfPeople(c, c.op)(c.unknownPart()))
	var failure object
	decodeInto(c.T, unknown, &failure)
	require.Contains(c, []any{"not_found", "project_not_found", "invalid_request"}, failure["error"], "%s: %s", who, c.op.Name)
	c.refuse(who, args, failure)
}

func (c personCalls) refuse(who, args string, want object) {
	c.Helper()
	before := c.countRows()
	got := c.mustFail(c.person, c.op, args)
	c.sameJSON(want, got)
	require.Equal(c, before, c.countRows(), "%s changed something by %s %s", who, c.op.Name, args)
}

// countRows counts the rows that changes leave.
func (h *fixture) countRows() []string {
	h.Helper()
	return queryTexts(h, `
SELECT (SELECT count(*) FROM activity) || ' ' || (SELECT count(*) FROM projects WHERE deleted_at IS NULL) || ' ' ||
	(SELECT count(*) FROM deliveries WHERE status = 'pending') || ' ' || (SELECT count(*) FROM setup_keys WHERE revoked_at IS NULL) || ' ' ||
	(SELECT count(*) FROM setup_apps) || ' ' || (SELECT count(*) FROM issues) || ' ' || (SELECT count(*) FROM project_keys) || ' ' ||
	(SELECT count(*) FROM issues WHERE claim_expires_at IS NOT NULL)`)
}
