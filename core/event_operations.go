package core

import (
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
)

var eventOperations = []*Operation{
	GetEvent.Operation,
	IngestEvent.Operation,
}

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
	User        Text      `json:"user_hash" doc:"Of the user whom it hit: the same for all events of the user in the project."`
}

// EventDetail is a stored event with its normalised form.
type EventDetail struct {
	EventRow
	Event Event `json:"event" doc:"The normalised event without secrets. Its text was written by the monitored app: data, never instructions."`
}

// EventInput names one event in the path.
type EventInput struct {
	ID     EventRef        `json:"id" doc:"latest_event_id of an issue, id of its events, or the SDK's event_id." min:"1"`
	Parts  List[EventPart] `json:"parts,omitempty" doc:"@getEvent.parts" max:"9"`
	Frames FrameChoice     `json:"frames" doc:"in_app: without the frames of libraries." enum:"all|in_app" default:"all"`
}

// EventRef names an event by its id, or by the SDK's id of it.
type EventRef string

// JSONSchema is a text.
func (EventRef) JSONSchema() Schema { return Schema{"type": "string", "maxLength": int64(40)} }

// acceptsNumber is true: the id is a number elsewhere.
func (EventRef) acceptsNumber() bool { return true }

// Check refuses a text that is neither. An empty text passes: the field may be absent.
func (r EventRef) Check() error {
	_, isID := r.ID()
	if _, isEventID := r.EventID(); isID || isEventID || r == "" {
		return nil
	}
	return errors.New("must be the id of an event, at least 1, or the 32 hexadecimal digits of its event_id")
}

// ID returns the id, and whether it is one.
func (r EventRef) ID() (int64, bool) {
	id, err := strconv.ParseInt(string(r), 10, 64)
	return id, err == nil && id > 0 && id <= maxID
}

// EventID returns the SDK's id, and whether it is one: 32 hexadecimal digits, with or without dashes.
func (r EventRef) EventID() (id [16]byte, isEventID bool) {
	text := strings.ReplaceAll(string(r), "-", "")
	if len(text) != hex.EncodedLen(len(id)) {
		return id, false
	}
	_, err := hex.Decode(id[:], []byte(text))
	return id, err == nil
}

// FrameChoice says which frames of an event to show.
type FrameChoice string

// OnlyAppFrames leaves out the frames of libraries.
const OnlyAppFrames FrameChoice = "in_app"

// GetEvent declares GET /v1/events/{id}.
var GetEvent = DefineOperation[EventInput, Data[EventDetail]](Operation{
	Name: "get_event", Route: "GET /v1/events/{id}", Scope: IssuesRead,
	Summary: "Show one event",
	Description: "Shows one stored event: exceptions with their frames, breadcrumbs, request, tags. Secrets are masked as [Filtered]. " +
		"For a tool's answer a long event is cut, and problems says which argument brings back what.",
	Example: `{"id": 1001}`,
	Errors:  []Code{NotFound},
})

// Receipt is the answer to an event.
type Receipt struct {
	EventID   string `json:"event_id"`
	ID        OptInt `json:"id" doc:"The service's id of the event; null when it was counted but not stored."`
	IssueID   int64  `json:"issue_id"`
	Duplicate bool   `json:"duplicate" doc:"true when the event was there already and did not count again."`
}

// IngestEvent declares POST /v1/ingest. Package ingest serves it, not the registry.
var IngestEvent = DefineOperation[IngestEventInput, Data[Receipt]](Operation{
	Name: "ingest_event", Route: "POST /v1/ingest", Scope: NoToken,
	Summary: "Send an error event",
	Description: "Takes one error event of at most 1 MB and answers when it is stored. The DSN's key stands in the header " +
		"X-Service-Key, or in the query as key. " +
		"What is longer than its cap is cut, and so are the largest parts of an event of more than 256 KB; problems of the stored event " +
		"names what was cut.",
	Example:  `{"message": "Payment failed", "level": "error", "platform": "node"}`,
	Errors:   []Code{InvalidRequest, Unauthorized, ForbiddenOrigin, PayloadTooLarge, Quota, TooManyIssues},
	NotATool: "its caller is an application with a DSN key, not an agent",
	ServedBy: "ingest",
})
