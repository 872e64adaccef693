package web

import (
	"encoding/json"
	"strings"

	"errand/core"
)

// settingsPath is the index of the settings.
const settingsPath = "/settings"

// settingsPage is a part of the settings.
type settingsPage struct {
	Name, Path, Text string
	right            core.Right
}

// settingsPages are the parts of the settings, with the right that a person needs to see each.
var settingsPages = []settingsPage{
	{"People", peoplePath, "who can sign in; invite somebody, make site admins", core.SiteRight},
	{"Teams", teamsPath, "who sees which project, and what they may do there", core.SiteRight},
	{"Tokens", tokensPath, "credentials of agents and scripts", core.SiteRight},
	{"API keys", keysPath, "credentials of the management API", core.SiteRight},
	{"Webhooks", webhooksPath, "where news is sent, and what became of it", core.ManageRight},
	{"Activity", activityPath, "who did what", core.ReadRight},
	{"Server", serverPath, "how the server is, and its settings", core.SiteRight},
}

// settingsIndex is the index of the settings.
type settingsIndex struct{ Pages []settingsPage }

// listSettings returns the parts of the settings that the person may see.
func (v *visit) listSettings() []settingsPage {
	var pages []settingsPage
	for _, page := range settingsPages {
		if v.may(page.right) {
			pages = append(pages, page)
		}
	}
	return pages
}

// settingsTabs makes the links from one part of the settings to the others.
func (v *visit) settingsTabs() tabs {
	made, here := tabs{Label: "Settings"}, v.r.URL.Path
	for _, page := range v.listSettings() {
		made.Tabs = append(made.Tabs, tab{
			Name: page.Name, Path: page.Path, IsHere: here == page.Path || strings.HasPrefix(here, page.Path+"/"),
		})
	}
	return made
}

// showSettings shows the index.
func (s *Site) showSettings(v *visit) error {
	return v.show("settings", "Settings", settingsIndex{v.listSettings()})
}

// requireSiteAdmin refuses other people, and says who may.
func (v *visit) requireSiteAdmin() error { return core.ListPeople.Operation.AuthorizeActor(v.actor) }

// callManagement runs an operation of the management API as a site admin.
func callManagement[In, Out any](v *visit, op core.Op[In, Out], args map[string]any) (out Out, err error) {
	if err := v.requireSiteAdmin(); err != nil {
		return out, err
	}
	answer, err := v.callIn(v.Management, op.Operation, args)
	if err != nil {
		return out, err
	}
	if len(answer.Body) == 0 {
		return out, nil
	}
	return out, json.Unmarshal(answer.Body, &out)
}
