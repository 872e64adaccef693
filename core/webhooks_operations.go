package core

import (
	"slices"
	"strings"
)

var webhookOperations = []*Operation{
	CreateWebhook.Operation,
	ListWebhooks.Operation,
	DeleteWebhook.Operation,
	TestWebhook.Operation,
	ListDeliveries.Operation,
	ResendDelivery.Operation,
	ListAlerts.Operation,
	RotateWebhookSecret.Operation,
}

// CreateWebhookInput is the body of POST /v1/webhooks.
type CreateWebhookInput struct {
	Name           string         `json:"name" doc:"What people call it." min:"1" max:"100"`
	Format         FormatChoice   `json:"format" doc:"@createWebhookInput.format" default:"service"`
	URL            string         `json:"url,omitempty" doc:"@createWebhookInput.url" min:"1" max:"2048"`
	To             []string       `json:"to,omitempty" doc:"Of email only: the addresses." min:"1" max:"20"`
	GitHubToken    Secret         `json:"github_token,omitempty" doc:"@createWebhookInput.github_token" min:"1" max:"1000"`
	Events         []WebhookEvent `json:"events" doc:"What of." min:"1" max:"4" enum:"issue.new|issue.regressed|issue.verified|issue.spike"`
	SpikeThreshold *int64         `json:"spike_threshold,omitempty" doc:"@createWebhookInput.spike_threshold" min:"1" max:"1000000"`
	MinTrust       Trust          `json:"min_trust" doc:"@webhook.min_trust" enum:"high|low" default:"high"`
	Project        ProjectRef     `json:"project,omitempty" doc:"@createWebhookInput.project" min:"1"`
}

// Check refuses names that cannot be shown, repeated events, and fields that the format lacks or does not take.
func (in CreateWebhookInput) Check() error {
	if err := CheckName("name", in.Name); err != nil {
		return err
	}
	failure := NewError(InvalidRequest)
	refuse := func(wrong bool, path, message string) {
		if wrong {
			failure.Details = append(failure.Details, Detail{path, message})
		}
	}
	format := in.Format.Format()
	isEmail, inSourceControl := format == FormatEmail, slices.Contains(needToken(), string(format))
	refuse(isEmail && in.URL != "", "url", "must be absent for email, which goes to the addresses in to")
	refuse(!isEmail && in.URL == "", "url", "is required for the format "+string(format))
	refuse(isEmail && in.To == nil, "to", "is required for email: 1 to 20 addresses")
	refuse(!isEmail && in.To != nil, "to", "must be absent: only email takes addresses")
	refuse(inSourceControl && in.GitHubToken == "", "github_token", "is required for the format "+string(format))
	refuse(!inSourceControl && in.GitHubToken != "",
		"github_token", "must be absent: only "+strings.Join(needToken(), " and ")+" take a token")
	refuse(!isHeaderText(in.GitHubToken.Reveal()), "github_token", "must have only ASCII letters, digits and punctuation, without spaces")
	spikes := slices.Contains(in.Events, IssueSpike)
	refuse(spikes && in.SpikeThreshold == nil, "spike_threshold", "is required with the event issue.spike: 1 to 1000000 events in an hour")
	refuse(!spikes && in.SpikeThreshold != nil, "spike_threshold", "must be absent without the event issue.spike")
	for i, event := range in.Events {
		refuse(slices.Contains(in.Events[:i], event), "events", "must not name "+string(event)+" twice")
	}
	if failure.Details == nil {
		return nil
	}
	return failure
}

// isHeaderText reports whether a token can be sent in a header unchanged.
func isHeaderText(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// CreateWebhook declares POST /v1/webhooks.
var CreateWebhook = DefineOperation[CreateWebhookInput, Data[CreatedWebhook]](Operation{
	Name: "create_webhook", Route: "POST /v1/webhooks", Scope: Admin, Status: 201,
	Summary: "Create a webhook or an alert",
	Description: "Tells somebody what happens to issues: an agent runner (service), a workflow or the issues of a repository " +
		"(scm_dispatch, scm_issue), a channel of Slack (chat_a) or Discord (chat_b), or people by email. The secret that signs the " +
		"deliveries of service and scm_dispatch is in this answer only. A URL is refused unless it is https and leads to public addresses.",
	Example: `{"name": "agent runner", "url": "https://runner.example.com/errand", "events": ["issue.new", "issue.regressed"]}`,
	Errors:  []Code{EncryptionNotConfigured, EmailNotConfigured}, NotATool: "it hands out a secret",
})

// ListWebhooksInput has no fields: every webhook is listed.
type ListWebhooksInput struct{}

// ListWebhooks declares GET /v1/webhooks.
var ListWebhooks = DefineOperation[ListWebhooksInput, Data[List[Webhook]]](Operation{
	Name: "list_webhooks", Route: "GET /v1/webhooks", Scope: Admin,
	Summary:     "List webhooks",
	Description: "Lists all webhooks and alerts, most recent first, without their secrets.",
	Example:     `{}`,
})

// WebhookInput names one webhook in the path.
type WebhookInput struct {
	ID int64 `json:"id" doc:"Id of the webhook." min:"1"`
}

// DeleteWebhook declares DELETE /v1/webhooks/{id}.
var DeleteWebhook = DefineOperation[WebhookInput, None](Operation{
	Name: "delete_webhook", Route: "DELETE /v1/webhooks/{id}", Scope: Admin, Status: 204,
	Summary:     "Delete a webhook",
	Description: "Deletes a webhook with its secrets. Its pending deliveries fail.",
	Example:     `{"id": 3}`,
	Errors:      []Code{NotFound}, Destructive: true,
	NotATool: "who is told is for people to decide",
})

// AddedDelivery is the answer to a test of a webhook.
type AddedDelivery struct {
	DeliveryID int64 `json:"delivery_id" doc:"Look it up in list_deliveries."`
}

// TestWebhook declares POST /v1/webhooks/{id}/test.
var TestWebhook = DefineOperation[WebhookInput, Data[AddedDelivery]](Operation{
	Name: "test_webhook", Route: "POST /v1/webhooks/{id}/test", Scope: Admin, Status: 202,
	Summary:     "Test a webhook",
	Description: "Sends the event ping, without an issue, under the same rules as any delivery. list_deliveries shows how it went.",
	Example:     `{"id": 3}`,
	Errors:      []Code{NotFound},
})

// ListDeliveriesInput pages the deliveries of a webhook.
type ListDeliveriesInput struct {
	ID int64 `json:"id" doc:"Id of the webhook." min:"1"`
	Paging
}

// ListDeliveries declares GET /v1/webhooks/{id}/deliveries.
var ListDeliveries = DefineOperation[ListDeliveriesInput, Page[Delivery]](Operation{
	Name: "list_deliveries", Route: "GET /v1/webhooks/{id}/deliveries", Scope: Admin,
	Summary: "List the deliveries of a webhook",
	Description: "Lists the deliveries of a webhook, most recent first, with the number of attempts and why the last one failed. " +
		"A delivery is attempted up to 8 times over two days. Those that have ended are kept for 30 days.",
	Example: `{"id": 3, "limit": 10}`,
	Errors:  []Code{NotFound},
})

// ResendDeliveryInput names one delivery of a webhook in the path.
type ResendDeliveryInput struct {
	ID         int64 `json:"id" doc:"Id of the webhook." min:"1"`
	DeliveryID int64 `json:"delivery_id" doc:"Id of the delivery." min:"1"`
}

// ResendDelivery declares POST /v1/webhooks/{id}/deliveries/{delivery_id}/resend, an addition.
var ResendDelivery = DefineOperation[ResendDeliveryInput, Data[Delivery]](Operation{
	Name: "resend_delivery", Route: "POST /v1/webhooks/{id}/deliveries/{delivery_id}/resend", Scope: Admin, Status: 202,
	Summary: "Send a delivery again",
	Description: "Sends a delivery that has ended, delivered or failed, again at once, under the same id and with the issue as it " +
		"is now. Attempts count on: after 8 of them there is one more, without retries. A pending one is " +
		"delivery_pending.",
	Example: `{"id": 3, "delivery_id": 41000}`,
	Errors:  []Code{NotFound, DeliveryIsPending},
})

// ListAlertsInput has no fields: every alert is listed.
type ListAlertsInput struct{}

// ListAlerts declares GET /v1/alerts.
var ListAlerts = DefineOperation[ListAlertsInput, Data[List[Alert]]](Operation{
	Name: "list_alerts", Route: "GET /v1/alerts", Scope: IssuesRead,
	Summary:     "List who is told of what",
	Description: "Lists webhooks and alerts, without secrets: who is told what happens to an issue, and whether the last delivery arrived.",
	Example:     `{}`,
})
