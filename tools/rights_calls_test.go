package tools_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// callOfPeople returns what makes the arguments of a call of the operation.
func callOfPeople(t testing.TB, op *core.Operation) func(part) string {
	t.Helper()
	require.Contains(t, callsOfPeople, op.Name, "add it to callsOfPeople in tools/rights_calls_test.go: how people call it")
	return callsOfPeople[op.Name]
}

// callsOfPeople are the arguments of a call of each operation about something in a project, which is made for the
// call. Calls that name nothing are about everything.
var callsOfPeople = map[string]func(part) string{
	"list_projects":     nothing,
	"list_activity":     nothing,
	"list_labels":       nothing,
	"list_fix_outcomes": nothing,
	"list_webhooks":     nothing,
	"list_alerts":       nothing,
	"list_approvals":    nothing,
	"count_approvals":   nothing,
	"whoami":            nothing,

	"get_account":        nothing,
	"update_account":     func(part) string { return `{"single_keys": false}` },
	"list_sessions":      nothing,
	"end_session":        func(part) string { return `{"id": 1}` },
	"end_other_sessions": nothing,

	"list_issues":         ofProject(``),
	"list_releases":       ofProject(``),
	"list_source_maps":    ofProject(``),
	"get_setup_guide":     ofProject(``),
	"get_issue":           ofIssue(``),
	"get_brief":           ofIssue(``),
	"list_issue_events":   ofIssue(``),
	"list_issue_activity": ofIssue(``),
	"count_issues":        ofProject(``),
	"list_filter_values":  ofProject(``),
	"get_issues":          func(part) string { return `{"ids": [1]}` },
	"get_issue_hours":     func(part) string { return `{"ids": [1]}` },
	"get_issue_days":      ofIssue(``),
	"list_claims":         ofProject(``),
	"get_outcomes":        ofProject(``),
	"list_fixes":          ofProject(``),
	"get_release_hours":   func(p part) string { return fmt.Sprintf(`{"version": %q, "project": %q}`, p.release(), p.slug()) },
	"try_scrubbing":       ofProject(`"text": "password=hunter2"`),
	"create_api_key":      func(part) string { return `{"name": "dashboard", "permissions": ["apps:read"]}` },
	"list_people":         nothing,
	"invite_person": func(p part) string {
		p.h.events++
		return fmt.Sprintf(`{"email_address": "new-%d@example.org"}`, p.h.events)
	},
	"update_person":      func(p part) string { return fmt.Sprintf(`{"id": %d, "disabled": false}`, p.person()) },
	"delete_person":      func(p part) string { return idArgs(p.person()) },
	"create_person_link": func(p part) string { return idArgs(p.person()) },
	"list_api_keys":      nothing,
	"revoke_api_key":     func(p part) string { return idArgs(p.apiKey()) },
	"get_issue_shares":   ofIssue(``),
	"get_events_around": func(p part) string {
		issue, event := p.issueAndEvent()
		return fmt.Sprintf(`{"id": %d, "event": %d}`, issue, event)
	},
	"get_event":    func(p part) string { _, event := p.issueAndEvent(); return idArgs(event) },
	"get_release":  func(p part) string { return fmt.Sprintf(`{"version": %q, "project": %q}`, p.release(), p.slug()) },
	"find_similar": func(p part) string { return fmt.Sprintf(`{"issue_id": %d}`, p.issue()) },

	"resolve_issue":   ofIssue(`"note": "done"`),
	"ignore_issue":    ofIssue(``),
	"unresolve_issue": ofIssue(``),
	"claim_issue":     ofIssue(``),
	"release_issue":   ofIssue(`"note": "tried"`),
	"add_note":        ofIssue(`"text": "seen"`),
	"correct_triage":  ofIssue(`"category": "configuration", "note": "no"`),
	"link_fix":        ofIssue(`"commit": "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"`),
	"merge_issues":    func(p part) string { return fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, p.issue(), p.issue()) },
	"next_issue":      func(p part) string { p.issue(); return fmt.Sprintf(`{"project": %q}`, p.slug()) },
	// The refusal of one issue is not an error of the call: see TestChangeIssuesOfOthers.
	"change_issues": func(part) string { return `{"ids": [1], "action": "resolve"}` },
	"split_issue": func(p part) string {
		issue, event := p.issueAndEvent()
		return fmt.Sprintf(`{"id": %d, "event_ids": [%d]}`, issue, event)
	},

	"update_project":        ofProject(`"daily_quota": 5`),
	"create_project_key":    ofProject(``),
	"delete_project_key":    func(p part) string { return fmt.Sprintf(`{"project": %q, "key": %q}`, p.slug(), p.key()) },
	"create_deploy":         ofProject(`"commit": "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"`),
	"upload_source_map":     ofProject(`"release": "1", "name": "~/app.js"`),
	"delete_source_map":     func(p part) string { return idArgs(p.sourceMap()) },
	"create_webhook":        func(p part) string { return webhookArgs(fmt.Sprintf(`"project": %q`, p.slug())) },
	"delete_webhook":        func(p part) string { return idArgs(p.webhook()) },
	"test_webhook":          func(p part) string { return idArgs(p.webhook()) },
	"rotate_webhook_secret": func(p part) string { return idArgs(p.webhook()) },
	"list_deliveries":       func(p part) string { return idArgs(p.webhook()) },
	"approve_request":       func(p part) string { return idArgs(p.approval()) },
	"reject_request":        func(p part) string { return idArgs(p.approval()) },
	"resend_delivery": func(p part) string {
		webhook := p.webhook()
		return deliveryArgs(webhook, p.delivery(webhook))
	},

	"create_project":     func(part) string { return `{"name": "New"}` },
	"delete_project":     ofProject(``),
	"create_token":       ofProject(`"name": "t", "scopes": ["issues:read"]`),
	"list_tokens":        nothing,
	"revoke_token":       func(p part) string { return idArgs(p.token()) },
	"create_setup_key":   nothing,
	"list_setup_keys":    nothing,
	"revoke_setup_key":   func(p part) string { return idArgs(p.setupKey()) },
	"register_app":       func(part) string { return `{"name": "App"}` },
	"create_agent_token": ofProject(`"name": "t"`),
	"send_test_event":    ofProject(``),
	"report_setup_step":  ofProject(`"step": "sdk_installed"`),
	"get_setup_progress": nothing,

	"list_project_teams":   ofProject(``),
	"count_open_issues":    nothing,
	"get_source_map_state": ofProject(``),
	"get_server":           nothing,
	"examine_server":       nothing,
}

func nothing(part) string { return `{}` }

func ofProject(more string) func(part) string {
	return func(p part) string { return joinArgs(fmt.Sprintf(`"project": %q`, p.slug()), more) }
}

func ofIssue(more string) func(part) string {
	return func(p part) string { return joinArgs(fmt.Sprintf(`"id": %d`, p.issue()), more) }
}

func joinArgs(first, more string) string {
	if more != "" {
		first += ", " + more
	}
	return "{" + first + "}"
}
