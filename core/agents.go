package core

// The operations about work: claims, fixes and their outcomes.
var workOperations = []*Operation{
	ListClaims.Operation,
	GetOutcomes.Operation,
	ListFixes.Operation,
}

// whyNoAgentReports is why reports on agents are not tools: a list of tools has a bound, and each tool in it costs every agent.
const whyNoAgentReports = "it is what the people see who are responsible for agents"

// MaxClaimsListed is how many claims list_claims shows.
const MaxClaimsListed = 200

// ListedClaim is the claim on an issue that somebody works on now.
type ListedClaim struct {
	IssueID    int64     `json:"issue_id"`
	Title      Untrusted `json:"title" always:"true"`
	ProjectID  int64     `json:"project_id"`
	Status     Status    `json:"status"`
	HolderType ActorType `json:"holder_type" enum:"token|admin_token|user"`
	Holder     string    `json:"holder" untrusted:"true" doc:"Name of the token, or e-mail address of the person."`
	Worker     Text      `json:"worker" untrusted:"true" doc:"Which of those who share the token; null when it did not say."`
	Since      Time      `json:"since" always:"true" doc:"Since when it has been held without a break."`
	ExpiresAt  Time      `json:"expires_at" always:"true"`
	Notes      int64     `json:"notes" doc:"How many notes were written on the issue since then."`
	LastNote   Untrusted `json:"last_note" doc:"The latest of them; null for none."`
}

// ListClaimsInput names the project, or none for all.
type ListClaimsInput struct {
	Project ProjectRef `json:"project,omitempty" doc:"Id or slug; all when absent." plain:"true" min:"1"`
}

// ListClaims declares GET /v1/claims.
var ListClaims = DefineOperation[ListClaimsInput, Data[List[ListedClaim]]](Operation{
	Name: "list_claims", Route: "GET /v1/claims", Scope: IssuesRead,
	Summary: "List what is being worked on",
	Description: "Lists the issues that are claimed now, at most 200, with who holds them and their latest note. The claim that ends first " +
		"comes first.",
	Example:  `{"project": "web-shop"}`,
	Errors:   []Code{ProjectNotFound},
	NotATool: whyNoAgentReports,
})

// Outcomes says what came of the work on issues in a span of time.
type Outcomes struct {
	Since   Time                `json:"since" always:"true" doc:"When the span begins."`
	Total   WorkOutcome         `json:"total"`
	Workers List[WorkerOutcome] `json:"workers" doc:"By token or person, and worker, those with the most fixes first; at most 100."`
}

// WorkOutcome counts claims and fixes. A fix belongs to the span of its link.
type WorkOutcome struct {
	Claims    int64 `json:"claims" doc:"How many issues were claimed; renewals do not count."`
	GivenBack int64 `json:"given_back" doc:"How often a claim was released with a note that says why."`
	Fixes     int64 `json:"fixes" doc:"Fixes that were linked, whatever came of them."`
	Verified  int64 `json:"verified" doc:"Fixes that held."`
	Regressed int64 `json:"regressed" doc:"Fixes after which the error came back."`
	Waiting   int64 `json:"waiting" doc:"Open fixes: not deployed, or deployed and not verified yet."`

	HoursToVerified *float64 `json:"hours_to_verified" doc:"The median from the link of a fix until it was verified; null without any."`
}

// WorkerOutcome is the work of one token or person, or of one worker of a token.
type WorkerOutcome struct {
	ActorType ActorType `json:"actor_type" enum:"token|admin_token|user|system" doc:"system: source control, which links what commits name."`
	Actor     string    `json:"actor" untrusted:"true"`
	Worker    Text      `json:"worker" untrusted:"true" doc:"null for work that named no worker."`
	WorkOutcome
}

// MaxOutcomeDays is the longest span of get_outcomes.
const MaxOutcomeDays = 90

// GetOutcomesInput chooses the span and the project.
type GetOutcomesInput struct {
	Days    int        `json:"days" doc:"How many days back." min:"1" max:"90" default:"30"`
	Project ProjectRef `json:"project,omitempty" doc:"Id or slug; all when absent." plain:"true" min:"1"`
}

// GetOutcomes declares GET /v1/outcomes.
var GetOutcomes = DefineOperation[GetOutcomesInput, Data[Outcomes]](Operation{
	Name: "get_outcomes", Route: "GET /v1/outcomes", Scope: IssuesRead,
	Summary: "Show what came of the work on issues",
	Description: "Counts claims, fixes, and how the fixes ended, for each token, person and worker. Fixes count by the time of their link, " +
		"so a fix of today that waits is among those of today.",
	Example:  `{"days": 30}`,
	Errors:   []Code{ProjectNotFound},
	NotATool: whyNoAgentReports,
})

// FixState selects fixes by how they stand.
type FixState string

// The states of fixes that list_fixes knows.
const (
	OpenFixes     FixState = "open"     // not deployed, or deployed and watched
	ReturnedFixes FixState = "returned" // their error came back
)

// ListedFix is a fix with its issue.
type ListedFix struct {
	IssueID   int64     `json:"issue_id"`
	Title     Untrusted `json:"title" always:"true" doc:"Of the issue."`
	ProjectID int64     `json:"project_id"`
	Project   string    `json:"project" doc:"Slug of the project."`
	Worker    Text      `json:"worker" untrusted:"true" doc:"The worker that linked it; null when none was named."`
	Fix       Fix       `json:"fix"`
}

// ListFixesInput selects and pages fixes.
type ListFixesInput struct {
	State   FixState   `json:"state" doc:"open: not deployed, or watched; returned: the error came back." enum:"open|returned" default:"open"`
	Project ProjectRef `json:"project,omitempty" doc:"Id or slug; all when absent." plain:"true" min:"1"`
	Since   Since      `json:"since,omitempty" doc:"Linked, or returned, at or after: 24h, 7d, or an ISO time." plain:"true"`
	Paging
}

// ListFixes declares GET /v1/fixes.
var ListFixes = DefineOperation[ListFixesInput, Page[ListedFix]](Operation{
	Name: "list_fixes", Route: "GET /v1/fixes", Scope: IssuesRead,
	Summary: "List fixes that are open or did not hold",
	Description: "Lists open fixes by their link, or the fixes whose error came back by its return, latest first, each with its issue. " +
		"A fix with overdue or unknown_releases waits for something that will not come by itself.",
	Example:  `{"state": "open", "limit": 20}`,
	Errors:   []Code{ProjectNotFound},
	NotATool: whyNoAgentReports,
})
