package core

// SetupProject names the project of an app that is being set up.
type SetupProject struct {
	ID   int64  `json:"id"`
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// RegisteredApp is an app with the DSN for its SDK.
type RegisteredApp struct {
	Created bool         `json:"created"`
	Project SetupProject `json:"project"`
	DSN     string       `json:"dsn"`
}

// WasFound reports whether the app existed before.
func (a RegisteredApp) WasFound() bool { return !a.Created }

// RegisterAppInput is the body of POST /v1/setup/apps.
type RegisterAppInput struct {
	Name     string `json:"name" doc:"What people call the app." min:"1" max:"100"`
	Platform string `json:"platform,omitempty" doc:"Such as node, nextjs, django or go." max:"32"`
}

// Check refuses names that cannot be shown.
func (in RegisterAppInput) Check() error { return CreateProjectInput(in).Check() }

// RegisterApp declares POST /v1/setup/apps.
var RegisterApp = DefineOperation[RegisterAppInput, DataAndNext[RegisteredApp]](Operation{
	Name: "register_app", Route: "POST /v1/setup/apps", Scope: SetupScope, Status: 201, FoundStatus: 200,
	Summary:     "Register an app",
	Description: "Creates the project of an application and its DSN; at most 10. The same name again is the same app.",
	Example:     `{"name": "Web shop", "platform": "node"}`,
	Errors:      []Code{Limit}, Idempotent: true,
})

// AgentToken is a token for an agent, with its value.
type AgentToken struct {
	ID          int64       `json:"id"`
	Name        string      `json:"name"`
	Scopes      List[Scope] `json:"scopes"`
	Prefix      string      `json:"prefix"`
	ProjectID   OptInt      `json:"project_id"`
	ProjectName Text        `json:"project_name"`
	Value       string      `json:"token" doc:"The token itself: shown now and never again."`
}

// CreateAgentTokenInput is the body of POST /v1/setup/tokens.
type CreateAgentTokenInput struct {
	Name    string     `json:"name" doc:"Who will use it; shown as the holder of claims." min:"1" max:"100"`
	Project ProjectRef `json:"project" doc:"Id or slug of your app." min:"1"`
	Deploys bool       `json:"deploys,omitempty" doc:"@createAgentTokenInput.deploys"`

	OnlyProject bool `json:"only_project,omitempty" doc:"true: it sees and changes that app alone."`
}

// Check refuses names that cannot be shown, and the name of the bootstrap admin.
func (in CreateAgentTokenInput) Check() error { return checkTokenName(in.Name) }

// CreateAgentToken declares POST /v1/setup/tokens.
var CreateAgentToken = DefineOperation[CreateAgentTokenInput, DataAndNext[AgentToken]](Operation{
	Name: "create_agent_token", Route: "POST /v1/setup/tokens", Scope: SetupScope, Status: 201,
	Summary: "Create a token for an agent",
	Description: "Creates a token that reads and changes the issues of all apps, or of yours alone with only_project, for the agent that " +
		"will fix them; at most 5. Keep it out of source code.",
	Example: `{"name": "fixer", "project": "web-shop"}`,
	Errors:  []Code{ProjectNotFound, Limit},
})

// TestEvent says where the test event of an app is.
type TestEvent struct {
	EventID string `json:"event_id"`
	ID      OptInt `json:"id" doc:"For get_event; null when it was counted and is not stored."`
	IssueID int64  `json:"issue_id"`
}

// SetupAppInput names an app in the path.
type SetupAppInput struct {
	Project ProjectRef `json:"project" doc:"Id or slug of your app." min:"1"`
}

// SendTestEvent declares POST /v1/setup/apps/{project}/test-event.
var SendTestEvent = DefineOperation[SetupAppInput, DataAndNext[TestEvent]](Operation{
	Name: "send_test_event", Route: "POST /v1/setup/apps/{project}/test-event", Scope: SetupScope, Status: 202,
	Summary: "Send the test event of an app",
	Description: "Errand sends the app's one test event through its whole pipeline. It does not show that the SDK works; lists of " +
		"issues leave it out.",
	Example: `{"project": "web-shop"}`,
	Errors:  []Code{ProjectNotFound, TestEventExists, Quota, TooManyIssues},
})

// SetupStep is a step of a setup that agents report.
type SetupStep string

// The steps (decisions 10).
const (
	StepConnected        SetupStep = "connected"
	StepSDKInstalled     SetupStep = "sdk_installed"
	StepDeployConfigured SetupStep = "deploy_configured"
)

// ReportSetupStepInput is the body of POST /v1/setup/apps/{project}/report.
type ReportSetupStepInput struct {
	Project ProjectRef `json:"project" doc:"Id or slug of your app." min:"1"`
	Step    SetupStep  `json:"step" doc:"What is done." enum:"connected|sdk_installed|deploy_configured"`
}

// ReportSetupStep declares POST /v1/setup/apps/{project}/report.
var ReportSetupStep = DefineOperation[ReportSetupStepInput, None](Operation{
	Name: "report_setup_step", Route: "POST /v1/setup/apps/{project}/report", Scope: SetupScope, OrScope: AgentScope, Status: 204,
	Summary:     "Report a step of the setup",
	Description: "Records that a step is done; the first report sets its time. Takes the app's agent token too.",
	Example:     `{"project": "web-shop", "step": "sdk_installed"}`,
	Errors:      []Code{ProjectNotFound, ForbiddenProject}, Idempotent: true,
	Next: []string{"get_setup_progress"},
})

// AppProgress is how far the setup of an app is. A step that has not happened has no time.
type AppProgress struct {
	Project        SetupProject `json:"project"`
	ConnectedAt    Time         `json:"connected_at"`
	SDKInstalledAt Time         `json:"sdk_installed_at"`
	TestEventAt    Time         `json:"test_event_at"`
	FirstEventAt   Time         `json:"first_event_at" doc:"Of the app's own errors."`
	Agent          Text         `json:"agent" untrusted:"true" doc:"The program that sets it up."`
	FirstDeployAt  Time         `json:"first_deploy_at"`
}

// SetupProgress is how far the setup of all apps is.
type SetupProgress struct {
	Data            List[AppProgress] `json:"data"`
	SetupKeysActive int64             `json:"setup_keys_active"`
	Next            List[NextCall]    `json:"next"`
}

// SchemaName is empty: the object in data has a name.
func (SetupProgress) SchemaName() string { return "" }

// GetSetupProgressInput has no fields.
type GetSetupProgressInput struct{}

// GetSetupProgress declares GET /v1/setup/progress.
var GetSetupProgress = DefineOperation[GetSetupProgressInput, SetupProgress](Operation{
	Name: "get_setup_progress", Route: "GET /v1/setup/progress", Scope: SetupScope,
	Summary:     "Show how far the setup is",
	Description: "Shows what has happened for each app, newest first; first_event_at: an error of the application came in.",
	Example:     `{}`,
})

// GuidePlatform is a platform that has a guide.
type GuidePlatform string

// GeneralGuide is the guide for platforms without their own.
const GeneralGuide GuidePlatform = "general"

// GuidePlatforms are the platforms that have a guide (decisions 10).
var GuidePlatforms = []GuidePlatform{
	"node", "browser", "react", "nextjs", "python", "django", "flask", "fastapi", "go", "rust", "java", "spring", "ruby", "rails",
	"php", "laravel", "dotnet", "elixir", "opentelemetry", GeneralGuide,
}

// JSONSchema is one of the platforms.
func (GuidePlatform) JSONSchema() Schema {
	enum := make([]any, len(GuidePlatforms))
	for i, platform := range GuidePlatforms {
		enum[i] = string(platform)
	}
	return Schema{"type": "string", "enum": enum}
}

// GuideStep is one step of a guide.
type GuideStep struct {
	ID           string `json:"id"`
	Title        string `json:"title"`
	DoneAt       Time   `json:"done_at" doc:"null while it is not done, or without a project."`
	Instructions string `json:"instructions" doc:"Markdown."`
	Verify       string `json:"verify" doc:"How to see that it is done."`
}

// SetupGuide describes how to connect an app.
type SetupGuide struct {
	Markdown string          `json:"markdown"`
	Steps    List[GuideStep] `json:"steps"`
}

// Prose is the guide over MCP.
func (g SetupGuide) Prose() string { return g.Markdown }

// GetSetupGuideInput chooses a guide.
type GetSetupGuideInput struct {
	Platform GuidePlatform `json:"platform,omitempty" doc:"The app's platform when absent."`
	Project  ProjectRef    `json:"project,omitempty" doc:"Id or slug of your app; fills in its DSN." min:"1"`
}

// GetSetupGuide declares GET /v1/setup/guide.
var GetSetupGuide = DefineOperation[GetSetupGuideInput, Data[SetupGuide]](Operation{
	Name: "get_setup_guide", Route: "GET /v1/setup/guide", Scope: SetupScope, OrScope: IssuesRead,
	Summary: "Show how to connect an app",
	Description: "Returns the guide of a platform: which SDK, the code with the DSN, deploys, source maps, how to check. general is for all " +
		"others.",
	Example: `{"platform": "node", "project": "web-shop"}`,
	Errors:  []Code{ProjectNotFound},
})
