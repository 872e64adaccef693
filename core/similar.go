package core

var similarOperations = []*Operation{FindSimilar.Operation}

// FindSimilarInput is the body of POST /v1/similar.
type FindSimilarInput struct {
	IssueID int64      `json:"issue_id,omitempty" doc:"Find issues like this one." issue:"true" min:"1"`
	Text    string     `json:"text,omitempty" doc:"Find issues like this text, such as an error message." min:"1" max:"4000"`
	Project ProjectRef `json:"project,omitempty" doc:"@findSimilarInput.project" min:"1"`
	Limit   int        `json:"limit" doc:"How many to return." min:"1" max:"20" default:"5"`
}

// Check requires exactly one question.
func (in FindSimilarInput) Check() error {
	if (in.IssueID == 0) == (in.Text == "") {
		return RefuseField("", "must name either issue_id or text")
	}
	return nil
}

// SimilarIssue is an issue that resembles another one, or a text.
type SimilarIssue struct {
	Issue   Issue        `json:"issue"`
	Score   float64      `json:"score" doc:"0 to 1; 1 is the same in all that is compared."`
	Reasons List[string] `json:"reasons" doc:"What they have in common, in words of Errand's own."`
	Fix     *Fix         `json:"fix" doc:"What fixed it; null when nothing did."`
}

// FindSimilar declares POST /v1/similar.
var FindSimilar = DefineOperation[FindSimilarInput, Data[List[SimilarIssue]]](Operation{
	Name: "find_similar", Route: "POST /v1/similar", Scope: IssuesRead, OnlyReads: true,
	Summary: "Find similar issues",
	Description: "Finds issues that are like an issue or a text, best first: in exceptions, the app's functions in stacks, and words of " +
		"titles. Use it before you start: the same cause may be known, or fixed, under another issue.",
	Example: `{"issue_id": 42, "limit": 5}`,
	Errors:  []Code{NotFound, ProjectNotFound, SimilarOff},
})
