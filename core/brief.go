package core

var briefOperations = []*Operation{GetBrief.Operation}

// BriefVersion is the version of the briefs: the members of their JSON and the order of their Markdown.
const BriefVersion = "v1"

// Bounds of a brief's budget, in tokens (decisions 7).
const (
	MinBriefBudget     = 500
	MaxBriefBudget     = 20_000
	DefaultBriefBudget = 6000
)

// Brief is all that an agent needs to start on an issue (decisions 7).
type Brief struct {
	Version  string     `json:"version" doc:"v1"`
	Markdown string     `json:"markdown" doc:"@brief.markdown"`
	JSON     BriefFacts `json:"json" doc:"@brief.json"`
}

// Prose is the Markdown, the only form of a brief over MCP (decisions 11).
func (b Brief) Prose() string { return b.Markdown }

// BriefFacts is a brief as data. Text of the monitored app stands only under names that end in _untrusted.
type BriefFacts struct {
	Issue         BriefIssue          `json:"issue"`
	Project       BriefProject        `json:"project"`
	Event         *BriefEvent         `json:"event" doc:"The latest stored event with frames of the app, else the latest; null without one."`
	Approvals     List[BriefApproval] `json:"approvals" doc:"Actions on it that wait for an admin."`
	Notes         List[BriefNote]     `json:"notes" doc:"Written by tokens, latest first."`
	Fixes         List[BriefFix]      `json:"fixes" doc:"Latest first."`
	Similar       List[BriefSimilar]  `json:"similar" doc:"Best first."`
	Releases      BriefReleases       `json:"releases"`
	Triage        Triage              `json:"triage"`
	Tags          List[TagShares]     `json:"tags" doc:"How the newest stored events are spread over the values of their tags."`
	EventsPerHour List[HourCount]     `json:"events_per_hour" doc:"The hours of the last 7 days with events, by UTC."`
	NextSteps     List[string]        `json:"next_steps" doc:"What to do, with operations that the reader may call."`
	LeftOut       List[string]        `json:"left_out" doc:"What had no room in the Markdown."`
}

// BriefIssue is the issue of a brief.
type BriefIssue struct {
	ID            int64     `json:"id"`
	Title         Untrusted `json:"title_untrusted" always:"true"`
	Culprit       Untrusted `json:"culprit_untrusted"`
	Type          Untrusted `json:"type_untrusted"`
	Platform      Untrusted `json:"platform_untrusted"`
	Level         string    `json:"level" enum:"fatal|error|warning|info|debug"`
	Status        Status    `json:"status" enum:"unresolved|resolved|ignored|merged|fix_pending|verified|regressed"`
	Trust         Trust     `json:"trust" enum:"low|high"`
	Source        *Source   `json:"source" enum:"server|browser|mixed" doc:"@issue.source"`
	Claim         *Claim    `json:"claim"`
	IsYours       bool      `json:"claim_is_yours" doc:"The claim is that of the reader's token and worker."`
	Priority      float64   `json:"priority"`
	TimesSeen     int64     `json:"times_seen"`
	Events24h     int64     `json:"events_24h"`
	Events7d      int64     `json:"events_7d"`
	UsersAffected int64     `json:"users_affected"`
	FirstSeen     Time      `json:"first_seen" always:"true"`
	LastSeen      Time      `json:"last_seen" always:"true"`
}

// BriefProject is the project of a brief.
type BriefProject struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	Slug       string `json:"slug"`
	Repository Text   `json:"repository" doc:"owner/name in source control; null when none is set."`
}

// BriefEvent is the event of a brief, without the members that only GET /v1/events/{id} shows.
type BriefEvent struct {
	ID             int64                 `json:"id" doc:"For get_event."`
	Timestamp      Time                  `json:"timestamp" always:"true"`
	IsLatest       bool                  `json:"is_latest"`
	HasAppFrames   bool                  `json:"has_app_frames"`
	Message        Untrusted             `json:"message_untrusted"`
	Transaction    Untrusted             `json:"transaction_untrusted"`
	Release        Untrusted             `json:"release_untrusted"`
	Environment    Untrusted             `json:"environment_untrusted"`
	ServerName     Untrusted             `json:"server_name_untrusted"`
	Exceptions     List[BriefException]  `json:"exceptions" doc:"Outermost first: the one that was reported, then its causes."`
	Threads        List[BriefThread]     `json:"threads" doc:"The crashed or current ones, when no exception has frames."`
	Request        Value                 `json:"request_untrusted"`
	User           Value                 `json:"user_untrusted"`
	Tags           Value                 `json:"tags_untrusted"`
	Contexts       Value                 `json:"contexts_untrusted"`
	Extra          Value                 `json:"extra_untrusted"`
	Breadcrumbs    List[BriefBreadcrumb] `json:"breadcrumbs" doc:"The last ones, oldest first."`
	UnmappedFrames List[Untrusted]       `json:"unmapped_frames_untrusted" doc:"Why frames of minified code were not mapped to their source."`
}

// BriefException is an exception of a brief.
type BriefException struct {
	Type    Untrusted        `json:"type_untrusted"`
	Value   Untrusted        `json:"value_untrusted"`
	Handled *bool            `json:"handled" doc:"false when nothing in the application caught it; null when that is not known."`
	Frames  List[BriefFrame] `json:"frames" doc:"The most recent call first; of libraries only their number, unless nothing else is there."`
	Folded  int              `json:"library_frames" doc:"How many frames of libraries are left out."`
}

// BriefThread is a thread of a brief.
type BriefThread struct {
	Name   Untrusted        `json:"name_untrusted"`
	Frames List[BriefFrame] `json:"frames" doc:"As those of exceptions."`
	Folded int              `json:"library_frames" doc:"How many frames of libraries are left out."`
}

// BriefFrame is a frame of a brief. A frame that a source map knows has its place in the original source.
type BriefFrame struct {
	Function  Untrusted       `json:"function_untrusted"`
	Module    Untrusted       `json:"module_untrusted"`
	File      Untrusted       `json:"file_untrusted"`
	Line      OptInt          `json:"line" doc:"1-based."`
	Column    OptInt          `json:"column"`
	InApp     bool            `json:"in_app"`
	IsMapped  bool            `json:"is_mapped" doc:"true when file and line are those of a source map."`
	Source    List[Untrusted] `json:"source_untrusted" doc:"Lines of source around the line."`
	FirstLine OptInt          `json:"source_first_line" doc:"Number of the first of these lines; null when it is not known."`
	Vars      Value           `json:"vars_untrusted"`
}

// BriefBreadcrumb is a breadcrumb of a brief.
type BriefBreadcrumb struct {
	Timestamp Time      `json:"timestamp"`
	Category  Untrusted `json:"category_untrusted"`
	Level     Untrusted `json:"level_untrusted"`
	Message   Untrusted `json:"message_untrusted"`
	Data      Value     `json:"data_untrusted"`
}

// BriefNote is a note of a brief.
type BriefNote struct {
	At   Time   `json:"at" always:"true"`
	By   string `json:"by" untrusted:"true" doc:"Name of the token that wrote it."`
	Text string `json:"text" untrusted:"true"`
}

// BriefApproval is an action on the issue of a brief that waits for approval.
type BriefApproval struct {
	ID          int64           `json:"id"`
	Action      HeldIssueAction `json:"action"`
	TargetID    int64           `json:"target_id" doc:"The issue that it changes, or into which it merges."`
	SourceIDs   List[int64]     `json:"source_ids" doc:"The issues that it merges into it."`
	RequestedBy string          `json:"requested_by" untrusted:"true"`
	RequestedAt Time            `json:"requested_at" always:"true"`
	ExpiresAt   Time            `json:"expires_at" always:"true"`
}

// BriefFix is a fix of a brief.
type BriefFix struct {
	Kind        FixKind   `json:"kind" enum:"commit|pull_request"`
	Commit      Text      `json:"commit"`
	PRURL       Text      `json:"pr_url"`
	LinkedBy    string    `json:"linked_by" untrusted:"true"`
	LinkedAt    Time      `json:"linked_at" always:"true"`
	DeployedAt  Time      `json:"deployed_at"`
	Release     Untrusted `json:"release_untrusted" doc:"The release that brought it."`
	Outcome     Text      `json:"outcome" enum:"verified|regressed" doc:"null while it is open, and for one that another took the place of."`
	VerifyAfter Time      `json:"verify_after"`
	VerifiedAt  Time      `json:"verified_at"`
	RegressedAt Time      `json:"regressed_at"`
	RegressedIn Untrusted `json:"regressed_in_untrusted" doc:"The release in which the error came back."`

	UnknownReleases List[Untrusted] `json:"unknown_releases_untrusted" doc:"@fix.unknown_releases"`
}

// BriefSimilar is an issue that resembles the issue of a brief.
type BriefSimilar struct {
	ID       int64        `json:"id"`
	Title    Untrusted    `json:"title_untrusted" always:"true"`
	Culprit  Untrusted    `json:"culprit_untrusted"`
	Status   Status       `json:"status"`
	Score    float64      `json:"score" doc:"0 to 1."`
	Reasons  List[string] `json:"reasons"`
	Fix      *BriefFix    `json:"fix" doc:"The fix that was linked to it last; null without one."`
	LastNote *BriefNote   `json:"last_note"`
}

// BriefReleases says which releases and deploys the error began with.
type BriefReleases struct {
	First        Untrusted         `json:"first_untrusted"`
	Last         Untrusted         `json:"last_untrusted"`
	Seen         List[Untrusted]   `json:"seen_untrusted" doc:"Some of those that stored events named."`
	Environments List[Untrusted]   `json:"environments_untrusted"`
	FirstDeploy  *BriefDeploy      `json:"first_deploy" doc:"That brought the first release; null when none was reported."`
	BeforeFirst  *BriefDeploy      `json:"deploy_before" doc:"What ran in the same environment before it."`
	Deploys      List[BriefDeploy] `json:"latest_deploys" doc:"Of the project, latest first."`
}

// BriefDeploy is a deploy of a brief.
type BriefDeploy struct {
	Release     Untrusted `json:"release_untrusted"`
	Environment Untrusted `json:"environment_untrusted"`
	Commit      Text      `json:"commit"`
	DeployedAt  Time      `json:"deployed_at" always:"true"`
}

// HourCount is the number of events in an hour.
type HourCount struct {
	Hour   Time  `json:"hour" always:"true" doc:"Its start."`
	Events int64 `json:"events"`
}

// GetBriefInput asks for the brief of an issue.
type GetBriefInput struct {
	ID     int64  `json:"id" doc:"Id of the issue." issue:"true" min:"1"`
	Budget int    `json:"budget" doc:"How long the Markdown may be, in tokens." min:"500" max:"20000" default:"6000"`
	Worker Worker `json:"worker,omitempty" doc:"@worker" plain:"true" min:"1" max:"64"`
}

// GetBrief declares GET /v1/issues/{id}/brief.
var GetBrief = DefineOperation[GetBriefInput, Data[Brief]](Operation{
	Name: "get_brief", Route: "GET /v1/issues/{id}/brief", Scope: IssuesRead,
	Summary: "Brief yourself on an issue",
	Description: "Returns what you need to start on an issue, the most useful first: what happened, the app's frames with source and " +
		"variables, notes, earlier fixes and how they ended, similar issues and what fixed them, releases and deploys, triage, and what to " +
		"do next. Read it right after claim_issue, instead of get_issue, get_event and list_issue_activity. " +
		"Text of the monitored app stands in fences that are marked UNTRUSTED.",
	Example: `{"id": 42, "budget": 6000}`,
	Errors:  []Code{NotFound},
})
