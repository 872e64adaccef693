package core

var issueOperations = []*Operation{
	ListIssues.Operation,
	GetIssue.Operation,
	ListIssueEvents.Operation,
	ListIssueActivity.Operation,
	ResolveIssue.Operation,
	IgnoreIssue.Operation,
	UnresolveIssue.Operation,
	NextIssueOp.Operation,
	ClaimIssue.Operation,
	ReleaseIssue.Operation,
	AddNote.Operation,
	MergeIssues.Operation,
	SplitIssue.Operation,
	LinkFix.Operation,
	CorrectTriage.Operation,
}

// IssueSort is an order of the list of issues.
type IssueSort string

// The orders of the list of issues.
const (
	ByLastSeen IssueSort = "last_seen" // most recent first
	ByPriority IssueSort = "priority"  // highest first
	ByWork     IssueSort = "work"      // by priority, with low trust counting less (decisions 7)
)

// IsRanked reports whether the list is sorted by a score.
func (s IssueSort) IsRanked() bool { return s == ByPriority || s == ByWork }

// IssueSearch is the part of an input that filters issues.
type IssueSearch struct {
	Project     ProjectRef `json:"project,omitempty" doc:"Id or slug; all when absent." plain:"true" min:"1"`
	Release     string     `json:"release,omitempty" doc:"First or last release, or that of a stored event." plain:"true" min:"1" max:"8192"`
	Environment string     `json:"environment,omitempty" doc:"Environment of a stored event." plain:"true" min:"1" max:"8192"`
	Since       Since      `json:"since,omitempty" doc:"Last seen since: 24h, 7d, or an ISO time."`
	Search      string     `json:"search,omitempty" doc:"@listIssuesInput.search" plain:"true" min:"1" max:"200"`
	Tag         TagFilter  `json:"tag,omitempty" doc:"@listIssuesInput.tag" plain:"true"`
	Claimed     *bool      `json:"claimed" doc:"@listIssuesInput.claimed" plain:"true"`
	Test        bool       `json:"test,omitempty" doc:"true: only test issues; without it they are left out." plain:"true"`
	Noise       *bool      `json:"noise" doc:"@listIssuesInput.noise" plain:"true"`
}

// ListIssuesInput filters the list of issues.
type ListIssuesInput struct {
	IssueSearch
	Status Status      `json:"status,omitempty" doc:"@status" enum:"open|unresolved|resolved|ignored|merged|fix_pending|verified|regressed"`
	Sort   IssueSort   `json:"sort" doc:"@listIssuesInput.sort" plain:"true" enum:"last_seen|priority|work" default:"last_seen"`
	Fields IssueFields `json:"fields,omitempty" doc:"@listIssuesInput.fields" max:"50" models:"lean"`
	Paging
}

// ListIssues declares GET /v1/issues.
var ListIssues = DefineOperation[ListIssuesInput, IssuePage](Operation{
	Name: "list_issues", Route: "GET /v1/issues", Scope: IssuesRead,
	Summary: "List issues",
	Description: "Lists issues. Work: status=open, claimed=false, sort=priority; next_issue takes the best. ingest says if events " +
		"come in.",
	Example: `{"project": "web-shop", "status": "open", "claimed": false, "limit": 10}`,
	Errors:  []Code{ProjectNotFound},
})

// IssueInput names one issue in the path.
type IssueInput struct {
	ID int64 `json:"id" doc:"Id of the issue." issue:"true" min:"1"`
}

// GetIssue declares GET /v1/issues/{id}.
var GetIssue = DefineOperation[IssueInput, Data[IssueDetail]](Operation{
	Name: "get_issue", Route: "GET /v1/issues/{id}", Scope: IssuesRead,
	Summary: "Show one issue",
	Description: "Shows one issue with its counts, its claim, its fix and the id of its latest event. " +
		"merged_into names where the events of a merged one went.",
	Example: `{"id": 42}`,
	Errors:  []Code{NotFound},
})

// ActivityKind chooses rows of an issue's activity.
type ActivityKind string

// The kinds of rows.
const (
	AllActivity ActivityKind = "all"
	OnlyNotes   ActivityKind = "notes"
	Decisions   ActivityKind = "decisions" // all but notes, claims, releases and tags
)

// ListIssueActivityInput chooses and pages the activity of one issue.
type ListIssueActivityInput struct {
	ID   int64        `json:"id" doc:"Id of the issue." issue:"true" min:"1"`
	Kind ActivityKind `json:"kind" doc:"@listIssueActivityInput.kind" enum:"all|notes|decisions" default:"all"`
	Paging
}

// ListIssueEventsInput filters and pages the events of one issue.
type ListIssueEventsInput struct {
	ID int64 `json:"id" doc:"Id of the issue." issue:"true" min:"1"`
	EventSearch
	Paging
}

// ListIssueEvents declares GET /v1/issues/{id}/events.
var ListIssueEvents = DefineOperation[ListIssueEventsInput, Page[EventRow]](Operation{
	Name: "list_issue_events", Route: "GET /v1/issues/{id}/events", Scope: IssuesRead,
	Summary:     "List the stored events of an issue",
	Description: "Lists the stored events of an issue, most recent first. get_event shows one with its stack trace.",
	Example:     `{"id": 42, "limit": 5}`,
	Errors:      []Code{NotFound},
})

// ListIssueActivity declares GET /v1/issues/{id}/activity.
var ListIssueActivity = DefineOperation[ListIssueActivityInput, Page[Activity]](Operation{
	Name: "list_issue_activity", Route: "GET /v1/issues/{id}/activity", Scope: IssuesRead,
	Summary: "List what was done about an issue",
	Description: "Lists what was done about an issue, most recent first: claims, notes, changes of status, and by whom. Read it before " +
		"you start: somebody may have tried already.",
	Example: `{"id": 42}`,
	Errors:  []Code{NotFound},
})

// ResolveIssueInput is the body of POST /v1/issues/{id}/resolve.
type ResolveIssueInput struct {
	ID int64 `json:"id" doc:"Id of the issue." issue:"true" min:"1"`
	Handover
}

// Handover is the part of an input that ends the work on an issue.
type Handover struct {
	Note    string `json:"note,omitempty" doc:"@handover.note" min:"1" max:"4000" cleaned:"true"`
	Release bool   `json:"release,omitempty" doc:"true: release your claim too."`
	Worker  Worker `json:"worker,omitempty" doc:"@handover.worker" plain:"true" min:"1" max:"64"`
}

// ResolveIssue declares POST /v1/issues/{id}/resolve.
var ResolveIssue = DefineOperation[ResolveIssueInput, Data[Issue]](Operation{
	Name: "resolve_issue", Route: "POST /v1/issues/{id}/resolve", Scope: IssuesWrite, Warns: true,
	Summary:     "Resolve an issue",
	Description: "Marks an issue as done. A new event makes it unresolved again.",
	Example:     `{"id": 42}`,
	Errors:      []Code{NotFound}, Idempotent: true,
	Next: []string{"next_issue"},
})

// UnresolveIssue declares POST /v1/issues/{id}/unresolve.
var UnresolveIssue = DefineOperation[IssueInput, Data[Issue]](Operation{
	Name: "unresolve_issue", Route: "POST /v1/issues/{id}/unresolve", Scope: IssuesWrite, Warns: true,
	Summary:     "Reopen an issue",
	Description: "Marks an issue as open again, whatever its status was.",
	Example:     `{"id": 42}`,
	Errors:      []Code{NotFound}, Idempotent: true,
	Next: []string{"claim_issue", "next_issue"},
})

// ClaimIssueInput is the body of POST /v1/issues/{id}/claim.
type ClaimIssueInput struct {
	ID int64 `json:"id" doc:"Id of the issue." issue:"true" min:"1"`
	Lease
}

// Lease says how long a claim lasts, and for whom.
type Lease struct {
	Minutes int64  `json:"minutes" doc:"@minutes" min:"1" max:"1440" default:"120"`
	Worker  Worker `json:"worker,omitempty" doc:"@worker" min:"1" max:"64"`
}

// ClaimIssue declares POST /v1/issues/{id}/claim.
var ClaimIssue = DefineOperation[ClaimIssueInput, Data[ClaimedIssue]](Operation{
	Name: "claim_issue", Route: "POST /v1/issues/{id}/claim", Scope: IssuesWrite,
	Summary: "Claim an issue",
	Description: "Reserves an issue for you before you work on it. " +
		"The claim is a lease: it ends by itself, claiming again or writing to the issue renews it, release_issue ends it. " +
		"When somebody else holds it the answer is claimed: take another issue.",
	Example: `{"id": 42, "minutes": 60}`,
	Errors:  []Code{NotFound, Claimed}, Idempotent: true,
	Next: []string{"get_brief"},
})

// ReleaseIssueInput is the body of POST /v1/issues/{id}/release.
type ReleaseIssueInput struct {
	ID     int64  `json:"id" doc:"Id of the issue." issue:"true" min:"1"`
	Worker Worker `json:"worker,omitempty" doc:"@worker" min:"1" max:"64"`
	Note   string `json:"note,omitempty" doc:"@releaseIssueInput.note" min:"1" max:"4000" cleaned:"true"`
}

// ReleaseIssue declares POST /v1/issues/{id}/release.
var ReleaseIssue = DefineOperation[ReleaseIssueInput, Data[Issue]](Operation{
	Name: "release_issue", Route: "POST /v1/issues/{id}/release", Aliases: []string{"DELETE /v1/issues/{id}/claim"}, Scope: IssuesWrite,
	Summary:     "Release a claim",
	Description: "Releases your claim on an issue, so that others can take it. Only the holder or an admin may.",
	Example:     `{"id": 42}`,
	Errors:      []Code{NotFound, NotClaimHolder}, Idempotent: true,
	Next: []string{"next_issue"},
})

// AddNoteInput is the body of POST /v1/issues/{id}/notes.
type AddNoteInput struct {
	ID   int64  `json:"id" doc:"Id of the issue." issue:"true" min:"1"`
	Text string `json:"text" doc:"What you found out or did. Secrets and control characters are removed." min:"1" max:"4000" cleaned:"true"`
}

// NoteID is the id of a new note, which is the id of its row in the activity.
type NoteID struct {
	ID int64 `json:"id"`
}

// AddNote declares POST /v1/issues/{id}/notes.
var AddNote = DefineOperation[AddNoteInput, Data[NoteID]](Operation{
	Name: "add_note", Route: "POST /v1/issues/{id}/notes", Scope: IssuesWrite, Warns: true, Status: 201,
	Summary:     "Add a note to an issue",
	Description: "Adds a note to an issue's activity, for whoever works on it next: what you found, what you tried, what is left.",
	Example:     `{"id": 42, "text": "The token is read before the login completes; see auth.go."}`,
	Errors:      []Code{NotFound},
	Next:        []string{"claim_issue", "link_fix", "release_issue", "next_issue"},
})

// MergeIssuesInput is the body of POST /v1/issues/{id}/merge.
type MergeIssuesInput struct {
	ID        int64   `json:"id" doc:"Id of the target: the issue that stays." issue:"true" min:"1"`
	SourceIDs []int64 `json:"source_ids" doc:"Ids of issues of the same project that become part of it." issue:"list" min:"1" max:"10"`
}

// MergeIssues declares POST /v1/issues/{id}/merge.
var MergeIssues = DefineOperation[MergeIssuesInput, OrHeld[Data[Issue]]](Operation{
	Name: "merge_issues", Route: "POST /v1/issues/{id}/merge", Scope: IssuesWrite, Warns: true,
	Summary: "Merge issues",
	Description: "Merges issues that are the same problem into one: the events and counts of the sources move to the target, and so do " +
		"their later events. The sources become merged, their claims end. An open source reopens a resolved target. It cannot be " +
		"undone as a whole: split_issue moves single events out again.",
	Example: `{"id": 42, "source_ids": [43, 44]}`,
	Errors:  []Code{NotFound, InvalidRequest}, Destructive: true,
	Next: []string{"get_brief"},
})

// SplitIssueInput is the body of POST /v1/issues/{id}/split.
type SplitIssueInput struct {
	ID       int64   `json:"id" doc:"Id of the issue." issue:"true" min:"1"`
	EventIDs []int64 `json:"event_ids" doc:"id of its events in list_issue_events, not event_id." min:"1" max:"100"`
}

// Check refuses an event that is named twice.
func (in SplitIssueInput) Check() error {
	seen := make(map[int64]bool, len(in.EventIDs))
	for _, id := range in.EventIDs {
		if seen[id] {
			return RefuseField("event_ids", "must not name an event twice: %d", id)
		}
		seen[id] = true
	}
	return nil
}

// SplitIssue declares POST /v1/issues/{id}/split.
var SplitIssue = DefineOperation[SplitIssueInput, Data[Issue]](Operation{
	Name: "split_issue", Route: "POST /v1/issues/{id}/split", Scope: IssuesWrite, Warns: true, Status: 201,
	Summary: "Split events off an issue",
	Description: "Moves events of an issue that are another problem to a new one, unresolved and named after the first of them. " +
		"Their counts go with them; the users stay, and new events still go to the original.",
	Example: `{"id": 42, "event_ids": [1001, 1002]}`,
	Errors:  []Code{NotFound, InvalidRequest},
	Next:    []string{"get_issue"},
})
