package core

import "encoding/json"

var labelOperations = []*Operation{ListLabels.Operation}

// Label is a decision about an issue that is worth learning from: whether the issue was grouped and judged well
// (primary API, Triage label). It is a row of the activity.
type Label struct {
	ID        int64           `json:"id" doc:"Id of the row in the activity."`
	At        Time            `json:"at" always:"true"`
	IssueID   int64           `json:"issue_id"`
	Label     string          `json:"label" enum:"resolved|ignored|unresolved|regressed|merged|split|triage_corrected"`
	ActorType ActorType       `json:"actor_type" enum:"token|admin_token|system|user"`
	ActorName string          `json:"actor_name" untrusted:"true"`
	Data      json.RawMessage `json:"data" untrusted:"true" doc:"What the row says beside it, such as {from, to}; null without."`
	Corrects  Text            `json:"corrects" enum:"resolved|ignored|grouping|triage" doc:"@label.corrects"`
}

// ListLabelsInput filters and pages the labels.
type ListLabelsInput struct {
	Since  Since  `json:"since,omitempty" doc:"At or after: 30m, 24h, 7d, or an ISO date or time."`
	Limit  int    `json:"limit" doc:"How many to return." min:"1" max:"1000" default:"100"`
	Cursor Cursor `json:"cursor,omitempty" doc:"next_cursor of the previous page." min:"1"`
}

// ListLabels declares GET /v1/labels.
var ListLabels = DefineOperation[ListLabelsInput, Page[Label]](Operation{
	Name: "list_labels", Route: "GET /v1/labels", Scope: Admin,
	Summary: "List triage labels",
	Description: "Lists the decisions about issues, most recent first, as labels to learn from: what was resolved, ignored, reopened, " +
		"merged, split or judged anew, " +
		"and in corrects which earlier decision that reversed. Notes and claims are no labels.",
	Example: `{"since": "7d", "limit": 200}`,
})
