// Package notify sends what happened to an issue to the receivers of webhooks: the message that every format renders, its
// signature, which URLs may be called, one attempt at a delivery, and when the next one is due.
//
// A format is a package below this one. It has one function that makes the HTTP request of a message (or, for email,
// sends the mail). The Sender makes the attempt. Each attempt renders its content again.
package notify

import (
	"bytes"
	"encoding/json"
	"time"

	"errand/core"
)

// EventName is an event that webhooks report.
type EventName = core.WebhookEvent

// The events of webhooks.
const (
	IssueNew       = core.IssueNew
	IssueRegressed = core.IssueRegressed
	IssueVerified  = core.IssueVerified
	IssueSpike     = core.IssueSpike
	Ping           = core.Ping
)

// Message is the content of one delivery at the time of an attempt.
type Message struct {
	Event      EventName
	DeliveryID int64 // the same in every attempt
	WebhookID  int64
	CreatedAt  core.Time // of the delivery
	SentAt     time.Time // of this attempt, and of its signature
	Issue      *Issue    // nil for a ping
	Brief      *Brief    // nil for a ping

	Project string // name of the issue's project, for people
	Link    string // the issue's page, for people; Errand's own for a ping
}

// Issue is an issue in a webhook's message.
type Issue struct {
	ID            int64          `json:"id"`
	ProjectID     int64          `json:"project_id"`
	Status        core.Status    `json:"status"`
	Level         string         `json:"level"`
	Trust         core.Trust     `json:"trust"`
	Priority      float64        `json:"priority"`
	TimesSeen     int64          `json:"times_seen"`
	UsersAffected int64          `json:"users_affected"`
	FirstSeen     core.Time      `json:"first_seen"`
	LastSeen      core.Time      `json:"last_seen"`
	Fix           *core.Fix      `json:"fix"`
	Title         core.Untrusted `json:"title_untrusted"`
}

// DescribeIssue returns an issue for a webhook's message.
func DescribeIssue(issue *core.IssueDetail) *Issue {
	return &Issue{
		ID: issue.ID, ProjectID: issue.ProjectID, Status: issue.Status, Level: issue.Level, Trust: issue.Trust,
		Priority: issue.Priority, TimesSeen: issue.TimesSeen, UsersAffected: issue.UsersAffected,
		FirstSeen: issue.FirstSeen, LastSeen: issue.LastSeen, Fix: issue.Fix, Title: issue.Title,
	}
}

// Brief is what an agent needs to start work on the issue. Text of the monitored app is marked in it.
type Brief struct {
	Version  string          `json:"version"`
	Markdown string          `json:"markdown"`
	JSON     json.RawMessage `json:"json"`
}

// Target is the destination of a webhook's deliveries, with the secrets that its format needs.
type Target struct {
	URL    core.Secret // for chats, the whole URL is a secret
	Secret core.Secret // whsec_..., which signs the deliveries of format service
	Token  core.Secret // of the source control, for the two formats that act there
	// IssueNumber is the number of the issue in the source control that was opened for the message's issue; 0 when there is none yet.
	IssueNumber int64
	Recipients  []string // for email
}

// EncodeJSON writes the body of a request, without the escapes of <, > and & that only pages need.
func EncodeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
