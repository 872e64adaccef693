package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/triage"
)

// payTriage is the triage of payIssue, whose event was not judged.
func payTriage() object {
	return object{
		"category": "bug", "severity": 2, "transient": false, "agent_fixable": true, "noise": false, "confidence": 0.35,
		"reasons": []any{"It is an exception of a kind that the rules do not know."}, "model": "rules-v1", "corrected_by": nil,
	}
}

func (h *fixture) triageOf(issue int64) object {
	h.Helper()
	return h.callData(reader, core.GetIssue.Operation, idArgs(issue))["triage"].(object)
}

func TestTriageOfAnIssue(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	e := h.newEvent("pay", 1)
	handled := true
	e.Title, e.Type, e.Crash = "Error: connect ECONNREFUSED 10.0.0.7", "Error", triage.Crash{Site: triage.App, Handled: &handled}
	h.sameJSON(object{
		"category": "network", "severity": 0, "transient": true, "agent_fixable": false, "noise": false, "confidence": 0.85,
		"reasons": []any{"A connection was refused or broke off.", "The stack trace has code of the app."}, "model": "rules-v1",
		"corrected_by": nil,
	}, mustJSON(t, h.triageOf(h.addEvents(e).IssueID)))
}

func TestCorrectTriage(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.CorrectTriage.Operation
	pay := h.addEvents(h.newEvent("pay", 1)).IssueID
	h.sameJSON(object{"data": object{"recorded": true}}, h.mustCall(writer, op, fmt.Sprintf(
		`{"id": %d, "category": "configuration", "agent_fixable": "false", "note": " password=hunter2horse in .env "}`, pay)))
	corrected := withChanges(payTriage(), object{
		"category": "configuration", "agent_fixable": false, "corrected_by": "agent-2",
		"reasons": []any{"It is an exception of a kind that the rules do not know.", "Corrected by hand: category, agent_fixable."},
	})
	h.sameJSON(corrected, mustJSON(t, h.triageOf(pay)))

	h.sameJSON(object{"data": object{"recorded": true}}, h.mustCall(core.NewBootstrapActor(), op, fmt.Sprintf(
		`{"id": %d, "category": null, "severity": 0, "transient": true, "noise": true}`, pay)))
	h.sameJSON(withChanges(corrected, object{
		"severity": 0, "transient": true, "noise": true, "corrected_by": "ADMIN_TOKEN",
		"reasons": []any{
			"It is an exception of a kind that the rules do not know.", "Corrected by hand: category, severity, transient, agent_fixable, noise.",
		},
	}), mustJSON(t, h.triageOf(pay)))

	row := func(id int, actor, data object) object {
		return withChanges(withChanges(object{
			"id": id, "at": noonText, "action": "issue.triage_correction", "target_type": "issue", "target_id": pay,
		}, actor), object{"data": withChanges(object{"from": payTriage()}, data)})
	}
	h.sameJSON(object{"next_cursor": nil, "data": []any{
		row(3, object{"actor_type": "admin_token", "actor_id": nil, "actor_name": "ADMIN_TOKEN"},
			object{"to": object{"severity": 0, "transient": true, "noise": true}, "note": nil}),
		row(2, object{"actor_type": "token", "actor_id": 2, "actor_name": "agent-2"},
			object{"to": object{"category": "configuration", "agent_fixable": false}, "note": "password=[Filtered] in .env"}),
	}}, h.mustCall(reader, core.ListIssueActivity.Operation, idArgs(pay)))
}

func TestCorrectTriageRefuses(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.CorrectTriage.Operation
	pay := h.addEvents(h.newEvent("pay", 1)).IssueID
	for fields, wrong := range map[string]string{
		``: "", `, "note": "only a note"`: "", `, "category": null`: "",
		`, "category": "error"`: "category", `, "category": ""`: "category", `, "category": 5`: "category",
		`, "severity": 4`: "severity", `, "severity": -1`: "severity", `, "severity": "high"`: "severity", `, "severity": 1.5`: "severity",
		`, "transient": "maybe"`: "transient", `, "noise": 2`: "noise", `, "agent_fixable": []`: "agent_fixable",
		`, "noise": true, "confidence": 1`:                            "confidence",
		`, "noise": true, "note": "` + strings.Repeat("é", 501) + `"`: "note",
	} {
		h.mustRefuse(op, fmt.Sprintf(`{"id": %d%s}`, pay, fields), wrong)
	}
	h.sameJSON(payTriage(), mustJSON(t, h.triageOf(pay)))
	h.mustCall(writer, op, fmt.Sprintf(`{"id": %d, "noise": true, "note": "%s"}`, pay, strings.Repeat("é", 500)))
	h.changeRows(`UPDATE issues SET status = 'merged', merged_into = 5`)
	for _, issue := range []int64{pay, 4711} {
		h.sameJSON(object{"error": "not_found"}, h.mustFail(writer, op, fmt.Sprintf(`{"id": %d, "noise": true}`, issue)))
	}
}

func TestCorrectionsAreOfOneIssue(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	pay, ship := h.addEvents(h.newEvent("pay", 1)).IssueID, h.addEvents(h.newEvent("ship", 1)).IssueID
	h.mustCall(writer, core.CorrectTriage.Operation, fmt.Sprintf(`{"id": %d, "severity": 3}`, pay))
	h.sameJSON(payTriage(), mustJSON(t, h.triageOf(ship)))
	require.InDelta(t, 3, h.triageOf(pay)["severity"], 0)
	var page struct {
		Data []struct{ Triage struct{ Severity int } }
	}
	decodeInto(t, h.mustCall(reader, core.ListIssues.Operation, `{}`), &page)
	require.Equal(t, 5, page.Data[0].Triage.Severity+page.Data[1].Triage.Severity, "lists show corrections too")
}
