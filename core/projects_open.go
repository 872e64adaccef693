package core

// MaxOpenCounted is up to how many open issues of a project count_open_issues counts.
const MaxOpenCounted = 1000

// OpenIssues is how many open issues a project has.
type OpenIssues struct {
	ProjectID int64 `json:"project_id"`
	Open      int64 `json:"open" doc:"Unresolved, regressed, or with a fix that is overdue; from 1000 on not all are counted."`
}

// CountOpenIssuesInput has no fields: every project is counted.
type CountOpenIssuesInput struct{}

// CountOpenIssues declares GET /v1/projects/open-issues.
var CountOpenIssues = DefineOperation[CountOpenIssuesInput, Data[List[OpenIssues]]](Operation{
	Name: "count_open_issues", Route: "GET /v1/projects/open-issues", Scope: IssuesRead,
	Summary:     "Count the open issues of each project",
	Description: "Counts the open issues of every project that has any, without test issues.",
	Example:     `{}`,
	NotATool:    whyNoAgentDraws,
})
