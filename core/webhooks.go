package core

// WebhookEvent is what happened, as webhooks are told (webhooks, Events).
type WebhookEvent string

// The events of webhooks.
const (
	IssueNew       WebhookEvent = "issue.new"
	IssueRegressed WebhookEvent = "issue.regressed"
	IssueVerified  WebhookEvent = "issue.verified"
	IssueSpike     WebhookEvent = "issue.spike"
	Ping           WebhookEvent = "ping" // a test of the webhook, without an issue
)

// WebhookFormat is in which form a webhook is told.
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

// DeliveryStatus is the state of a delivery (webhooks, States).
type DeliveryStatus string

// The statuses of a delivery.
const (
	DeliveryPending   DeliveryStatus = "pending"
	DeliveryDelivered DeliveryStatus = "delivered"
	DeliveryFailed    DeliveryStatus = "failed"
)

// Delivery is one thing that a webhook is told, with all attempts at it.
type Delivery struct {
	ID            int64          `json:"id" doc:"The same in every attempt, so that a receiver can ignore repeats."`
	Event         WebhookEvent   `json:"event" enum:"issue.new|issue.regressed|issue.verified|issue.spike|ping"`
	IssueID       OptInt         `json:"issue_id" doc:"Null for a ping."`
	Status        DeliveryStatus `json:"status" enum:"pending|delivered|failed" doc:"@delivery.status"`
	Attempts      int64          `json:"attempts" doc:"How many have ended."`
	LastStatus    OptInt         `json:"last_status" doc:"HTTP status of the last attempt; null when there was no answer."`
	LastError     Text           `json:"last_error" doc:"Why the last attempt did not succeed."`
	CreatedAt     Time           `json:"created_at" always:"true"`
	NextAttemptAt Time           `json:"next_attempt_at" doc:"Null once the delivery has ended."`
	DeliveredAt   Time           `json:"delivered_at"`
}
