package core

// RotateWebhookSecret declares POST /v1/webhooks/{id}/secret, an addition.
var RotateWebhookSecret = DefineOperation[WebhookInput, Data[CreatedWebhook]](Operation{
	Name: "rotate_webhook_secret", Route: "POST /v1/webhooks/{id}/secret", Scope: Admin, Status: 200,
	Summary: "Replace the secret of a webhook",
	Description: "Makes a new secret for the signatures of a webhook of the format service or scm_dispatch. Only this answer shows it. " +
		"Every delivery from then on is signed with it, waiting ones too; the old secret signs nothing any more. Other formats are not signed.",
	Example:  `{"id": 3}`,
	Errors:   []Code{NotFound, EncryptionNotConfigured},
	NotATool: "it hands out a secret",
})
