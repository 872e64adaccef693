package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"errand/core"
)

// newWebhookForm is the form of a new webhook. Each format has its own, because each needs something else.
type newWebhookForm struct {
	Tabs    tabs
	Formats tabs
	Format  string // as create_webhook takes it
	About   formatAbout
	Errors  fieldErrors

	Name, URL, To, Threshold string
	Events                   []check
	Trust, Project           choice
}

// formatAbout says what a format does and needs.
type formatAbout struct {
	Format   core.WebhookFormat
	Does     string
	URLLabel string // empty for mails
	URLHint  string
	Example  string
	hidesURL bool // the URL is a secret, so that a refused form does not repeat it
	Token    string
}

// webhookForms are the formats in the order of their forms.
var webhookForms = []formatAbout{
	{
		Format: core.FormatService, Does: "Sends signed JSON with the brief of the issue to a program that starts an agent.",
		URLLabel: "URL", URLHint: "https, on a public address.", Example: "https://runner.example.com/errand",
	}, {
		Format: core.FormatSCMDispatch, Does: "Starts a workflow of a repository with the brief of the issue.",
		URLLabel: "URL of the dispatches", URLHint: "Of the repository's API, with /dispatches at its end.",
		Example: "https://api.github.com/repos/acme/shop/dispatches",
		Token:   "Of the repository, with the right to write its contents. It is kept encrypted and never shown.",
	}, {
		Format: core.FormatSCMIssue, Does: "Opens an issue in a repository, and comments on it when the error comes back or its fix holds.",
		URLLabel: "URL of the issues", URLHint: "Of the repository's API, with /issues at its end.",
		Example: "https://api.github.com/repos/acme/shop/issues",
		Token:   "Of the repository, with the right to write issues. It is kept encrypted and never shown.",
	}, {
		Format: core.FormatChatA, Does: "Writes a message into a channel of Slack.", URLLabel: "Webhook URL of the channel",
		URLHint: "Slack makes it: an incoming webhook of the channel. It is kept encrypted and shown masked.", hidesURL: true,
		Example: "https://hooks.slack.com/services/…",
	}, {
		Format: core.FormatChatB, Does: "Writes a message into a channel of Discord.", URLLabel: "Webhook URL of the channel",
		URLHint: "Discord makes it: an integration of the channel. It is kept encrypted and shown masked.", hidesURL: true,
		Example: "https://discord.com/api/webhooks/…",
	},
	{Format: core.FormatEmail, Does: "Sends a mail to people."},
}

// showNewWebhook is the form of a new webhook.
func (s *Site) showNewWebhook(v *visit) error {
	query := v.r.URL.Query()
	typed := url.Values{"format": {query.Get("format")}, "events": {string(core.IssueNew), string(core.IssueRegressed)},
		"project": {query.Get("project")}}
	return v.askNewWebhook(http.StatusOK, nil, typed)
}

// askNewWebhook shows the form with what was typed, without secrets.
func (v *visit) askNewWebhook(status int, refused fieldErrors, typed url.Values) error {
	if !v.may(core.ManageRight) {
		return core.NewError(core.Forbidden).With("required_role", core.RoleAdmin)
	}
	projects, err := callOperation(v, core.ListProjects, nil)
	if err != nil {
		return err
	}
	about := findWebhookForm(typed.Get("format"))
	form := newWebhookForm{
		Tabs: v.settingsTabs(), Format: string(about.Format), About: about, Errors: refused, Name: typed.Get("name"), URL: typed.Get("url"),
		To: typed.Get("to"), Threshold: typed.Get("spike_threshold"), Formats: tabs{Label: "Where it sends"},
		Trust: chooseFrom("min_trust", "Trust", cmp.Or(typed.Get("min_trust"), string(core.TrustHigh)),
			option{Value: string(core.TrustHigh), Text: "projects whose trust is high"},
			option{Value: string(core.TrustLow), Text: "projects of any trust"}),
		Project: choice{"project", "Project", v.managedOptions(projects.Data, typed.Get("project"))},
	}
	if about.hidesURL {
		form.URL = ""
	}
	for _, other := range webhookForms {
		form.Formats.Tabs = append(form.Formats.Tabs, tab{Name: formatNames[other.Format], IsHere: other.Format == about.Format,
			Path: addressOf(newWebhookPath, "format", string(other.Format), "project", typed.Get("project"))})
	}
	for _, event := range []core.WebhookEvent{core.IssueNew, core.IssueRegressed, core.IssueVerified, core.IssueSpike} {
		form.Events = append(form.Events, check{"events", string(event), eventTexts[event], slices.Contains(typed["events"], string(event))})
	}
	return v.answer("webhooks_new", status, pageData{Title: "New webhook", Form: form})
}

// findWebhookForm returns the form of a format; the first one for an unknown format.
func findWebhookForm(format string) formatAbout {
	format = string(core.FormatChoice(format).Format())
	for _, about := range webhookForms {
		if string(about.Format) == format {
			return about
		}
	}
	return webhookForms[0]
}

// takeNewWebhook makes a webhook. Its page shows the secret that signs its deliveries.
func (s *Site) takeNewWebhook(v *visit) error {
	typed := v.r.PostForm
	args := withProject(typed.Get("project"), "name", typed.Get("name"), "format", typed.Get("format"),
		"events", append([]string{}, typed["events"]...), "min_trust", cmp.Or(typed.Get("min_trust"), string(core.TrustHigh)))
	for _, field := range []string{"url", "github_token"} {
		if value := strings.TrimSpace(typed.Get(field)); value != "" {
			args[field] = value
		}
	}
	if addresses := strings.FieldsFunc(typed.Get("to"), isBetweenAddresses); len(addresses) > 0 {
		args["to"] = addresses
	}
	if slices.Contains(typed["events"], string(core.IssueSpike)) && typed.Get("spike_threshold") != "" {
		args["spike_threshold"] = typed.Get("spike_threshold")
	}
	made, err := callOperation(v, core.CreateWebhook, args)
	if err != nil {
		refused, err := v.readFieldErrors(err)
		if err != nil {
			return err
		}
		refused.keepKnown("name", "url", "to", "github_token", "events", "spike_threshold", "min_trust", "project")
		return v.askNewWebhook(http.StatusUnprocessableEntity, refused, typed)
	}
	if made.Data.Secret == "" {
		return v.redirectWith(addressOfWebhook(made.Data.ID, ""), flash{Text: "The webhook is made. Send a test to see whether it arrives."})
	}
	return v.answerWebhook(made.Data.ID, describeSecret(&made.Data))
}

func isBetweenAddresses(r rune) bool {
	return r == ',' || r == ';' || r == '\n' || r == '\r' || r == ' ' || r == '\t'
}

// describeSecret is the secret of a webhook, to be shown once.
func describeSecret(made *core.CreatedWebhook) *madeSecret {
	return &madeSecret{"The secret of " + made.Name, "It signs every delivery, and is shown this once. The receiver checks the header " +
		"X-Service-Signature with it.", string(made.Secret)}
}

// managedOptions are the projects in which the person may make webhooks; site admins can choose all of them.
func (v *visit) managedOptions(projects []core.ListedProject, chosen string) []option {
	var options []option
	if v.may(core.SiteRight) {
		options = append(options, option{Text: "All projects", IsChosen: chosen == ""})
	}
	for i := range projects {
		if p := &projects[i]; v.actor.MayIn(p.ID, core.ManageRight) {
			options = append(options, option{Value: p.Slug, Text: p.Name, IsChosen: chosen == p.Slug})
		}
	}
	return options
}
