// Package formats is the table of the formats of webhooks: the form of their URLs and how people see them, their
// secrets, and how their deliveries are written.
package formats

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"errand/core"
	"errand/notify"
	"errand/notify/discord"
	"errand/notify/dispatch"
	"errand/notify/scmissue"
	"errand/notify/service"
	"errand/notify/slack"
)

// Form is what distinguishes one format from the others.
type Form struct {
	Request notify.Format // of a delivery; without NewRequest for email, which a Mailer sends
	Signs   bool          // deliveries are signed, so a webhook has a secret
	// HasBrief reports whether the messages have the brief of the issue.
	HasBrief bool
	// ReadNumber returns the number of the source control's issue after an attempt, given the earlier number; nil for
	// a format that opens no issue.
	ReadNumber func(before int64, outcome notify.Outcome) int64

	checkURL func(apiURL, text string) error // nil: any URL will do
	maskURL  func() string                   // nil: the URL is not a secret
}

var table = map[core.WebhookFormat]Form{
	core.FormatService: {Request: notify.Format{NewRequest: service.NewRequest}, Signs: true, HasBrief: true},
	core.FormatSCMDispatch: {
		Request: notify.Format{NewRequest: dispatch.NewRequest, Only204: true}, Signs: true, HasBrief: true, checkURL: dispatch.CheckURL,
	},
	core.FormatSCMIssue: {
		Request: notify.Format{NewRequest: scmissue.NewRequest}, HasBrief: true, ReadNumber: scmissue.ReadNumber, checkURL: scmissue.CheckURL,
	},
	core.FormatChatA: {
		Request:  notify.Format{NewRequest: slack.NewRequest},
		checkURL: func(_, text string) error { return slack.CheckURL(text) }, maskURL: slack.MaskURL,
	},
	core.FormatChatB: {
		Request:  notify.Format{NewRequest: discord.NewRequest},
		checkURL: func(_, text string) error { return discord.CheckURL(text) }, maskURL: discord.MaskURL,
	},
	core.FormatEmail: {},
}

// List returns the forms of all formats.
func List() map[core.WebhookFormat]Form { return maps.Clone(table) }

// Find returns the form of a format.
func Find(format core.WebhookFormat) (Form, error) {
	form, isKnown := table[format]
	if !isKnown {
		return Form{}, fmt.Errorf("notify: the format %q is not known", format)
	}
	return form, nil
}

// CheckURL checks the URL of a new webhook, and returns its stored spelling. The error is for the caller, unless ctx
// has ended. apiURL is SCM_API_URL.
//
// If the format determines the host, a name server that does not answer is no reason to refuse the URL: the host is
// not misspelled, and each attempt looks it up again.
func (f Form) CheckURL(ctx context.Context, guard *notify.Guard, apiURL, text string) (string, error) {
	if f.checkURL != nil {
		if err := f.checkURL(apiURL, text); err != nil {
			return "", err
		}
	}
	checked, err := guard.CheckURL(ctx, text)
	var refused *notify.URLError
	if f.checkURL != nil && errors.As(err, &refused) && refused.Unresolved {
		return text, nil
	}
	return checked, err
}

// IsURLSecret reports whether anybody who knows the URL can send with it.
func (f Form) IsURLSecret() bool { return f.maskURL != nil }

// ShowURL returns the URL as people see it.
func (f Form) ShowURL(text string) string {
	if f.maskURL != nil {
		return f.maskURL()
	}
	return text
}
