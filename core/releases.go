package core

var releaseOperations = []*Operation{
	CreateDeploy.Operation,
	ListReleases.Operation,
	GetRelease.Operation,
	GetReleaseHours.Operation,
}

// Release is a version of a project, as deploys and events name it.
type Release struct {
	ProjectID int64        `json:"project_id"`
	Version   string       `json:"version"`
	Commit    Text         `json:"commit" doc:"Of its latest deploy; null for a release that was not deployed."`
	CreatedAt Time         `json:"created_at" always:"true"`
	Deploys   List[Deploy] `json:"deploys" doc:"Latest first, at most 100."`
}

// ReleaseKey identifies a release.
type ReleaseKey struct {
	ProjectID int64
	Version   string
}

// Deploy is one deploy of a release.
type Deploy struct {
	ID          int64        `json:"id"`
	Environment string       `json:"environment"`
	Commit      string       `json:"commit"`
	Source      DeploySource `json:"source" enum:"api|scm|sentry" doc:"@deploy.source"`
	DeployedAt  Time         `json:"deployed_at" always:"true"`
}

// DeploySource is how a deploy was reported.
type DeploySource string

// The sources of deploys.
const (
	DeployedByAPI    DeploySource = "api"
	DeployedBySCM    DeploySource = "scm"
	DeployedBySentry DeploySource = "sentry"
)

// ReportedDeploy is the answer to a deploy.
type ReportedDeploy struct {
	ID            int64       `json:"id"`
	ProjectID     int64       `json:"project_id"`
	Release       string      `json:"release"`
	Environment   string      `json:"environment"`
	Commit        string      `json:"commit"`
	DeployedAt    Time        `json:"deployed_at" always:"true"`
	FixesDeployed List[int64] `json:"fixes_deployed" doc:"Ids of the issues whose fix it contains."`
	// FixesWaiting has at most 100 fixes, the latest links.
	FixesWaiting List[WaitingFix] `json:"fixes_waiting" doc:"@reportedDeploy.fixes_waiting"`
}

// WaitingFix is a fix that no deploy has brought yet (decisions 6).
type WaitingFix struct {
	IssueID  int64   `json:"issue_id"`
	Kind     FixKind `json:"kind" enum:"commit|pull_request"`
	Ref      string  `json:"ref" doc:"The commit, or the URL of the pull request."`
	LinkedAt Time    `json:"linked_at" always:"true"`
}

// ReleaseDetail is one release with the issues that changed in it. Each list has the latest 1000.
type ReleaseDetail struct {
	Release
	NewIssueIDs       List[int64]      `json:"new_issue_ids" doc:"Issues that were first seen in it."`
	FixesDeployed     List[ReleaseFix] `json:"fixes_deployed" doc:"Fixes that it brought."`
	RegressedIssueIDs List[int64]      `json:"regressed_issue_ids" doc:"Issues whose error came back in it, though it contains their fix."`
}

// ReleaseFix is a fix that a release brought.
type ReleaseFix struct {
	IssueID int64   `json:"issue_id"`
	Kind    FixKind `json:"kind" enum:"commit|pull_request"`
	Ref     string  `json:"ref" doc:"The commit, or the URL of the pull request."`
	Outcome Text    `json:"outcome" enum:"verified|regressed" doc:"null while it is open."`
}

// CreateDeployInput is the body of POST /v1/deploys.
type CreateDeployInput struct {
	Project      ProjectRef `json:"project" doc:"Public id or slug." min:"1"`
	Commit       string     `json:"commit" doc:"SHA of the deployed commit: 7 to 40 hex characters." min:"1" max:"100"`
	Release      string     `json:"release,omitempty" doc:"@createDeployInput.release" min:"1" max:"200"`
	Environment  string     `json:"environment" doc:"Where it was deployed, as your events name it." min:"1" max:"64" default:"production"`
	Commits      []string   `json:"commits,omitempty" doc:"@createDeployInput.commits" max:"1000"`
	PullRequests []string   `json:"pull_requests,omitempty" doc:"URLs of the pull requests that it brings." max:"100"`
}

// CreateDeploy declares POST /v1/deploys.
var CreateDeploy = DefineOperation[CreateDeployInput, Data[ReportedDeploy]](Operation{
	Name: "create_deploy", Route: "POST /v1/deploys", Scope: ReleasesWrite, Status: 201,
	Summary: "Report a deploy",
	Description: "Reports that a commit is live. Fixes that it brings (by commit, one of commits, or pull request) " +
		"count as deployed: fixes_deployed; fixes_waiting are left. Report every deploy, in order: it says which release contains a fix.",
	Example: `{"project": "web-shop", "commit": "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "release": "1.4.0", "commits": ["9f8e7d6"]}`,
	Errors:  []Code{ProjectNotFound, ForbiddenProject, InvalidRequest},
})

// ListReleasesInput filters and pages the releases.
type ListReleasesInput struct {
	Project ProjectRef `json:"project,omitempty" doc:"Public id or slug; all projects when absent." min:"1"`
	Paging
}

// ListReleases declares GET /v1/releases.
var ListReleases = DefineOperation[ListReleasesInput, Page[Release]](Operation{
	Name: "list_releases", Route: "GET /v1/releases", Scope: IssuesRead,
	Summary:     "List releases",
	Description: "Lists the releases with their deploys, most recently deployed first.",
	Example:     `{"project": "web-shop", "limit": 10}`,
	Errors:      []Code{ProjectNotFound},
})

// GetReleaseInput names one release.
type GetReleaseInput struct {
	Version string     `json:"version" doc:"The release, as it was deployed." min:"1" max:"200"`
	Project ProjectRef `json:"project" doc:"Public id or slug." min:"1"`
}

// GetRelease declares GET /v1/releases/{version}.
var GetRelease = DefineOperation[GetReleaseInput, Data[ReleaseDetail]](Operation{
	Name: "get_release", Route: "GET /v1/releases/{version}", Scope: IssuesRead,
	Summary: "Show one release",
	Description: "Shows one release: its deploys, the issues that are new in it, the fixes that it brought and how they ended, " +
		"and the issues that came back in it.",
	Example: `{"version": "1.4.0", "project": "web-shop"}`,
	Errors:  []Code{NotFound, ProjectNotFound},
})

// ReleaseHoursShown is how many hours before and after a deploy get_release_hours shows.
const ReleaseHoursShown = 24

// ReleaseHours are the events of a project around the first deploy of a release: they tell whether it made things worse.
type ReleaseHours struct {
	DeployedAt Time        `json:"deployed_at" always:"true" doc:"Of its first deploy in the environment."`
	Since      Time        `json:"since" always:"true" doc:"When the first hour begins."`
	Events     List[int64] `json:"events" doc:"@releaseHours.events"`
	PerHour    EventRates  `json:"events_per_hour"`
}

// EventRates are events per hour, without the hour of the deploy and the running one.
type EventRates struct {
	Before *float64 `json:"before" doc:"In the 24 hours before the deploy; null when the project had no event until then."`
	Since  *float64 `json:"since" doc:"In the 24 hours after it, or in those that have passed; null in the first hour."`
}

// GetReleaseHoursInput names one release, and the environment whose deploy is meant.
type GetReleaseHoursInput struct {
	GetReleaseInput
	Environment string `json:"environment,omitempty" doc:"Of the deploy; by default the release's first deploy anywhere." min:"1" max:"64"`
}

// GetReleaseHours declares GET /v1/releases/{version}/hours.
var GetReleaseHours = DefineOperation[GetReleaseHoursInput, Data[ReleaseHours]](Operation{
	Name: "get_release_hours", Route: "GET /v1/releases/{version}/hours", Scope: IssuesRead,
	Summary: "Show the events around the deploy of a release",
	Description: "Counts the events of a release's project, of all its releases and environments, in each hour from 24 hours before the " +
		"deploy to 24 hours after it. A release that was not deployed is not_found.",
	Example:  `{"version": "1.4.0", "project": "web-shop"}`,
	Errors:   []Code{NotFound, ProjectNotFound},
	NotATool: whyNoAgentDraws,
})
