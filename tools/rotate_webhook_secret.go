package tools

import (
	"context"

	"errand/core"
	"errand/notify"
	"errand/notify/formats"
	"errand/store"
)

func (t *Tools) rotateWebhookSecret(
	ctx context.Context, call core.Call, in core.WebhookInput,
) (core.Data[core.CreatedWebhook], error) {
	var secret core.Secret
	webhook, err := t.store.ChangeWebhookSecrets(ctx, call.Actor, in.ID, func(w store.StoredWebhook) (string, error) {
		form, err := formats.Find(w.Format)
		if err != nil {
			return "", err
		}
		if !form.Signs {
			return "", core.RefuseField("id", "must be a webhook of the format service or scm_dispatch: deliveries of %s are not signed", w.Format)
		}
		if err := t.checkKeys(); err != nil {
			return "", err
		}
		target, err := form.OpenTarget(t.webhooks.Keys, w.ID, w.URL, w.Sealed)
		if err != nil {
			return "", core.NewError(core.EncryptionNotConfigured).Because(err).
				With("reason", "ENCRYPTION_KEYS has no key that opens the secrets of this webhook: put it back, or create the webhook again")
		}
		if target.Secret, err = notify.NewSecret(t.random); err != nil {
			return "", err
		}
		secret = target.Secret
		return form.SealTarget(t.webhooks.Keys, w.ID, target)
	})
	return wrapData(core.CreatedWebhook{Webhook: describeWebhook(webhook), Secret: core.Text(secret.Reveal())}, err)
}
