package core

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

var projectOperations = []*Operation{
	ListProjects.Operation,
	CreateProject.Operation,
	UpdateProject.Operation,
	DeleteProject.Operation,
	CreateProjectKey.Operation,
	DeleteProjectKey.Operation,
	TryScrubbing.Operation,
	ListProjectTeams.Operation,
	CountOpenIssues.Operation,
}

// ProjectRef names a project by its public id or its slug. A JSON number is taken as an id.
type ProjectRef string

// JSONSchema is a text.
func (ProjectRef) JSONSchema() Schema { return Schema{"type": "string", "maxLength": 200} }

// acceptsNumber is true: a project's id may stand where its slug may.
func (ProjectRef) acceptsNumber() bool { return true }

// Trust is how far the text of a project's events may be believed.
type Trust string

// The trust levels (primary API, Project).
const (
	TrustLow  Trust = "low"
	TrustHigh Trust = "high"
)

// Source is the kind of program that events come from, such as a browser.
type Source string

// The sources. A single event is server, browser, mobile or unknown (decisions 3). A project is server, mixed, or
// browser, which here means everything except servers.
const (
	SourceServer  Source = "server"
	SourceBrowser Source = "browser"
	SourceMobile  Source = "mobile"
	SourceUnknown Source = "unknown"
	SourceMixed   Source = "mixed"
)

// trustWindow is how long an event from a source counts for trust and source (primary API, Project).
const trustWindow = 30 * 24 * time.Hour

// Project is one monitored application.
type Project struct {
	ID             int64        `json:"id" doc:"The public id: a random number of 10 digits, used in the DSN, the ingest URL and the API."`
	Name           string       `json:"name"`
	Slug           string       `json:"slug"`
	Platform       Text         `json:"platform"`
	CreatedAt      Time         `json:"created_at" always:"true"`
	Repository     Text         `json:"repository" doc:"owner/name in source control, in lower case."`
	Trust          Trust        `json:"trust" enum:"low|high" doc:"@project.trust"`
	TrustSetting   *Trust       `json:"trust_setting" enum:"low|high" doc:"null for automatic."`
	SourceTrust    Trust        `json:"source_trust" enum:"low|high" doc:"Always equal to trust."`
	Source         *Source      `json:"source" enum:"server|browser|mixed" doc:"@project.source"`
	ServerSeenAt   Time         `json:"server_seen_at" doc:"The last event from a server source."`
	ClientSeenAt   Time         `json:"client_seen_at" doc:"@project.client_seen_at"`
	AllowedOrigins *[]string    `json:"allowed_origins" doc:"Origins that may send events from a browser; null for any."`
	DailyQuota     *int64       `json:"daily_quota" doc:"Events per UTC day; null for no quota."`
	ScrubKeys      List[string] `json:"scrub_keys" doc:"Key names whose values are masked, beyond the default ones."`
	ScrubPatterns  List[string] `json:"scrub_patterns" doc:"Regular expressions whose matches are masked."`
	Events24h      int64        `json:"events_24h" doc:"Events in the last 24 hours."`
	EventsToday    int64        `json:"events_today" doc:"Events since 00:00 UTC."`
	LastEventAt    Time         `json:"last_event_at"`
	Demo           bool         `json:"demo"`
}

// AssessSources sets trust and source from the project's recent events (primary API, Project).
func (p *Project) AssessSources(now time.Time) {
	p.Trust, p.Source = AssessSources(p.TrustSetting, p.ServerSeenAt, p.ClientSeenAt, now)
	p.SourceTrust = p.Trust
}

// AssessSources returns the trust level and the source of a project with these settings and latest events.
func AssessSources(setting *Trust, serverSeen, clientSeen Time, now time.Time) (Trust, *Source) {
	server, client := isRecent(serverSeen, now), isRecent(clientSeen, now)
	trust := TrustHigh
	if client {
		trust = TrustLow
	}
	if setting != nil {
		trust = *setting
	}
	source := SourceServer
	switch {
	case server && client:
		source = SourceMixed
	case client:
		source = SourceBrowser
	case !server:
		return trust, nil
	}
	return trust, &source
}

func isRecent(t Time, now time.Time) bool { return !t.IsZero() && t.After(now.Add(-trustWindow)) }

// ClientSince returns the time after which an event from a browser or app makes its project's trust low; in SQL, activity.IsTrusted.
func ClientSince(now Time) Time { return At(now.Add(-trustWindow)) }

// ListedProject is a project with the DSNs of its active keys.
type ListedProject struct {
	Project
	DSNs List[string] `json:"dsns" doc:"One for each active key; give any of them to a Sentry SDK."`
}

// CreatedProject is a project with its first DSN.
type CreatedProject struct {
	Project
	DSN string `json:"dsn" doc:"Give it to a Sentry SDK."`
}

// ListProjectsInput has no fields: every project is listed.
type ListProjectsInput struct{}

// ListProjects declares GET /v1/projects.
var ListProjects = DefineOperation[ListProjectsInput, Data[List[ListedProject]]](Operation{
	Name: "list_projects", Route: "GET /v1/projects", Scope: IssuesRead,
	Summary: "List projects",
	Description: "Lists the monitored applications with their ids, slugs, DSNs, trust, quotas and recent events. The id or the slug is " +
		"project in other calls.",
	Example: `{}`,
})

// CreateProjectInput is the body of POST /v1/projects.
type CreateProjectInput struct {
	Name     string `json:"name" doc:"What people call the application." min:"1" max:"100"`
	Platform string `json:"platform,omitempty" doc:"Its platform, such as node, python or go." max:"32"`
}

// Check refuses names that cannot be shown.
func (in CreateProjectInput) Check() error {
	if err := CheckName("platform", in.Platform); in.Platform != "" && err != nil {
		return err
	}
	return CheckName("name", in.Name)
}

// CreateProject declares POST /v1/projects.
var CreateProject = DefineOperation[CreateProjectInput, Data[CreatedProject]](Operation{
	Name: "create_project", Route: "POST /v1/projects", Scope: Admin, Status: 201,
	Summary: "Create a project",
	Description: "Creates a monitored application and its first DSN key. Give the dsn of the answer to any Sentry SDK and its errors " +
		"arrive here.",
	Example: `{"name": "Web shop", "platform": "node"}`,
})

// ProjectInput names one project in the path.
type ProjectInput struct {
	Project ProjectRef `json:"project" doc:"Public id or slug of the project."`
}

// ProjectChange is what PATCH /v1/projects/{project} changes. Absent fields stay as they are.
type ProjectChange struct {
	Repository     Opt[string]   `json:"repository" doc:"@projectChange.repository" max:"200"`
	Trust          Opt[Trust]    `json:"trust" doc:"null for the automatic level." enum:"low|high"`
	DailyQuota     Opt[int64]    `json:"daily_quota" doc:"@projectChange.daily_quota" min:"1" max:"1000000000"`
	ScrubKeys      Opt[[]string] `json:"scrub_keys" doc:"@projectChange.scrub_keys" max:"50"`
	ScrubPatterns  Opt[[]string] `json:"scrub_patterns" doc:"@projectChange.scrub_patterns" max:"10" commas:"true"`
	AllowedOrigins Opt[[]string] `json:"allowed_origins" doc:"@projectChange.allowed_origins" min:"1" max:"20"`
}

// The forms of a repository and of an origin (primary API, PATCH fields).
var (
	repositoryForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*/\.?[A-Za-z0-9_-][A-Za-z0-9._-]*$`)
	originForm     = regexp.MustCompile(`^[Hh][Tt][Tt][Pp][Ss]?://([A-Za-z0-9][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(:([0-9]{1,5}))?$`)
)

// Check refuses an empty change, and values that the specification does not allow.
func (c ProjectChange) Check() error {
	if !c.Repository.Set && !c.Trust.Set && !c.DailyQuota.Set && !c.ScrubKeys.Set && !c.ScrubPatterns.Set && !c.AllowedOrigins.Set {
		return RefuseField("", "must name at least one of repository, trust, daily_quota, scrub_keys, scrub_patterns, allowed_origins")
	}
	failure := NewError(InvalidRequest)
	refuse := func(wrong bool, path, message string) {
		if wrong {
			failure.Details = append(failure.Details, Detail{path, message})
		}
	}
	const notNull = "must be a list; [] removes what is there"
	refuse(c.Repository.Set && !c.Repository.Null && !isRepository(c.Repository.Value), "repository",
		"must be owner/name, such as acme/web-shop")
	refuse(c.ScrubKeys.Null, "scrub_keys", notNull)
	refuse(c.ScrubPatterns.Null, "scrub_patterns", notNull)
	for i, origin := range c.AllowedOrigins.Value {
		refuse(!isOrigin(origin), fmt.Sprintf("allowed_origins.%d", i),
			"must be scheme://host[:port] with http or https, without a path or a wildcard, such as https://shop.example")
	}
	if failure.Details == nil {
		return nil
	}
	return failure
}

func isRepository(text string) bool {
	return repositoryForm.MatchString(text) && !strings.HasSuffix(strings.ToLower(text), ".git") // .git ends a URL
}

func isOrigin(text string) bool {
	parts := originForm.FindStringSubmatch(text)
	if parts == nil {
		return false
	}
	port := parts[len(parts)-1]
	_, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil
}

// UpdateProjectInput is the body of PATCH /v1/projects/{project}.
type UpdateProjectInput struct {
	Project ProjectRef `json:"project" doc:"Public id or slug."`
	ProjectChange
}

// UpdateProject declares PATCH /v1/projects/{project}.
var UpdateProject = DefineOperation[UpdateProjectInput, Data[ListedProject]](Operation{
	Name: "update_project", Route: "PATCH /v1/projects/{project}", Scope: Admin,
	Summary:     "Change a project",
	Description: "Changes the settings that you name. A list replaces the list that was there. Events follow within 60 seconds.",
	Example:     `{"project": "web-shop", "daily_quota": 100000, "scrub_keys": ["iban", "tax_id"]}`,
	Errors:      []Code{ProjectNotFound}, Idempotent: true,
})

// DeleteProject declares DELETE /v1/projects/{project}.
var DeleteProject = DefineOperation[ProjectInput, OrHeld[None]](Operation{
	Name: "delete_project", Route: "DELETE /v1/projects/{project}", Scope: Admin, Status: 204,
	Summary: "Delete a project",
	Description: "Deletes a monitored application with its issues, events and releases. It is hidden at once and its name can be used " +
		"again; " +
		"its DSN keys stop working within 60 seconds, the tokens bound to it are revoked, and what it stored is deleted later. The " +
		"activity timeline stays.",
	Example: `{"project": "web-shop"}`,
	Errors:  []Code{ProjectNotFound}, Destructive: true,
	NotATool: "it takes a whole application with all that is known of it",
})

// CheckName refuses a name with characters that are invisible or that change the direction of text: names stand in
// errors, prompts and pages.
func CheckName(path, name string) error {
	if strings.TrimSpace(name) == "" {
		return RefuseField(path, "must not be blank")
	}
	before := rune(0)
	for i, r := range name {
		if !unicode.IsPrint(r) && !isJoiner(before, r, name[i+utf8.RuneLen(r):]) {
			return RefuseField(path, "must not contain the character U+%04X: only letters, digits, punctuation and spaces", r)
		}
		before = r
	}
	return nil
}

// isJoiner reports whether a character joins the two around it, as in Persian and in emoji of families. If either of
// them is ASCII, a joiner would only hide that two names differ, so it does not count.
func isJoiner(before, r rune, rest string) bool {
	const nonJoiner, joiner = 0x200C, 0x200D
	after, _ := utf8.DecodeRuneInString(rest)
	return (r == nonJoiner || r == joiner) && before >= utf8.RuneSelf && unicode.IsPrint(before) &&
		after >= utf8.RuneSelf && after != utf8.RuneError && unicode.IsPrint(after)
}
