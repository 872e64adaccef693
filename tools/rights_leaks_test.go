package tools_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// question is a call that changes nothing.
type question struct {
	op   *core.Operation
	args string
}

// fill puts something of each kind into a project.
func (p part) fill() {
	_, event := p.issueAndEvent()
	require.NotZero(p.h, event)
	issue := p.issue()
	p.h.mustCall(core.NewBootstrapActor(), core.AddNote.Operation, fmt.Sprintf(`{"id": %d, "text": "A note of %s"}`, issue, p.mark))
	p.h.mustCall(core.NewBootstrapActor(), core.ClaimIssue.Operation, idArgs(p.issue()))
	p.h.mustCall(core.NewBootstrapActor(), core.ResolveIssue.Operation, idArgs(p.issue()))
	p.h.mustCall(core.NewBootstrapActor(), core.MergeIssues.Operation, fmt.Sprintf(`{"id": %d, "source_ids": [%d]}`, p.issue(), p.issue()))
	p.release()
	p.h.changeRows(`UPDATE fixes SET outcome = 'verified', outcome_at = $2, verified_at = $2 WHERE project_id = $1`, p.project, p.h.now)
	p.delivery(p.webhook())
	p.sourceMap()
	p.key()
	p.approval()
	p.token()
	p.setupKey()
	p.byAdmin(core.CreateToken.Operation, `{"name": %q, "scopes": ["issues:read"], "project": %q}`, p.mark+"-bound", p.slug())
}

// listQuestions returns every reading call about the caller's project, and every one that names no project, with
// every parameter that could ask about another project.
func listQuestions(h *fixture, own part) []question {
	var questions []question
	wide := map[string][]string{
		"list_issues": {
			`{}`, `{"sort": "priority"}`, `{"search": "zanzibar"}`, `{"search": "zanzibar", "sort": "priority"}`, `{"release": "zanzibar-1"}`,
			`{"environment": "zanzibar"}`, `{"claimed": true}`, `{"status": "open", "claimed": false}`, `{"status": "merged"}`, `{"since": "24h"}`,
			`{"status": "regressed", "sort": "priority"}`, `{"limit": 1}`, `{"limit": 1, "sort": "priority"}`, `{"project": "the-zanzibar"}`,
		},
		"list_releases": {`{}`, `{"limit": 1}`},
		"list_activity": {`{"limit": 100}`, `{"limit": 1}`, `{"action": "issue.note"}`, `{"project": "the-zanzibar"}`, `{"issue": 1}`},
		"list_labels":   {`{"since": "24h"}`},
		"find_similar":  {`{"text": "zanzibar failed in zanzibar group"}`}, "list_fix_outcomes": {`{"since": "24h"}`},
		"count_issues":       {`{}`, `{"release": "zanzibar-1"}`, `{"search": "zanzibar"}`, `{"test": true}`, `{"project": "the-zanzibar"}`},
		"list_claims":        {`{}`, `{"project": "the-zanzibar"}`},
		"list_fixes":         {`{}`, `{"state": "returned"}`, `{"project": "the-zanzibar"}`},
		"get_outcomes":       {`{}`, `{"days": 1}`, `{"project": "the-zanzibar"}`},
		"list_filter_values": {`{}`, `{"project": "the-zanzibar"}`},
		"get_setup_guide":    {`{}`, `{"platform": "node", "project": "The zanzibar"}`},
	}
	for _, op := range h.registry.Operations() {
		if !op.ReadOnly() {
			continue
		}
		questions = append(questions, question{op, callOfPeople(h, op)(own)})
		for _, args := range wide[op.Name] {
			questions = append(questions, question{op, args})
		}
	}
	return questions
}

// ask returns the complete answer as agents get it, since their errors say more.
func (h *fixture) ask(a core.Actor, q question) string {
	h.Helper()
	body, failure := h.callOperation(a, q.op, q.args)
	if failure != nil {
		require.NotEqual(h, core.Internal, failure.Code, "%s %s", q.op.Name, q.args)
		text, err := failure.ForAgent()
		require.NoError(h, err)
		return string(text)
	}
	return fenceIDs.ReplaceAllString(body, "UNTRUSTED")
}

// fenceIDs are random.
var fenceIDs = regexp.MustCompile(`UNTRUSTED [0-9a-f]{16}`)

// TestPeopleSeeNothingOfOtherTeams asks everything before and after another team's project has contents. The answers
// to people outside that team stay the same.
func TestPeopleSeeNothingOfOtherTeams(t *testing.T) {
	t.Parallel()
	h, people := openTeams(t)
	own, other := h.ownPart(), h.foreignPart()
	own.fill()
	questions := listQuestions(h, own)
	strangers := []string{"owner", "admin", "developer", "viewer", "owner of a team without projects", "in no team"}
	for name, scope := range limitedTokens {
		people[name], strangers = h.makeLimitedToken(scope), append(strangers, name)
	}
	before := map[string]string{}
	for _, who := range append(slices.Clone(strangers), "site admin") {
		for _, q := range questions {
			before[who+q.op.Name+q.args] = h.ask(people[who], q)
		}
	}

	other.fill()
	h.changeRows(`
		UPDATE project_seen SET last_event_at = (last_event_at AT TIME ZONE 'UTC' + interval '1 minute') AT TIME ZONE 'UTC'
		WHERE project_id = $1`, foreign)

	changed := map[string]bool{}
	for _, q := range questions {
		if h.ask(people["site admin"], q) != before["site admin"+q.op.Name+q.args] {
			changed[q.op.Name] = true // proof that the test can fail
		}
		for _, who := range strangers {
			answer := h.ask(people[who], q)
			require.Equal(t, before[who+q.op.Name+q.args], answer, "%s: %s %s", who, q.op.Name, q.args)
			require.NotContains(t, answer, fmt.Sprint(foreign))
			for _, name := range *other.names {
				require.NotContains(t, strings.ReplaceAll(answer, q.args, ""), name, "%s: %s %s", who, q.op.Name, q.args)
			}
		}
	}
	for _, op := range strings.Fields(`list_projects list_issues list_releases list_activity list_labels list_fix_outcomes list_webhooks
		list_alerts list_approvals list_tokens list_setup_keys find_similar
		count_issues list_filter_values`) {
		require.True(t, changed[op], "nothing of %s is in the other project", op)
	}
}

// TestNextIssueTakesNothingOfOtherTeams also covers what next_issue says about issues that it passes over.
func TestNextIssueTakesNothingOfOtherTeams(t *testing.T) {
	t.Parallel()
	h, people := openTeams(t)
	own, other := h.ownPart(), h.foreignPart()
	other.fill()
	mine := []int64{own.issue(), own.issue()}
	h.changeRows(`UPDATE issues SET status = 'regressed' WHERE id = $1`, other.issue())

	var taken []int64
	for n := range mine {
		next := h.callData(people["member"], core.NextIssueOp.Operation, fmt.Sprintf(`{"worker": "worker %d"}`, n))
		require.NotContains(t, mustJSON(t, next), foreignMark)
		taken = append(taken, int64(next["issue"].(object)["id"].(float64)))
	}
	require.ElementsMatch(t, mine, taken)
	next := h.callData(people["member"], core.NextIssueOp.Operation, `{"worker": "another"}`)
	require.Nil(t, next["issue"])
	require.Equal(t, "of the open issues 2 are claimed", next["why"])
	h.sameJSON(object{"error": "forbidden", "required_role": "member"}, h.mustFail(people["viewer"], core.NextIssueOp.Operation, `{}`))
}

// TestWhatIsOfOtherTeamsIsUnknown makes calls that name something of another team or something that does not exist.
// The answers are the same, even where the call itself is about the caller's project.
func TestWhatIsOfOtherTeamsIsUnknown(t *testing.T) {
	t.Parallel()
	h, people := openTeams(t)
	own := h.ownPart()
	for name, scope := range limitedTokens {
		people[name] = h.makeLimitedToken(scope)
	}
	issue := own.issue()
	webhook := own.webhook()
	calls := map[string][]func(part) string{
		"merge_issues": {func(p part) string {
			return fmt.Sprintf(`{"id": %d, "source_ids": [%d, %d]}`, issue, p.issue(), p.issue())
		}},
		"split_issue": {func(p part) string {
			_, e := p.issueAndEvent()
			return fmt.Sprintf(`{"id": %d, "event_ids": [%d]}`, issue, e)
		}},
		"link_fix": {func(p part) string {
			return fmt.Sprintf(`{"id": %d, "pr_url": "https://github.com/%s/app/pull/1"}`, p.issue(), own.mark)
		}, func(p part) string { return fmt.Sprintf(`{"id": %d, "commit": "9f8e7d6"}`, p.mergedIssue()) }},
		"get_issue": {ofMerged}, "get_brief": {ofMerged}, "claim_issue": {ofMerged}, "list_issue_activity": {ofMerged},
		"ignore_issue":       {ofMerged},
		"find_similar":       {func(p part) string { return fmt.Sprintf(`{"issue_id": %d}`, p.mergedIssue()) }},
		"list_issues":        {func(p part) string { return fmt.Sprintf(`{"project": "The %s"}`, p.mark) }, ofProjectID},
		"update_project":     {ofProjectID},
		"resend_delivery":    {func(p part) string { return deliveryArgs(webhook, p.delivery(p.webhook())) }},
		"delete_project_key": {func(p part) string { return fmt.Sprintf(`{"project": "the-quagga", "key": %q}`, p.key()) }},
	}
	for _, op := range h.registry.Operations() {
		for _, call := range append(calls[op.Name], callOfPeople(h, op)) {
			for _, who := range []string{"owner", "developer", "viewer", "in no team", "token that reads", "token that works", "token of an admin"} {
				ofForeign, ofUnknown := h.foreignPart(), h.unknownPart()
				args, unknownArgs := call(ofForeign), call(ofUnknown)
				if args == unknownArgs || op.Name == "create_deploy" {
					continue // it names nothing
				}
				answer := hideNames(h.ask(people[who], question{op, args}), *ofForeign.names)
				unknown := hideNames(h.ask(people[who], question{op, unknownArgs}), *ofUnknown.names)
				require.Equal(t, unknown, answer, "%s: %s %s and %s", who, op.Name, args, unknownArgs)
				require.Contains(t, answer, `"error"`)
			}
		}
	}
}

func ofMerged(p part) string { return idArgs(p.mergedIssue()) }

func ofProjectID(p part) string {
	return fmt.Sprintf(`{"project": %d}`, p.give(func() int64 { return p.project }))
}

// hideNames replaces the names in a call, so that answers can be compared.
func hideNames(answer string, names []string) string {
	for _, name := range names {
		answer = strings.ReplaceAll(answer, name, "#")
	}
	return answer
}

// TestNamesOfProjectsThatAreHidden checks that names of hidden projects do not count: a name that another team has
// too finds the caller's project.
func TestNamesOfProjectsThatAreHidden(t *testing.T) {
	t.Parallel()
	h, people := openTeams(t)
	h.changeRows(`UPDATE projects SET name = 'Shop'`)
	_, failure := h.callOperation(people["viewer"], core.ListIssues.Operation, `{"project": "shop"}`)
	require.Nil(t, failure)
	_, failure = h.callOperation(people["site admin"], core.ListIssues.Operation, `{"project": "shop"}`)
	require.True(t, core.HasCode(failure, core.ProjectNotFound), "two have the name")

	text := h.ask(people["viewer"], question{core.ListIssues.Operation, `{"project": "the-zanzibar"}`})
	var told struct{ Projects []string }
	require.NoError(t, json.Unmarshal([]byte(text), &told))
	require.Equal(t, []string{"the-quagga"}, told.Projects)
}

// TestWebhooksOfTheInstallation checks that only site admins reach them, like everything without a project.
func TestWebhooksOfTheInstallation(t *testing.T) {
	t.Parallel()
	h, people := openTeams(t)
	id := storetest.MakeWebhook(t, h.store, store.NewWebhook{URL: "https://all.example.com"})
	h.sameJSON(object{"error": "forbidden", "required_role": "site_admin"},
		h.mustFail(people["owner"], core.CreateWebhook.Operation, webhookArgs(``)))
	h.sameJSON(object{"error": "not_found"}, h.mustFail(people["owner"], core.DeleteWebhook.Operation, idArgs(id)))
	h.sameJSON(object{"data": []any{}}, h.mustCall(people["owner"], core.ListWebhooks.Operation, `{}`))
	h.sameJSON(object{"data": []any{}}, h.mustCall(people["owner"], core.ListAlerts.Operation, `{}`))
	h.mustCall(people["site admin"], core.CreateWebhook.Operation, webhookArgs(``))
	h.mustCall(people["site admin"], core.DeleteWebhook.Operation, idArgs(id))
}
