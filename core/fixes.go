package core

var fixOperations = []*Operation{
	ListFixOutcomes.Operation,
}

// Fix is a linked fix of an issue.
type Fix struct {
	Kind        FixKind   `json:"kind" enum:"commit|pull_request"`
	Commit      Text      `json:"commit"`
	PRURL       Text      `json:"pr_url"`
	LinkedBy    string    `json:"linked_by" untrusted:"true"`
	LinkedAt    Time      `json:"linked_at" always:"true"`
	Release     Untrusted `json:"release" doc:"The release that brought it."`
	Environment Untrusted `json:"environment"`
	DeployedAt  Time      `json:"deployed_at"`
	VerifyAfter Time      `json:"verify_after" doc:"When it counts as verified if the error stays away."`
	Outcome     Text      `json:"outcome" enum:"verified|regressed" doc:"null while it is open."`
	VerifiedAt  Time      `json:"verified_at"`
	RegressedAt Time      `json:"regressed_at"`
	RegressedIn Untrusted `json:"regressed_in" doc:"The release in which the error came back."`
	Overdue     *Overdue  `json:"overdue" doc:"@fix.overdue"`

	UnknownReleases List[Untrusted] `json:"unknown_releases" doc:"@fix.unknown_releases"`
}

// Overdue says that no deploy names the fix although the error goes on in newer releases: after three of them, or
// after a day (decisions 6).
type Overdue struct {
	Since   Time  `json:"since" always:"true"`
	Deploys int64 `json:"deploys" doc:"Deploys since the link, of releases that are new since then."`
	Events  int64 `json:"events" doc:"Stored events of these releases."`
}

// FixKind is how a fix is identified: by commit or by pull request.
type FixKind string

// The kinds of fixes.
const (
	FixByCommit      FixKind = "commit"
	FixByPullRequest FixKind = "pull_request"
)

// LinkFixInput is the body of POST /v1/issues/{id}/fix.
type LinkFixInput struct {
	ID     int64  `json:"id" doc:"Id of the issue." issue:"true" min:"1"`
	Commit string `json:"commit,omitempty" doc:"@linkFixInput.commit" min:"1" max:"100"`
	PRURL  string `json:"pr_url,omitempty" doc:"@linkFixInput.pr_url" min:"1" max:"500"`
	Handover
}

// Check requires exactly one of the two.
func (in LinkFixInput) Check() error {
	if (in.Commit == "") == (in.PRURL == "") {
		return RefuseField("", "must name exactly one of commit and pr_url")
	}
	return nil
}

// LinkFix declares POST /v1/issues/{id}/fix.
var LinkFix = DefineOperation[LinkFixInput, Data[IssueDetail]](Operation{
	Name: "link_fix", Route: "POST /v1/issues/{id}/fix", Scope: IssuesWrite, Warns: true,
	Summary: "Link a fix to an issue",
	Description: "Names the commit or pull request that fixes an issue; it becomes fix_pending. " +
		"When a deploy brings it, the error is watched: verified when it stays away until fix.verify_after, regressed when it returns. " +
		"A new link replaces an open fix. Put \"Errand-Issue: 42\" (its id) into the commit or pull request too. Do not resolve the issue.",
	Example: `{"id": 42, "commit": "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"}`,
	Errors:  []Code{NotFound, InvalidRequest},
	Next:    []string{"next_issue"},
})

// FixOutcome is how a fix ended.
type FixOutcome struct {
	FixID           int64           `json:"fix_id"`
	IssueID         int64           `json:"issue_id"`
	Kind            FixKind         `json:"kind" enum:"commit|pull_request"`
	Ref             string          `json:"ref" doc:"The commit, or the URL of the pull request."`
	LinkedByType    ActorType       `json:"linked_by_type" enum:"token|admin_token|system|user"`
	LinkedBy        string          `json:"linked_by" untrusted:"true"`
	LinkedAt        Time            `json:"linked_at" always:"true"`
	DeployedAt      Time            `json:"deployed_at" always:"true"`
	Outcome         string          `json:"outcome" enum:"verified|regressed" doc:"@fixOutcome.outcome"`
	VerifiedAt      Time            `json:"verified_at"`
	RegressedAt     Time            `json:"regressed_at"`
	RegressedIn     Untrusted       `json:"regressed_in" doc:"The release in which the error came back."`
	UnknownReleases List[Untrusted] `json:"unknown_releases" doc:"@fix.unknown_releases"`

	HoursToVerified *float64 `json:"hours_to_verified" doc:"From the link until it was verified."`
	HoursToFix      *float64 `json:"hours_to_fix" doc:"From the first event of the issue until it was verified."`
}

// ListFixOutcomesInput filters and pages the outcomes of fixes.
type ListFixOutcomesInput struct {
	Since  Since  `json:"since,omitempty" doc:"At or after: 30m, 24h, 7d, or an ISO date or time."`
	Limit  int    `json:"limit" doc:"How many to return." min:"1" max:"1000" default:"100"`
	Cursor Cursor `json:"cursor,omitempty" doc:"next_cursor of the previous page." min:"1"`
}

// ListFixOutcomes declares GET /v1/fix-outcomes.
var ListFixOutcomes = DefineOperation[ListFixOutcomesInput, Page[FixOutcome]](Operation{
	Name: "list_fix_outcomes", Route: "GET /v1/fix-outcomes", Scope: Admin,
	Summary:     "List how fixes ended",
	Description: "Lists the fixes that were verified or regressed, the latest outcome first: who linked them, and how long it took.",
	Example:     `{"since": "7d", "limit": 200}`,
})
