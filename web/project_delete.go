package web

import "errand/core"

// showProjectDeletion is the page before a project is deleted.
func (s *Site) showProjectDeletion(v *visit) error {
	p, err := v.readProject()
	if err != nil {
		return err
	}
	if !v.may(core.SiteRight) {
		return core.NewError(core.Forbidden).With("required_role", "site_admin")
	}
	path, isHeld := projectAddress(&p.Project, ""), s.Holds(core.HoldDeleteProject)
	form := irrevocable{
		Back: path + settingsPart, BackName: p.Name, Title: "Delete " + p.Name, Path: path + deletePart, Button: "Delete the project",
		Keep: "Keep it",
		Says: []string{
			"Its issues, events, releases, source maps, webhooks and keys go, and the tokens that are bound to it end. What was done to it " +
				"stays in the activity.",
			"Its DSNs refuse events within 60 seconds. The name can be used again at once.",
			"It cannot be undone.",
		},
	}
	if isHeld {
		form.Button = "Ask for the deletion"
		form.Says = append(form.Says, "This installation holds deletions: nothing happens until a second site admin approves it.")
	}
	return v.showIrrevocable(form)
}

// takeProjectDeletion deletes a project, or asks for it where that is held.
func (s *Site) takeProjectDeletion(v *visit) error {
	p, err := v.readProject()
	if err != nil {
		return err
	}
	answer, err := v.call(core.DeleteProject.Operation, map[string]any{projectField: p.ID})
	path := projectsPath
	if err == nil && answer.IsHeld {
		path = projectAddress(&p.Project, "")
	}
	return v.sayDone(answer, err, path, flash{Text: "The project " + p.Name + " is deleted."})
}
