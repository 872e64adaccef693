package core

// BulkAction is what is done to several issues at once.
type BulkAction string

// The actions.
const (
	BulkResolve   BulkAction = "resolve"
	BulkIgnore    BulkAction = "ignore"
	BulkUnresolve BulkAction = "unresolve"
)

// ChangeIssuesInput is the body of POST /v1/issues/bulk.
type ChangeIssuesInput struct {
	IDs    []int64    `json:"ids" doc:"Ids of the issues." issue:"list" min:"1" max:"100"`
	Action BulkAction `json:"action" doc:"As resolve_issue, ignore_issue and unresolve_issue do." enum:"resolve|ignore|unresolve"`
	IgnoreTerm
}

// Check refuses an issue that is named twice, and a term where the action is not ignore.
func (in ChangeIssuesInput) Check() error {
	seen := make(map[int64]bool, len(in.IDs))
	for _, id := range in.IDs {
		if seen[id] {
			return RefuseField("ids", "must not name an issue twice: %d", id)
		}
		seen[id] = true
	}
	if in.Action == BulkIgnore {
		return nil
	}
	for name, given := range map[string]bool{"until": in.Until != "", "after_events": in.AfterEvents != 0, "after_users": in.AfterUsers != 0} {
		if given {
			return RefuseField(name, "is for the action ignore only")
		}
	}
	return nil
}

// BulkOutcome is what became of one of several issues.
type BulkOutcome string

// The outcomes.
const (
	BulkChanged   BulkOutcome = "changed"
	BulkUnchanged BulkOutcome = "unchanged" // it was so before
	BulkHeld      BulkOutcome = "held"      // it waits for approval
	BulkRefused   BulkOutcome = "refused"
)

// ChangedIssues says what became of each issue.
type ChangedIssues struct {
	Changed   int64              `json:"changed" doc:"How many of the issues were changed."`
	Unchanged int64              `json:"unchanged" doc:"How many were so before."`
	Held      int64              `json:"held" doc:"How many wait for the approval of another admin, and have not changed yet."`
	Refused   int64              `json:"refused" doc:"How many could not be changed."`
	Issues    List[ChangedIssue] `json:"issues" doc:"In the order of ids."`
}

// ChangedIssue is the outcome for one issue.
type ChangedIssue struct {
	ID           int64       `json:"id"`
	Outcome      BulkOutcome `json:"outcome" enum:"changed|unchanged|held|refused"`
	StatusBefore Text        `json:"status_before" doc:"Null when it was refused."`
	Status       Text        `json:"status" doc:"What it is now; null when it was refused."`
	ApprovalID   OptInt      `json:"approval_id" doc:"The request for approval; null unless it is held."`
	Error        Text        `json:"error" doc:"Why it was refused: not_found, forbidden or invalid_request, as for one issue."`
	Message      Text        `json:"message" doc:"The same in words; null unless it was refused."`
	MergedInto   OptInt      `json:"merged_into" doc:"The issue that has its events, when it was refused because it is merged."`
}

// ChangeIssues declares POST /v1/issues/bulk.
var ChangeIssues = DefineOperation[ChangeIssuesInput, Data[ChangedIssues]](Operation{
	Name: "change_issues", Route: "POST /v1/issues/bulk", Scope: IssuesWrite, Warns: true,
	Summary: "Change several issues at once",
	Description: "Resolves, ignores or reopens up to 100 issues in one transaction. An issue that cannot be changed, or that waits for " +
		"approval, is named, and the others are changed. status_before says how to undo it.",
	Example:    `{"ids": [42, 43], "action": "resolve"}`,
	Idempotent: true,
	NotATool:   "an agent works on one issue at a time, and says of each what it found",
})
