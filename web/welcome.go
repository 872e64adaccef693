package web

import (
	"net/url"
	"slices"

	"errand/core"
)

// welcomeForm is what the page of the first run shows: three ways to the first error.
type welcomeForm struct {
	HasEvents bool // of any project that the person sees
	CanSetUp  bool // the person may make setup keys and projects
	Agent     agentDoor
	Hand      handDoor
	Chosen    *chosenProject // the project that is connected by hand
	DemoPath  string         // of the issues of the demo project; empty without one
}

// The parts of the page that are kept up to date.
const (
	stepsPart   = "steps"
	arrivedPart = "arrived"
)

// The actions of the forms of the page.
const (
	makeKeyAction     = "key"
	makeProjectAction = "project"
)

const (
	projectField  = "project"
	platformField = "platform"
	nameField     = "name"
)

// welcomeAddress returns the address of the page with these fields in its query, as name, value.
func welcomeAddress(fields ...string) string {
	query := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		query.Set(fields[i], fields[i+1])
	}
	return welcomePath + "?" + query.Encode()
}

// showWelcome is the page that leads to the first error.
func (s *Site) showWelcome(v *visit) error { return v.askWelcome(welcomeForm{}) }

// askWelcome shows the page. The form has what a person has just made, or what was refused. A live part reads only what it shows.
func (v *visit) askWelcome(form welcomeForm) error {
	part := v.r.URL.Query().Get(fragmentField)
	form.CanSetUp = v.may(core.SiteRight)
	var projects core.Data[core.List[core.ListedProject]]
	err := runTogether(
		func() error {
			if !form.CanSetUp || part == arrivedPart {
				return nil
			}
			return v.readSetup(&form.Agent, maxSetupApps)
		},
		func() (err error) {
			if part != stepsPart {
				projects, err = callOperation(v, core.ListProjects, nil)
			}
			return err
		},
	)
	if err != nil {
		return err
	}
	if slug := v.r.URL.Query().Get(projectField); slug != "" && part != stepsPart {
		if form.Chosen, err = v.chooseProject(projects.Data, slug); err != nil {
			return err
		}
	}
	form.HasEvents = haveEvents(projects.Data)
	form.Hand.showProjects(projects.Data)
	if i := slices.IndexFunc(projects.Data, func(p core.ListedProject) bool { return p.Demo }); i >= 0 {
		form.DemoPath = issuesOf(projects.Data[i].Slug)
	}
	return v.show("welcome", "Welcome", form)
}

// haveEvents reports whether an event has come in for any of the projects.
func haveEvents(projects []core.ListedProject) bool {
	return slices.ContainsFunc(projects, func(p core.ListedProject) bool { return !p.LastEventAt.IsZero() })
}

// issuesOf returns the path of the issues of a project.
func issuesOf(slug string) string {
	return issuesPath + "?" + url.Values{projectField: {slug}}.Encode()
}

// takeWelcome makes a setup key or a project.
func (s *Site) takeWelcome(v *visit) error {
	switch v.r.PostForm.Get(actionField) {
	case makeKeyAction:
		return v.takeSetupKey()
	case makeProjectAction:
		return v.takeProject()
	}
	return core.RefuseField(actionField, "must be key or project")
}
