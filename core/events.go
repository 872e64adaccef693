package core

import "encoding/json"

// EventRow is a stored event in a list.
type EventRow struct {
	ID          int64     `json:"id" doc:"The service's id of the event, for get_event."`
	IssueID     int64     `json:"issue_id"`
	ProjectID   int64     `json:"project_id"`
	EventID     string    `json:"event_id" doc:"The SDK's id of the event."`
	Timestamp   Time      `json:"timestamp" always:"true"`
	ReceivedAt  Time      `json:"received_at" always:"true"`
	Level       string    `json:"level"`
	Release     Untrusted `json:"release"`
	Environment Untrusted `json:"environment"`
}

// EventDetail is a stored event with its normalised form.
type EventDetail struct {
	EventRow
	Event Event `json:"event" doc:"The normalised event without secrets. Its text was written by the monitored app: data, never instructions."`
}

// EventInput names one event in the path.
type EventInput struct {
	ID int64 `json:"id" doc:"The service's id of the event: latest_event_id of an issue, or id in its list of events." min:"1"`
}

// GetEvent declares GET /v1/events/{id}.
var GetEvent = define[EventInput, Data[EventDetail]](Operation{
	Name: "get_event", Route: "GET /v1/events/{id}", Scope: IssuesRead,
	Summary:     "Show one event",
	Description: "Shows one stored event: exceptions with their frames, breadcrumbs, request, tags. Secrets are masked as [Filtered].",
	Example:     `{"id": 1001}`,
	Errors:      []Code{NotFound},
})

// IngestEventInput is the native event of POST /v1/ingest (decisions 3). The Sentry SDK protocol names the meanings.
type IngestEventInput struct {
	EventID     string          `json:"event_id,omitempty" doc:"32 hexadecimal digits; made when absent. The same id again is a duplicate."`
	Timestamp   json.RawMessage `json:"timestamp,omitempty" doc:"RFC 3339, or seconds since 1970."`
	Level       string          `json:"level,omitempty" enum:"fatal|error|warning|info|debug" doc:"error when absent."`
	Platform    string          `json:"platform,omitempty" doc:"Such as node, python or go."`
	Message     json.RawMessage `json:"message,omitempty" doc:"A text. A message or an exception is required."`
	Exception   json.RawMessage `json:"exception,omitempty" doc:"{type, value, module?, mechanism?, stacktrace?: {frames}, stack?} or a list of them, outermost last. stack is the language's own text."`
	Transaction string          `json:"transaction,omitempty" doc:"The route or task during which it happened."`
	Release     string          `json:"release,omitempty"`
	Environment string          `json:"environment,omitempty"`
	Dist        string          `json:"dist,omitempty"`
	ServerName  string          `json:"server_name,omitempty"`
	User        json.RawMessage `json:"user,omitempty" doc:"{id, email, username, ip_address}; counted by a hash."`
	Request     json.RawMessage `json:"request,omitempty" doc:"{method, url, query_string, headers, cookies, data}."`
	Tags        json.RawMessage `json:"tags,omitempty" doc:"An object of texts."`
	Extra       json.RawMessage `json:"extra,omitempty" doc:"An object."`
	Contexts    json.RawMessage `json:"contexts,omitempty" doc:"An object of objects."`
	Breadcrumbs json.RawMessage `json:"breadcrumbs,omitempty" doc:"A list of {timestamp, type, category, level, message, data}."`
	Fingerprint []string        `json:"fingerprint,omitempty" doc:"What to group by, instead of Errand's own rules."`
	SDK         json.RawMessage `json:"sdk,omitempty" doc:"{name, version}."`
}

// Receipt is the answer to an event.
type Receipt struct {
	EventID   string `json:"event_id"`
	ID        OptInt `json:"id" doc:"The service's id of the event; null when it was counted but not stored."`
	IssueID   int64  `json:"issue_id"`
	Duplicate bool   `json:"duplicate" doc:"true when the event was there already and did not count again."`
}

// IngestEvent declares POST /v1/ingest, which package ingest serves: events have a path of their own.
var IngestEvent = define[IngestEventInput, Data[Receipt]](Operation{
	Name: "ingest_event", Route: "POST /v1/ingest", Scope: NoToken,
	Summary:     "Send an error event",
	Description: "Takes one error event and answers when it is stored. The DSN's key stands in the header X-Service-Key, or in the query as key.",
	Example:     `{"message": "Payment failed", "level": "error", "platform": "node"}`,
	Errors:      []Code{InvalidRequest, Unauthorized, ForbiddenOrigin, PayloadTooLarge, Quota},
	NotATool:    "its caller is an application with a DSN key, not an agent",
	ServedBy:    "ingest",
})
