package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"errand/core"
)

// The fields of the forms of a project's settings: those of update_project.
const (
	repositoryField = "repository"
	trustField      = "trust"
	quotaField      = "daily_quota"
	originsField    = "allowed_origins"
)

// settingsForm is the page of the settings of a project.
type settingsForm struct {
	projectHead
	Quota      *quotaUse
	Today      int64
	QuotaText  string // as it stands in the field
	Origins    string
	Trust      badge
	TrustWhy   []string
	TrustHelp  string
	Choices    choice
	Repository any
	Typed      url.Values
}

// showProjectSettings shows the settings of a project.
func (s *Site) showProjectSettings(v *visit) error {
	p, err := v.readProject()
	if err != nil {
		return err
	}
	return v.askProjectSettings(p, http.StatusOK, pageData{}, nil)
}

// askProjectSettings shows the settings; fields that were refused stand as they were typed.
func (v *visit) askProjectSettings(p *core.ListedProject, status int, data pageData, typed url.Values) error {
	fields := fieldsOf(&p.Project)
	for name := range typed {
		if fields.Has(name) {
			fields[name] = typed[name]
		}
	}
	form := settingsForm{
		projectHead: v.makeProjectHead(p, settingsPart), Quota: makeQuotaUse(&p.Project), Today: p.EventsToday,
		QuotaText: fields.Get(quotaField), Origins: fields.Get(originsField), Repository: fields.Get(repositoryField),
		Trust: makeTrustBadge(&p.Project), TrustWhy: v.explainTrust(&p.Project), TrustHelp: describeTrust(p.Trust),
	}
	form.Choices = chooseFrom(trustField, "Trust", fields.Get(trustField), option{Value: "", Text: "automatic"},
		option{Value: string(core.TrustHigh), Text: "always high"}, option{Value: string(core.TrustLow), Text: "always low"})
	data.Title, data.Form = "Settings of "+plainText(p.Name), form
	return v.answer("project_settings", status, data)
}

// fieldsOf returns the settings of a project as the fields of its forms.
func fieldsOf(p *core.Project) url.Values {
	fields := url.Values{repositoryField: {string(p.Repository)}, trustField: {""}, quotaField: {""}, originsField: {""}}
	if p.TrustSetting != nil {
		fields.Set(trustField, string(*p.TrustSetting))
	}
	if p.DailyQuota != nil {
		fields.Set(quotaField, fmt.Sprint(*p.DailyQuota))
	}
	if p.AllowedOrigins != nil {
		fields.Set(originsField, strings.Join(*p.AllowedOrigins, "\n"))
	}
	return fields
}

// describeTrust says what a level of trust changes.
func describeTrust(trust core.Trust) string {
	if trust == core.TrustLow {
		return "Anybody may have written the text of its events. Briefs warn agents, and webhooks and runners for high trust leave its " +
			"issues out."
	}
	return "Its events come from your own servers. Agents may work on its issues unattended."
}

// explainTrust says why a project has its level of trust.
func (v *visit) explainTrust(p *core.Project) []string {
	ago := func(t core.Time) string { return v.at(t).Ago() + " ago" }
	var why []string
	switch {
	case p.TrustSetting != nil:
		why = append(why, fmt.Sprintf("Somebody set it to %s, whatever its events say.", *p.TrustSetting))
	case p.Source == nil:
		why = append(why, "No event came in 30 days. It falls with the first event from a browser, an app or an unknown SDK.")
	case p.Trust == core.TrustLow:
		why = append(why, "An event came from a browser, an app or an unknown SDK in the last 30 days. It rises when 30 days pass without one.")
	default:
		why = append(why, "All events of the last 30 days came from servers.")
	}
	if !p.ServerSeenAt.IsZero() {
		why = append(why, "Last event from a server: "+ago(p.ServerSeenAt)+".")
	}
	if !p.ClientSeenAt.IsZero() {
		why = append(why, "Last event from a browser, an app or an unknown SDK: "+ago(p.ClientSeenAt)+".")
	}
	return why
}

// takeProjectSettings changes the settings that the form names; an empty field removes one.
func (s *Site) takeProjectSettings(v *visit) error {
	p, err := v.readProject()
	if err != nil {
		return err
	}
	before, undone := fieldsOf(&p.Project), url.Values{}
	args := map[string]any{projectField: p.ID}
	for name := range before {
		if v.r.PostForm.Has(name) {
			args[name] = readSetting(name, v.r.PostForm.Get(name))
			undone.Set(name, before.Get(name))
		}
	}
	path := projectAddress(&p.Project, settingsPart)
	answer, err := v.call(core.UpdateProject.Operation, args)
	if core.HasCode(err, core.InvalidRequest) {
		return v.refuseForm(v.w, v.r, err, func(status int, problem string) error {
			return v.askProjectSettings(p, status, pageData{Problem: describeLine(core.AsError(err), problem)}, v.r.PostForm)
		})
	}
	return v.sayDone(answer, err, path, flash{Text: saidOfSettings, Undo: &undo{path, undone}})
}

// saidOfSettings is said when settings were changed.
const saidOfSettings = "Saved. Events follow within 60 seconds."

// readSetting reads the field of a setting; an empty one removes it.
func readSetting(name, text string) any {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return nil
	case name == originsField:
		return trimLines(text)
	}
	return text
}

// readLines returns the lines of a text area that are not blank.
func readLines(text string) []string {
	lines := []string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// trimLines is readLines without the spaces around each line.
func trimLines(text string) []string {
	lines := readLines(text)
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return lines
}

// lineNames are the text areas with a value on each line.
var lineNames = map[string]string{originsField: "origins", scrubKeysField: "names", scrubPatternsField: "patterns"}

// describeLine names the line of a text area in which a value was refused; for others it returns the problem as it is.
func describeLine(failure *core.Error, problem string) string {
	if len(failure.Details) == 0 {
		return problem
	}
	detail, line := failure.Details[0], 0
	field, index, _ := strings.Cut(detail.Path, ".")
	if _, err := fmt.Sscanf(index, "%d", &line); err != nil || lineNames[field] == "" {
		return problem
	}
	said := fmt.Sprintf("Line %d of the %s", line+1, lineNames[field])
	if !strings.HasPrefix(detail.Message, "must ") {
		said += ":"
	}
	return said + " " + plainText(detail.Message) + "."
}
