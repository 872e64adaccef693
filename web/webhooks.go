package web

import (
	"fmt"
	"strings"

	"errand/core"
)

// The paths of the webhooks.
const (
	webhooksPath      = "/settings/webhooks"
	newWebhookPath    = "/settings/webhooks/new"
	webhookPath       = "/settings/webhooks/{id}"
	webhookSecretPath = "/settings/webhooks/{id}/secret"
	webhookDeletePath = "/settings/webhooks/{id}/delete"
)

// webhooksForm is the list of who is told of what.
type webhooksForm struct {
	Tabs    tabs
	CanMake bool
	Rows    []webhookRow // that the person manages
	Alerts  []webhookRow // of others, which the person only sees
	Empty   *emptyList
}

// webhookRow is a webhook of the list. Path is empty for one that the person does not manage.
type webhookRow struct {
	Path    string
	Name    any
	Target  any // where it sends
	Format  string
	Events  string
	Project any
	Trust   string
	Last    badge
}

// formatNames are the formats as people call them.
var formatNames = map[core.WebhookFormat]string{
	core.FormatService: "Agent runner", core.FormatSCMDispatch: "GitHub workflow", core.FormatSCMIssue: "GitHub issues",
	core.FormatChatA: "Slack", core.FormatChatB: "Discord", core.FormatEmail: "E-mail",
}

// eventTexts are the events of webhooks in words.
var eventTexts = map[core.WebhookEvent]string{
	core.IssueNew: "a new issue", core.IssueRegressed: "an issue came back", core.IssueVerified: "a fix held", core.IssueSpike: "a spike",
	core.Ping: "a test",
}

// showWebhooks lists the webhooks that the person manages, and what else is told about issues that the person sees.
func (s *Site) showWebhooks(v *visit) error {
	form := webhooksForm{Tabs: v.settingsTabs(), CanMake: v.may(core.ManageRight)}
	var webhooks core.Data[core.List[core.Webhook]]
	var alerts core.Data[core.List[core.Alert]]
	var projects core.Data[core.List[core.ListedProject]]
	err := runTogether(
		func() (err error) {
			if form.CanMake {
				webhooks, err = callOperation(v, core.ListWebhooks, nil)
			}
			return err
		},
		func() (err error) { alerts, err = callOperation(v, core.ListAlerts, nil); return err },
		func() (err error) { projects, err = callOperation(v, core.ListProjects, nil); return err },
	)
	if err != nil {
		return err
	}
	isOwn := map[int64]bool{}
	for i := range webhooks.Data {
		w := &webhooks.Data[i]
		isOwn[w.ID] = true
		row := makeWebhookRow(w.Name, describeTarget(w), &w.WebhookTerms, projects.Data)
		row.Path = addressOfWebhook(w.ID, "")
		if row.Last, err = v.describeLast(w); err != nil {
			return err
		}
		form.Rows = append(form.Rows, row)
	}
	for i := range alerts.Data {
		if a := &alerts.Data[i]; !isOwn[a.ID] {
			form.Alerts = append(form.Alerts, makeWebhookRow(a.Name, describeAlertTarget(a), &a.WebhookTerms, projects.Data))
		}
	}
	form.Empty = form.describeNothing()
	return v.show("webhooks", "Webhooks and alerts", form)
}

// describeNothing says what to do where nobody is told of anything; nil otherwise.
func (f *webhooksForm) describeNothing() *emptyList {
	switch {
	case len(f.Rows) > 0 || len(f.Alerts) > 0:
		return nil
	case f.CanMake:
		return &emptyList{Title: "Nobody is told yet", Lines: []string{
			"A webhook starts an agent for a new issue, opens an issue in a repository, or tells a channel or people by mail."},
			Links: []frameLink{{Name: "Make the first webhook", Path: newWebhookPath}}}
	}
	return &emptyList{Title: "Nobody is told yet", Lines: []string{
		"An admin of a team, or a site admin, can have new issues told to a channel, by mail, or to an agent."}}
}

// addressOfWebhook returns the path of a webhook's page, or of a page below it.
func addressOfWebhook(id int64, below string) string {
	return fmt.Sprintf("%s/%d%s", webhooksPath, id, below)
}

func makeWebhookRow(name string, target any, terms *core.WebhookTerms, projects []core.ListedProject) webhookRow {
	return webhookRow{
		Name: name, Target: target, Format: formatNames[terms.Format], Events: describeEvents(terms),
		Project: nameProject(int64(terms.ProjectID), projects), Trust: describeLeastTrust(terms.MinTrust),
		Last: lastBadge(terms.LastDeliveryStatus),
	}
}

// describeTarget says where a webhook sends.
func describeTarget(w *core.Webhook) string {
	if w.Format == core.FormatEmail {
		return strings.Join(w.To, ", ")
	}
	return string(w.URL)
}

// describeAlertTarget is describeTarget for a reader, who sees no addresses.
func describeAlertTarget(a *core.Alert) string {
	if a.Format == core.FormatEmail {
		return writePlural(a.Recipients, "address", "addresses")
	}
	return string(a.URL)
}

// describeEvents says of what a webhook tells.
func describeEvents(terms *core.WebhookTerms) string {
	parts := make([]string, len(terms.Events))
	for i, event := range terms.Events {
		parts[i] = eventTexts[event]
		if event == core.IssueSpike {
			parts[i] += ": more than " + writePlural(int64(terms.SpikeThreshold), "event", "events") + " in an hour"
		}
	}
	return strings.Join(parts, ", ")
}

// nameProject returns the name of a project; 0 is all of them.
func nameProject(id int64, projects []core.ListedProject) string {
	if id == 0 {
		return "all projects"
	}
	for i := range projects {
		if projects[i].ID == id {
			return projects[i].Name
		}
	}
	return fmt.Sprintf("project %d", id)
}

// describeLeastTrust says from which projects the issues come.
func describeLeastTrust(least core.Trust) string {
	if least == core.TrustLow {
		return "any trust"
	}
	return "trust high"
}

// describeLast says what became of the latest delivery of a webhook. Its status alone does not tell whether one that is on its way has
// failed before.
func (v *visit) describeLast(w *core.Webhook) (badge, error) {
	status := w.LastDeliveryStatus
	if status == nil || *status != core.DeliveryPending {
		return lastBadge(status), nil
	}
	last, err := callOperation(v, core.ListDeliveries, map[string]any{"id": w.ID, "limit": 1})
	if err != nil || len(last.Data) == 0 {
		return lastBadge(status), err
	}
	return v.makeDeliveryRow(&last.Data[0]).State, nil
}

// lastBadge says what became of the latest delivery.
func lastBadge(status *core.DeliveryStatus) badge {
	if status == nil {
		return badge{"", "none yet"}
	}
	switch *status {
	case core.DeliveryDelivered:
		return badge{kindGood, "arrived"}
	case core.DeliveryFailed:
		return badge{kindBad, "failed"}
	}
	return badge{kindWarn, "on its way"}
}
