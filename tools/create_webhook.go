package tools

import (
	"context"
	"errors"

	"errand/core"
	"errand/notify"
	"errand/notify/email"
	"errand/notify/formats"
	"errand/seal"
	"errand/store"
)

// WebhookOptions say which webhooks can be created.
type WebhookOptions struct {
	Keys      *seal.Ring    // seal the secrets of webhooks; nil when ENCRYPTION_KEYS is not set
	Guard     *notify.Guard // decides which URLs may be called
	SCMAPIURL string        // of source control (SCM_API_URL)
	SendsMail bool          // SMTP_URL and EMAIL_FROM are set
}

func (t *Tools) createWebhook(
	ctx context.Context, call core.Call, in core.CreateWebhookInput,
) (core.Data[core.CreatedWebhook], error) {
	webhook, target, err := t.planWebhook(ctx, in)
	if err != nil {
		return wrapData(core.CreatedWebhook{}, err)
	}
	made, err := t.store.CreateWebhook(ctx, call.Actor, webhook)
	if core.HasCode(err, core.ProjectNotFound) { // it was deleted during the call
		err = refuseWebhookProject()
	}
	return wrapData(core.CreatedWebhook{Webhook: describeWebhook(made), Secret: core.Text(target.Secret.Reveal())}, err)
}

// planWebhook checks the rules that a schema cannot express, and returns the webhook with its new secrets.
func (t *Tools) planWebhook(ctx context.Context, in core.CreateWebhookInput) (n store.NewWebhook, target notify.Target, err error) {
	n = store.NewWebhook{Name: in.Name, Format: in.Format.Format(), Events: in.Events, MinTrust: in.MinTrust, Recipients: in.To}
	if in.SpikeThreshold != nil {
		n.SpikeThreshold = *in.SpikeThreshold
	}
	if in.Project == "" {
		err = core.CheckSiteReach(ctx)
	} else if n.ProjectID, err = t.store.FindProject(ctx, in.Project); core.HasCode(err, core.ProjectNotFound) {
		err = refuseWebhookProject()
	}
	if err != nil {
		return n, target, err
	}
	form, err := formats.Find(n.Format)
	if err != nil {
		return n, target, err
	}
	if target.URL, err = t.checkReceiver(ctx, form, in); err != nil {
		return n, target, err
	}
	n.URL, target.Token = form.ShowURL(target.URL.Reveal()), in.GitHubToken
	if form.Signs {
		if target.Secret, err = notify.NewSecret(t.random); err != nil {
			return n, target, err
		}
	}
	if n.ID, err = t.store.TakeWebhookID(ctx); err != nil {
		return n, target, err
	}
	n.Sealed, err = form.SealTarget(t.webhooks.Keys, n.ID, target)
	return n, target, err
}

func refuseWebhookProject() error {
	return core.RefuseField("project", "must be the id or the slug of a project: list_projects shows them")
}

// checkReceiver checks the destination of a webhook's deliveries, and that the installation can send there. It
// returns the URL; none for email. A failed look-up of the name is reported last, since the next one may succeed.
func (t *Tools) checkReceiver(ctx context.Context, form formats.Form, in core.CreateWebhookInput) (core.Secret, error) {
	if in.Format.Format() == core.FormatEmail {
		if err := email.CheckRecipients(in.To); err != nil {
			return "", core.RefuseField("to", "%s", err)
		}
		if !t.webhooks.SendsMail {
			return "", core.NewError(core.EmailNotConfigured)
		}
		return "", t.checkKeys()
	}
	url, err := form.CheckURL(ctx, t.webhooks.Guard, t.webhooks.SCMAPIURL, in.URL)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var refused *notify.URLError
	if isUnresolved := errors.As(err, &refused) && refused.Unresolved; err == nil || isUnresolved {
		if err := t.checkKeys(); err != nil {
			return "", err
		}
	}
	if err != nil {
		return "", core.RefuseField("url", "%s", err)
	}
	return core.Secret(url), nil
}

// checkKeys refuses webhooks when there are no keys to seal their secrets with.
func (t *Tools) checkKeys() error {
	switch keys := t.webhooks.Keys; {
	case keys == nil:
		return core.NewError(core.EncryptionNotConfigured).With("reason", "ENCRYPTION_KEYS is not set")
	case !keys.CanSeal():
		return core.NewError(core.EncryptionNotConfigured).With("reason", "no entry of ENCRYPTION_KEYS is valid")
	}
	return nil
}
