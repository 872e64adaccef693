package web

import (
	"fmt"
	"net/http"
	"strings"

	"errand/core"
	"errand/core/manage"
)

// The paths of the people.
const (
	peoplePath       = "/settings/people"
	personPath       = "/settings/people/{id}"
	personDeletePath = "/settings/people/{id}/delete"
	siteAdminField   = "site_admin"
	teamField        = "team"
	roleField        = "role"
)

// peopleForm is the page of the people.
type peopleForm struct {
	Tabs    tabs
	Problem string
	People  []personRow
	Email   string // as it was typed
	Admin   bool
	Team    choice
	Role    choice
	Made    *madeSecret
}

type personRow struct {
	ID         int64
	Path       string
	Email      any
	IsSelf     bool
	IsAdmin    bool
	IsDisabled bool
	Teams      []any
	Last       moment
}

// showPeople lists the people.
func (s *Site) showPeople(v *visit) error { return v.askPeople(http.StatusOK, peopleForm{}) }

// askPeople shows the list with the form to invite somebody.
func (v *visit) askPeople(status int, form peopleForm) error {
	var people core.Data[core.List[core.ListedPerson]]
	var teams core.List[manage.Team]
	err := runTogether(
		func() (err error) { people, err = callOperation(v, core.ListPeople, nil); return err },
		func() (err error) { teams, err = callManagement(v, manage.ListTeams, nil); return err },
	)
	if err != nil {
		return err
	}
	form.Tabs = v.settingsTabs()
	for i := range people.Data {
		form.People = append(form.People, v.makePersonRow(&people.Data[i]))
	}
	options := []option{{Value: "", Text: "no team"}}
	for _, team := range teams {
		options = append(options, option{Value: fmt.Sprint(team.ID), Text: team.Name})
	}
	form.Team = chooseFrom(teamField, "Team", v.r.PostForm.Get(teamField), options...)
	form.Role = chooseRole(v.r.PostForm.Get(roleField))
	return v.answer("people", status, pageData{Title: "People", Form: form})
}

func (v *visit) makePersonRow(p *core.ListedPerson) personRow {
	row := personRow{
		ID: p.ID, Path: fmt.Sprint(peoplePath, "/", p.ID), Email: p.EmailAddress, IsAdmin: p.SiteAdmin, IsDisabled: !p.DisabledAt.IsZero(),
		Last: v.at(p.LastSignedIn), IsSelf: int64(v.actor.ID) == p.ID,
	}
	for _, team := range p.Teams {
		row.Teams = append(row.Teams, fmt.Sprintf("%s, %s", team.Name, team.Role))
	}
	return row
}

// chooseRole is the select of the roles of a team.
func chooseRole(role string) choice {
	if role == "" {
		role = string(core.RoleMember)
	}
	var options []option
	for _, known := range core.TeamRoles {
		options = append(options, option{Value: string(known), Text: string(known) + ": " + roleMeanings[known]})
	}
	return chooseFrom(roleField, "Role", role, options...)
}

// takePeople invites somebody. The link is in this answer alone.
func (s *Site) takePeople(v *visit) error {
	form := v.r.PostForm
	args := map[string]any{"email_address": strings.TrimSpace(form.Get(emailField)), "site_admin": form.Get(siteAdminField) == "on"}
	if team := form.Get(teamField); team != "" {
		args["team"], args["role"] = team, form.Get(roleField)
	}
	made, err := callOperation(v, core.InvitePerson, args)
	problem, err := v.readProblem(err)
	if err != nil {
		return err
	}
	if problem != "" {
		return v.askPeople(http.StatusUnprocessableEntity, peopleForm{
			Problem: problem, Email: form.Get(emailField), Admin: form.Get(siteAdminField) == "on",
		})
	}
	return v.askPeople(http.StatusOK, peopleForm{Made: v.showLink(made.Data)})
}

// showLink shows a link once.
func (v *visit) showLink(link core.PersonLink) *madeSecret {
	said := "It works once, until " + v.at(link.ExpiresAt).Date() + " UTC, and is not shown again. Hand it over yourself."
	if link.Mailed {
		said = "It was mailed. It works once, until " + v.at(link.ExpiresAt).Date() + " UTC, and is not shown again."
	}
	return &madeSecret{Title: "A link for " + link.EmailAddress, Text: said, Value: link.URL}
}

// takePerson changes a person, or makes a link for a new password.
func (s *Site) takePerson(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	change := func(field string, value bool, said string) error {
		undone := "undo_" + field
		return v.act(core.UpdatePerson.Operation, map[string]any{"id": id, field: value}, peoplePath, flash{Text: said, Undo: &undo{
			Path: fmt.Sprint(peoplePath, "/", id), Fields: map[string][]string{actionField: {undone}, "value": {fmt.Sprint(!value)}},
		}})
	}
	switch action := v.r.PostForm.Get(actionField); action {
	case "admin":
		return change("site_admin", true, "The person is a site admin now.")
	case "no_admin":
		return change("site_admin", false, "The person is no longer a site admin.")
	case "disable":
		return change("disabled", true, "Disabled: the sessions and claims ended.")
	case "enable":
		return change("disabled", false, "The person can sign in again.")
	case "undo_site_admin", "undo_disabled":
		args := map[string]any{"id": id, strings.TrimPrefix(action, "undo_"): v.r.PostForm.Get("value") == "true"}
		return v.act(core.UpdatePerson.Operation, args, peoplePath, flash{Text: "It is as before."})
	case "link":
		made, err := callOperation(v, core.CreatePersonLink, map[string]any{"id": id})
		if err != nil {
			return err
		}
		return v.askPeople(http.StatusOK, peopleForm{Made: v.showLink(made.Data)})
	}
	return core.RefuseField(actionField, "must be admin, no_admin, disable, enable or link")
}

// showPersonDeletion says what goes with a person.
func (s *Site) showPersonDeletion(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	people, err := callOperation(v, core.ListPeople, nil)
	if err != nil {
		return err
	}
	for _, p := range people.Data {
		if p.ID == id {
			return v.showIrrevocable(irrevocable{
				Back: peoplePath, BackName: "People", Title: "Delete " + p.EmailAddress, Path: fmt.Sprintf("%s/%d/delete", peoplePath, id),
				Says: []string{
					"The person can no longer sign in and leaves all teams; teams that the person owns are deleted.",
					"What the person did stays in the activity. It cannot be undone: to keep somebody out for now, disable the person instead.",
				},
				Button: "Delete the person", Keep: "Keep the person",
			})
		}
	}
	return core.NewError(core.NotFound)
}

// takePersonDeletion deletes a person.
func (s *Site) takePersonDeletion(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	return v.act(core.DeletePerson.Operation, map[string]any{"id": id}, peoplePath, flash{Text: "The person is deleted."})
}
