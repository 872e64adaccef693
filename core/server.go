package core

var serverOperations = []*Operation{GetServer.Operation, ExamineServer.Operation}

// Server is the state of the installation, and of the server that answers.
type Server struct {
	Version   string             `json:"version" doc:"Of Errand."`
	Go        string             `json:"go" doc:"Version of Go that built it."`
	StartedAt Time               `json:"started_at"`
	Warnings  List[string]       `json:"warnings" doc:"What somebody should look at, the most urgent first; empty when nothing is wrong."`
	Schema    SchemaState        `json:"schema"`
	Database  DatabaseState      `json:"database"`
	Ingest    ServerIngest       `json:"ingest"`
	Queue     QueueState         `json:"queue"`
	Jobs      List[JobState]     `json:"jobs" doc:"The background jobs, by name."`
	Disks     List[DiskState]    `json:"disks" doc:"Where data and files lie on this server's machine."`
	Keys      List[KeyState]     `json:"keys" doc:"The secrets that this server can be given; never a value."`
	Settings  List[SettingState] `json:"settings" doc:"The settings of the installation."`
}

// SchemaState is the version of the database's schema.
type SchemaState struct {
	Version int64 `json:"version"`
	Known   int64 `json:"known" doc:"The newest version that this server knows."`
}

// DatabaseState is the Postgres that the installation uses.
type DatabaseState struct {
	Postgres string `json:"postgres" doc:"Its version."`
	Private  bool   `json:"private" doc:"Errand runs it itself, in DATA_DIR."`
	Bytes    int64  `json:"bytes" doc:"Size of the database on its disk."`
}

// ServerIngest is how events come in.
type ServerIngest struct {
	State       string `json:"state" enum:"ok|degraded|over_quota|idle"`
	EventsToday int64  `json:"events_today" doc:"Since midnight UTC."`
	Events24h   int64  `json:"events_24h"`
	LastEventAt Time   `json:"last_event_at"`
	Held        int64  `json:"held" doc:"Events that this server has in memory and not yet in the database."`
}

// QueueState is the deliveries of webhooks that wait.
type QueueState struct {
	Pending  int64 `json:"pending" doc:"At most 100000 are counted."`
	OldestAt Time  `json:"oldest_at" doc:"When the oldest of them was made; null without one."`
}

// JobState is what is known about the last runs of a background job. The queue forgets a run after minutes, and this server remembers its
// own.
type JobState struct {
	Name          string `json:"name"`
	LastRunAt     Time   `json:"last_run_at" doc:"Null when no run is remembered."`
	LastSuccessAt Time   `json:"last_success_at"`
	Outcome       Text   `json:"outcome" doc:"ok, failed or running, of the last run; null without one. The log says why it failed."`
}

// DiskState is the space of a disk that has data of the installation.
type DiskState struct {
	Use         string `json:"use" doc:"data, or blobs." enum:"data|blobs"`
	Path        string `json:"path"`
	FreeBytes   int64  `json:"free_bytes"`
	TotalBytes  int64  `json:"total_bytes"`
	PercentUsed int64  `json:"percent_used"`
}

// KeyState reports whether a secret is set, without its value.
type KeyState struct {
	Name string       `json:"name" doc:"Of its variable, such as ENCRYPTION_KEYS."`
	Set  bool         `json:"set"`
	IDs  List[string] `json:"ids" doc:"Of ENCRYPTION_KEYS only: the ids of its keys, the one that seals first."`
}

// SettingState is a setting of the installation with its value.
type SettingState struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default bool   `json:"default" doc:"Nobody has set it."`
	SetBy   Text   `json:"set_by"`
	SetAt   Time   `json:"set_at"`
}

// GetServerInput has no fields: there is one installation.
type GetServerInput struct{}

// GetServer declares GET /v1/server, an addition.
var GetServer = DefineOperation[GetServerInput, Data[Server]](Operation{
	Name: "get_server", Route: "GET /v1/server", Scope: Admin,
	Summary: "Show the state of the server",
	Description: "Shows what an operator asks first: versions, the database and its size, how events come in, deliveries that wait, " +
		"the last runs of the jobs, free space, which secrets are set (never their values), and the settings of the installation with who " +
		"set them. warnings says in words what to look at.",
	Example:  `{}`,
	NotATool: "it is for who runs the server",
})

// Verdict is how a finding is judged.
type Verdict string

// The verdicts, from the best to the worst.
const (
	VerdictOK   Verdict = "ok"
	VerdictWarn Verdict = "warn" // it works, but probably not as somebody wants it
	VerdictFail Verdict = "fail" // it does not work
)

// Finding is what an examination found out about one thing.
type Finding struct {
	About   string  `json:"about" doc:"Such as database, or mail."`
	Verdict Verdict `json:"verdict" enum:"ok|warn|fail" doc:"warn: it works, but probably not as somebody wants it."`
	Text    string  `json:"text" doc:"What is so."`
	Advice  Text    `json:"advice" doc:"What to do about it; null for ok."`
}

// ExamineServerInput has no fields: the server that answers is examined.
type ExamineServerInput struct{}

// ExamineServer declares GET /v1/server/findings, an addition.
var ExamineServer = DefineOperation[ExamineServerInput, Data[List[Finding]]](Operation{
	Name: "examine_server", Route: "GET /v1/server/findings", Scope: Admin,
	Summary: "Examine the server",
	Description: "Looks for what is wrong, as `errand doctor` does: database, clock, disks, source maps, BASE_URL, jobs, webhooks, mail, " +
		"backup. It asks BASE_URL, the storage of source maps and the mail server, which may take seconds; no mail is sent.",
	Example:  `{}`,
	NotATool: "it is for who runs the server",
})
