package core

// The operations that pages are made of. Agents read the same facts in lists and briefs.
var issueViewOperations = []*Operation{
	CountIssues.Operation,
	ListFilterValues.Operation,
	GetIssues.Operation,
	GetIssueHours.Operation,
	GetIssueDays.Operation,
	GetIssueShares.Operation,
	GetEventsAround.Operation,
	ChangeIssues.Operation,
}

// whyNoAgentDraws is why what charts are made of is not a tool: a list of tools has a bound, and each tool in it costs every agent.
const whyNoAgentDraws = "it is what pages draw; agents get the same from briefs, in fewer words"

// CountIssuesInput filters the issues to count as ListIssuesInput does, but for the status.
type CountIssuesInput struct{ IssueSearch }

// IssueCounts is how many issues there are of each status.
type IssueCounts struct {
	Open       int64        `json:"open" doc:"Unresolved, regressed, or with a fix that is overdue: what list_issues calls open."`
	Unresolved int64        `json:"unresolved"`
	Regressed  int64        `json:"regressed"`
	FixPending int64        `json:"fix_pending"`
	Verified   int64        `json:"verified"`
	Resolved   int64        `json:"resolved"`
	Ignored    int64        `json:"ignored"`
	Merged     int64        `json:"merged"`
	Total      int64        `json:"total" doc:"All but the merged ones: what list_issues lists without a status."`
	Complete   bool         `json:"complete" doc:"@issueCounts.complete"`
	Hidden     HiddenIssues `json:"hidden" doc:"What the filter leaves out by itself."`
}

// HiddenIssues is how many issues a list leaves out though nobody asked for that.
type HiddenIssues struct {
	Test  int64 `json:"test" doc:"Test issues of setups, 1000 at most; list_issues shows them with test."`
	Noise int64 `json:"noise" doc:"With noise=false the noise, 1000 at most, test issues aside; list_issues shows it with noise=true."`
}

// CountIssues declares GET /v1/issues/counts.
var CountIssues = DefineOperation[CountIssuesInput, Data[IssueCounts]](Operation{
	Name: "count_issues", Route: "GET /v1/issues/counts", Scope: IssuesRead,
	Summary: "Count issues per status",
	Description: "Counts the issues of each status, with the filters of list_issues. Where there are thousands, the counts are up to ten " +
		"seconds old.",
	Example:  `{"project": "web-shop", "environment": "production"}`,
	Errors:   []Code{ProjectNotFound},
	NotATool: whyNoAgentDraws,
})

// ListFilterValuesInput names the project, or none for all.
type ListFilterValuesInput struct {
	Project ProjectRef `json:"project,omitempty" doc:"Id or slug; all when absent." plain:"true" min:"1"`
}

// FilterValues are the values that the filters of lists can be set to.
type FilterValues struct {
	Environments List[FilterValue] `json:"environments" doc:"Those of most issues first, 50 at most."`
	Releases     List[FilterValue] `json:"releases" doc:"The newest first, by their deploys and events, 50 at most."`
}

// FilterValue is an environment or a release.
type FilterValue struct {
	Name Untrusted `json:"name" always:"true"`
	At   Time      `json:"at" doc:"The last event that is known of it, or of a release its deploy when that is later."`
}

// ListFilterValues declares GET /v1/issues/filter-values.
var ListFilterValues = DefineOperation[ListFilterValuesInput, Data[FilterValues]](Operation{
	Name: "list_filter_values", Route: "GET /v1/issues/filter-values", Scope: IssuesRead,
	Summary: "List environments and releases to filter by",
	Description: "Lists the environments and releases of the newest 1,000 issues of a project, or of all, and the releases deployed last: " +
		"the values for the filters of list_issues.",
	Example:  `{"project": "web-shop"}`,
	Errors:   []Code{ProjectNotFound},
	NotATool: whyNoAgentDraws,
})

// GetIssuesInput names the issues.
type GetIssuesInput struct {
	IDs []int64 `json:"ids" doc:"Ids of issues; unknown ones are left out of the answer." issue:"list" min:"1" max:"50"`
}

// GetIssues declares GET /v1/issues/details.
var GetIssues = DefineOperation[GetIssuesInput, Data[List[IssueDetail]]](Operation{
	Name: "get_issues", Route: "GET /v1/issues/details", Scope: IssuesRead,
	Summary:     "Show several issues",
	Description: "Shows up to 50 issues as get_issue shows one, in the order of their ids.",
	Example:     `{"ids": [42, 43]}`,
	NotATool:    whyNoAgentDraws,
})

// HoursShown is how many hours get_issue_hours shows, the running one among them: the hours of events_24h.
const HoursShown = 24

// GetIssueHoursInput names the issues.
type GetIssueHoursInput struct {
	IDs []int64 `json:"ids" doc:"Ids of issues; unknown ones are left out of the answer." issue:"list" min:"1" max:"50"`
}

// HoursOfIssues are the events per hour of issues.
type HoursOfIssues struct {
	Since  Time             `json:"since" always:"true" doc:"When the first hour begins."`
	Issues List[IssueHours] `json:"issues" doc:"In the order of ids."`
}

// IssueHours are the events of an issue in each hour.
type IssueHours struct {
	ID     int64       `json:"id"`
	Events List[int64] `json:"events" doc:"Of 24 UTC hours, oldest first; the last one is running. Their sum is events_24h."`
}

// GetIssueHours declares GET /v1/issues/hours.
var GetIssueHours = DefineOperation[GetIssueHoursInput, Data[HoursOfIssues]](Operation{
	Name: "get_issue_hours", Route: "GET /v1/issues/hours", Scope: IssuesRead,
	Summary:     "Show the events per hour of issues",
	Description: "Shows how many events up to 50 issues had in each of the last 24 UTC hours.",
	Example:     `{"ids": [42, 43]}`,
	NotATool:    whyNoAgentDraws,
})

// DaysShown is how many days get_issue_days shows, today among them.
const DaysShown = 30

// IssueDays are the events of an issue in each day, and the deploys of its project.
type IssueDays struct {
	Since   Time             `json:"since" always:"true" doc:"When the first day begins."`
	Events  List[int64]      `json:"events" doc:"Of 30 UTC days, oldest first; the last one is today."`
	Deploys List[DeployMark] `json:"deploys" doc:"Of the project in these days, oldest first: the latest 100."`
}

// DeployMark is a deploy on a line of time.
type DeployMark struct {
	ID          int64     `json:"id"`
	Release     Untrusted `json:"release"`
	Environment Untrusted `json:"environment"`
	DeployedAt  Time      `json:"deployed_at" always:"true"`
}

// GetIssueDays declares GET /v1/issues/{id}/days.
var GetIssueDays = DefineOperation[IssueInput, Data[IssueDays]](Operation{
	Name: "get_issue_days", Route: "GET /v1/issues/{id}/days", Scope: IssuesRead,
	Summary:     "Show the events per day of an issue",
	Description: "Shows how many events an issue had in each of the last 30 UTC days, and the deploys of its project in between.",
	Example:     `{"id": 42}`,
	Errors:      []Code{NotFound},
	NotATool:    whyNoAgentDraws,
})

// IssueShares says how the newest stored events of an issue are spread over their tags.
type IssueShares struct {
	Events int64           `json:"events" doc:"How many events were looked at: the newest 200 at most."`
	Tags   List[TagShares] `json:"tags" doc:"@issueShares.tags"`
}

// GetIssueShares declares GET /v1/issues/{id}/shares.
var GetIssueShares = DefineOperation[IssueInput, Data[IssueShares]](Operation{
	Name: "get_issue_shares", Route: "GET /v1/issues/{id}/shares", Scope: IssuesRead,
	Summary: "Show the tags of an issue's events",
	Description: "Counts the tags of an issue's newest 200 stored events: browser, system, release, environment, server, URL, user, and " +
		"the SDK's own. A brief counts those of the newest 50.",
	Example:  `{"id": 42}`,
	Errors:   []Code{NotFound},
	NotATool: whyNoAgentDraws,
})
