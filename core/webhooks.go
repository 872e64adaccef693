package core

import "strings"

// WebhookEvent is an event that webhooks report (webhooks, Events).
type WebhookEvent string

// The events of webhooks.
const (
	IssueNew       WebhookEvent = "issue.new"
	IssueRegressed WebhookEvent = "issue.regressed"
	IssueVerified  WebhookEvent = "issue.verified"
	IssueSpike     WebhookEvent = "issue.spike"
	Ping           WebhookEvent = "ping" // a test of the webhook; it has no issue
)

// WebhookFormat is the form of a webhook's deliveries.
type WebhookFormat string

// The formats of webhooks (primary API, Create fields; decisions 8).
const (
	FormatService     WebhookFormat = "service"
	FormatSCMDispatch WebhookFormat = "scm_dispatch"
	FormatSCMIssue    WebhookFormat = "scm_issue"
	FormatChatA       WebhookFormat = "chat_a" // Slack
	FormatChatB       WebhookFormat = "chat_b" // Discord
	FormatEmail       WebhookFormat = "email"
)

// webhookFormats is the API's side of each format. notify/formats writes their deliveries.
var webhookFormats = []struct {
	name       WebhookFormat
	alias      FormatChoice // another name for it when creating a webhook (decisions 8)
	sends      string
	needsToken bool // the access token of a repository
}{
	{name: FormatService, sends: "signed JSON for an agent runner"},
	{name: FormatSCMDispatch, alias: "github_dispatch", sends: "starts a workflow", needsToken: true},
	{name: FormatSCMIssue, alias: "github_issue", sends: "opens an issue in a repository and comments on it", needsToken: true},
	{name: FormatChatA, alias: "slack", sends: "a message"},
	{name: FormatChatB, alias: "discord", sends: "a message"},
	{name: FormatEmail, sends: "a mail"},
}

// JSONSchema lists the formats.
func (WebhookFormat) JSONSchema() Schema { return Schema{"type": "string", "enum": listFormats()} }

func listFormats() (names []any) {
	for _, format := range webhookFormats {
		names = append(names, string(format.name))
	}
	return names
}

// describeFormats returns what each format sends, for a field's description.
func describeFormats() string {
	lines := make([]string, len(webhookFormats))
	for i, format := range webhookFormats {
		name := string(format.name)
		if format.alias != "" {
			name += " (" + string(format.alias) + ")"
		}
		lines[i] = name + ": " + format.sends + "."
	}
	return strings.Join(lines, " ")
}

// needToken returns the names of the formats that require the access token of a repository.
func needToken() (names []string) {
	for _, format := range webhookFormats {
		if format.needsToken {
			names = append(names, string(format.name))
		}
	}
	return names
}

// FormatChoice is a format, by its name or its alias.
type FormatChoice string

// JSONSchema lists the names.
func (FormatChoice) JSONSchema() Schema {
	names := listFormats()
	for _, format := range webhookFormats {
		if format.alias != "" {
			names = append(names, string(format.alias))
		}
	}
	return Schema{"type": "string", "enum": names}
}

// Format returns the format that was chosen.
func (c FormatChoice) Format() WebhookFormat {
	for _, format := range webhookFormats {
		if c != "" && c == format.alias {
			return format.name
		}
	}
	return WebhookFormat(c)
}

// DeliveryStatus is the state of a delivery (webhooks, States).
type DeliveryStatus string

// The statuses of a delivery.
const (
	DeliveryPending   DeliveryStatus = "pending"
	DeliveryDelivered DeliveryStatus = "delivered"
	DeliveryFailed    DeliveryStatus = "failed"
)

// AttemptUnderway is the last error of a delivery from the start of an attempt to its end. It stays when the server that
// sends is lost.
const AttemptUnderway Text = "the attempt has not ended, or its server was lost"

// Delivery is one message to a webhook, with all attempts to send it.
type Delivery struct {
	ID            int64          `json:"id" doc:"The same in every attempt, so that a receiver can ignore repeats."`
	Event         WebhookEvent   `json:"event" enum:"issue.new|issue.regressed|issue.verified|issue.spike|ping"`
	IssueID       OptInt         `json:"issue_id" doc:"Null for a ping."`
	Status        DeliveryStatus `json:"status" enum:"pending|delivered|failed" doc:"@delivery.status"`
	Attempts      int64          `json:"attempts" doc:"How many have begun; one is counted before it is made."`
	LastStatus    OptInt         `json:"last_status" doc:"HTTP status of the last attempt; null when there was no answer."`
	LastError     Text           `json:"last_error" doc:"Why the last attempt did not succeed."`
	CreatedAt     Time           `json:"created_at" always:"true"`
	NextAttemptAt Time           `json:"next_attempt_at" doc:"Null once the delivery has ended."`
	DeliveredAt   Time           `json:"delivered_at"`
}

// HasFailed reports whether the last attempt has ended without success, and another follows.
func (d *Delivery) HasFailed() bool {
	return d.Status == DeliveryPending && d.LastError != "" && d.LastError != AttemptUnderway
}

// WebhookTerms is the part of a webhook that everybody may see.
type WebhookTerms struct {
	Format             WebhookFormat      `json:"format"`
	Events             List[WebhookEvent] `json:"events" enum:"issue.new|issue.regressed|issue.verified|issue.spike"`
	SpikeThreshold     OptInt             `json:"spike_threshold" doc:"Events of an issue in a clock hour, above which it spikes."`
	MinTrust           Trust              `json:"min_trust" enum:"high|low" doc:"@webhook.min_trust"`
	ProjectID          OptInt             `json:"project_id" doc:"Null for all projects."`
	CreatedAt          Time               `json:"created_at" always:"true"`
	CreatedBy          Text               `json:"created_by" untrusted:"true"`
	LastDeliveryStatus *DeliveryStatus    `json:"last_delivery_status" enum:"pending|delivered|failed" doc:"@webhook.last_delivery_status"`
}

// Webhook is a receiver of news about issues.
type Webhook struct {
	ID   int64        `json:"id"`
	Name string       `json:"name"`
	URL  Text         `json:"url" doc:"Masked for chats; null for email."`
	To   List[string] `json:"to" doc:"The addresses of an email alert; else empty."`
	WebhookTerms
}

// CreatedWebhook is a webhook with the secret that signs its deliveries.
type CreatedWebhook struct {
	Webhook
	Secret Text `json:"secret" doc:"@createdWebhook.secret"`
}

// Alert is a webhook as readers of issues see it.
type Alert struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	URL        Text   `json:"url" doc:"Without its query; masked for chats; null for email."`
	Recipients int64  `json:"recipients" doc:"How many addresses an email alert has; else 0."`
	WebhookTerms
}
