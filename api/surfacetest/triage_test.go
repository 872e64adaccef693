package surfacetest_test

import (
	"testing"

	"errand/api/surfacetest"
	"errand/core"
	"errand/store/storetest"
)

// triageCases are parityCases of triage and similar issues.
var triageCases = []parityCase{
	{core.CorrectTriage.Operation, success, "agent",
		`{"id": $issue, "category": "data", "severity": "3", "note": "password=hunter2 \u0000\u202e <b>&"}`},
	{core.CorrectTriage.Operation, success, "admin", `{"id": "$claimed", "noise": true, "transient": "false", "agent_fixable": null}`},
	{core.CorrectTriage.Operation, core.NotFound, "agent", `{"id": $missing, "noise": true}`},
	{core.CorrectTriage.Operation, core.NotFound, "agent", `{"id": $merged, "noise": true}`},
	{core.CorrectTriage.Operation, core.InvalidRequest, "agent", `{"id": $issue, "note": "only a note"}`},
	{core.CorrectTriage.Operation, core.InvalidRequest, "agent", `{"id": $issue, "category": "error", "severity": 4}`},

	{core.FindSimilar.Operation, success, "reader", `{"issue_id": $issue}`},
	{core.FindSimilar.Operation, success, "reader", `{"text": "ship <failed> & gone", "project": "web-shop", "limit": "1"}`},
	{core.FindSimilar.Operation, core.NotFound, "reader", `{"issue_id": $missing}`},
	{core.FindSimilar.Operation, core.NotFound, "reader", `{"issue_id": $merged}`},
	{core.FindSimilar.Operation, core.ProjectNotFound, "reader", `{"text": "ship", "project": "no-such-app"}`},
	{core.FindSimilar.Operation, core.InvalidRequest, "reader", `{"text": "ship", "issue_id": 1}`},
}

// switchedOffCases need a separate server, with everything switched off that can be.
var switchedOffCases = []parityCase{
	{core.FindSimilar.Operation, core.SimilarOff, "admin", `{"text": "ship"}`},
}

func TestParityOfWhatIsSwitchedOff(t *testing.T) {
	t.Parallel()
	s := surfacetest.ServeSurfaces(t, surfacetest.Options{Store: storetest.New(t), Settings: map[string]string{"SIMILAR": "off"}})
	for _, c := range switchedOffCases {
		requireSameError(t, c.op, c.code, callREST(t, s, c.op, surfacetest.AdminToken, c.input),
			callMCP(t, s, c.op, surfacetest.AdminToken, c.input))
	}
}
