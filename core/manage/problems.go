package manage

import (
	"strings"

	"errand/core"
)

var problemOperations = []*core.Operation{
	ListProblems.Operation,
	GetProblem.Operation,
	ResolveProblem.Operation,
	UnresolveProblem.Operation,
	ResolveProblems.Operation,
}

// isBlank reports whether a text has nothing but white space.
func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// Problem is an issue of Errand.
type Problem struct {
	ID                int64          `json:"id"`
	AppID             int64          `json:"app_id"`
	ErrorClass        string         `json:"error_class"`
	ErrorMessage      AppText        `json:"error_message"`
	Fingerprint       string         `json:"fingerprint"`
	Status            ProblemStatus  `json:"status" enum:"unresolved|resolved"`
	NoticesCount      int64          `json:"notices_count" doc:"Errors that are stored."`
	DeduplicatedCount int64          `json:"deduplicated_count" doc:"Errors that were counted and are not stored."`
	FirstNoticedAt    Time           `json:"first_noticed_at" always:"true"`
	LastNoticedAt     Time           `json:"last_noticed_at" always:"true"`
	ResolvedAt        Time           `json:"resolved_at"`
	CreatedAt         Time           `json:"created_at" always:"true"`
	UpdatedAt         Time           `json:"updated_at" always:"true"`
	Tags              core.List[Tag] `json:"tags"`
}

// Tag is a word that people put on problems.
type Tag struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// ProblemStatus is the state of a problem.
type ProblemStatus string

// The states of a problem. A problem is resolved when the issue is resolved, verified or ignored.
const (
	Unresolved ProblemStatus = "unresolved"
	Resolved   ProblemStatus = "resolved"
)

// ListProblemsInput chooses the problems of an app to list.
type ListProblemsInput struct {
	App        core.ProjectRef `json:"app" doc:"Slug or id of the app." min:"1"`
	Status     string          `json:"status,omitempty" doc:"resolved or unresolved; anything else is all."`
	Search     string          `json:"search,omitempty" doc:"Part of the class or the message; % and _ are wildcards." max:"500"`
	Tags       []string        `json:"tags,omitempty" doc:"Names of tags; a problem with any of them is listed." max:"100"`
	DateFrom   Date            `json:"date_from,omitempty" doc:"The first day on which it was last noticed."`
	DateTo     Date            `json:"date_to,omitempty" doc:"The last day on which it was last noticed."`
	MinNotices int64           `json:"min_notices,omitempty" doc:"How many notices it has at least." min:"1"`
	Sort       string          `json:"sort,omitempty" doc:"notices, oldest, or anything else for the most recent first."`
	Numbering
}

// ListProblems declares GET /api/v1/apps/{app}/problems.
var ListProblems = core.DefineOperation[ListProblemsInput, Pages[Problem]](core.Operation{
	Name: "list_problems", Route: "GET /api/v1/apps/{app}/problems", Scope: core.AnyToken,
	Summary: "List problems", Description: "Lists the problems of an app. It needs the permission problems:read.",
	Example: `{"app": "web-shop", "status": "unresolved"}`, Errors: []core.Code{core.NotFound, core.Forbidden, ValidationFailed},
})

// ProblemInput names a problem of an app in the path.
type ProblemInput struct {
	App core.ProjectRef `json:"app" doc:"Slug or id of the app." min:"1"`
	ID  int64           `json:"id" doc:"Id of the problem." min:"1"`
}

// GetProblem declares GET /api/v1/apps/{app}/problems/{id}.
var GetProblem = core.DefineOperation[ProblemInput, Problem](core.Operation{
	Name: "get_problem", Route: "GET /api/v1/apps/{app}/problems/{id}", Scope: core.AnyToken,
	Summary: "Show a problem", Description: "Shows one problem. It needs the permission problems:read.",
	Example: `{"app": "web-shop", "id": 7}`, Errors: []core.Code{core.NotFound, core.Forbidden},
})

// ResolveProblem declares POST /api/v1/apps/{app}/problems/{id}/resolve.
var ResolveProblem = core.DefineOperation[ProblemInput, Problem](core.Operation{
	Name: "resolve_problem", Route: "POST /api/v1/apps/{app}/problems/{id}/resolve", Scope: core.AnyToken, Idempotent: true,
	Summary: "Resolve a problem", Description: "Marks a problem as resolved. It needs the permission problems:write.",
	Example: `{"app": "web-shop", "id": 7}`, Errors: []core.Code{core.NotFound, core.Forbidden},
})

// UnresolveProblem declares POST /api/v1/apps/{app}/problems/{id}/unresolve.
var UnresolveProblem = core.DefineOperation[ProblemInput, Problem](core.Operation{
	Name: "unresolve_problem", Route: "POST /api/v1/apps/{app}/problems/{id}/unresolve", Scope: core.AnyToken, Idempotent: true,
	Summary: "Reopen a problem", Description: "Marks a problem as unresolved. It needs the permission problems:write.",
	Example: `{"app": "web-shop", "id": 7}`, Errors: []core.Code{core.NotFound, core.Forbidden},
})

// ResolveProblemsInput names problems of an app.
type ResolveProblemsInput struct {
	App core.ProjectRef `json:"app" doc:"Slug or id of the app." min:"1"`
	IDs []int64         `json:"problem_ids,omitempty" doc:"Ids of the problems, at most 1000. Those of other apps are passed over." max:"1000"`
}

// ResolvedProblems is the number of problems that were marked.
type ResolvedProblems struct {
	Message string `json:"message"`
	Count   int64  `json:"count"`
}

// ResolveProblems declares POST /api/v1/apps/{app}/problems/bulk_resolve.
var ResolveProblems = core.DefineOperation[ResolveProblemsInput, ResolvedProblems](core.Operation{
	Name: "resolve_problems", Route: "POST /api/v1/apps/{app}/problems/bulk_resolve", Scope: core.AnyToken, Idempotent: true,
	Summary: "Resolve problems", Description: "Marks problems as resolved, all or none. It needs the permission problems:write.",
	Example: `{"app": "web-shop", "problem_ids": [7, 8]}`, Errors: []core.Code{core.NotFound, core.Forbidden, ValidationFailed},
})
