package web

import (
	"fmt"
	"slices"
	"strconv"

	"errand/core"
	"errand/core/manage"
)

// The paths of the teams.
const (
	teamsPath      = "/settings/teams"
	teamPath       = "/settings/teams/{id}"
	teamDeletePath = "/settings/teams/{id}/delete"
	memberField    = "member"
)

// teamsForm is the list of the teams.
type teamsForm struct {
	Tabs  tabs
	Teams []teamRow
	Owner choice
}

type teamRow struct {
	Name    any
	Path    string
	Members int
	At      moment
}

// showTeams lists the teams.
func (s *Site) showTeams(v *visit) error {
	var teams core.List[manage.Team]
	var people core.Data[core.List[core.ListedPerson]]
	err := runTogether(
		func() (err error) { teams, err = callManagement(v, manage.ListTeams, nil); return err },
		func() (err error) { people, err = callOperation(v, core.ListPeople, nil); return err },
	)
	if err != nil {
		return err
	}
	owner := chooseFrom("owner_id", "Owner", fmt.Sprint(v.actor.ID), personOptions(people.Data, nil)...)
	form := teamsForm{Tabs: v.settingsTabs(), Owner: owner}
	members := map[int64]int{}
	for i := range people.Data {
		for _, team := range people.Data[i].Teams {
			members[team.ID]++
		}
	}
	for _, team := range teams {
		form.Teams = append(form.Teams, teamRow{team.Name, fmt.Sprint(teamsPath, "/", team.ID), members[team.ID], v.at(team.CreatedAt.Time)})
	}
	return v.show("teams", "Teams", form)
}

// personOptions are people as options of a select, without those that are left out.
func personOptions(people []core.ListedPerson, without []int64) (options []option) {
	for i := range people {
		if !slices.Contains(without, people[i].ID) {
			options = append(options, option{Value: strconv.FormatInt(people[i].ID, 10), Text: people[i].EmailAddress})
		}
	}
	return options
}

// takeTeams makes a team.
func (s *Site) takeTeams(v *visit) error {
	args := map[string]any{nameField: v.r.PostForm.Get(nameField)}
	if owner, err := strconv.ParseInt(v.r.PostForm.Get("owner_id"), 10, 64); err == nil {
		args["owner_id"] = owner
	}
	made, err := callManagement(v, manage.CreateTeam, args)
	path := teamsPath
	if err == nil {
		path = fmt.Sprint(teamsPath, "/", made.ID)
	}
	return v.sayDone(core.Answer{}, err, path, flash{Text: "The team is made. Add members and the projects that they see."})
}

// teamForm is the page of one team.
type teamForm struct {
	Tabs     tabs
	Path     string
	Name     any
	Members  []memberRow
	Add      choice
	Role     choice
	Projects []teamProject
	Assign   choice
}

type memberRow struct {
	ID    int64
	Email any
	Role  choice
}

type teamProject struct {
	Name any
	Slug string
}

// showTeam shows the members of a team, and the projects that they see.
func (s *Site) showTeam(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	args := map[string]any{"team": strconv.FormatInt(id, 10)}
	var team manage.Team
	var members core.List[manage.Member]
	var assigned core.List[manage.App]
	var people core.Data[core.List[core.ListedPerson]]
	var projects core.Data[core.List[core.ListedProject]]
	err = runTogether(
		func() (err error) { team, err = callManagement(v, manage.GetTeam, args); return err },
		func() (err error) { members, err = callManagement(v, manage.ListMembers, args); return err },
		func() (err error) { assigned, err = callManagement(v, manage.ListTeamApps, args); return err },
		func() (err error) { people, err = callOperation(v, core.ListPeople, nil); return err },
		func() (err error) { projects, err = callOperation(v, core.ListProjects, nil); return err },
	)
	if err != nil {
		return err
	}
	form := teamForm{Tabs: v.settingsTabs(), Path: fmt.Sprint(teamsPath, "/", id), Name: team.Name, Role: chooseRole("")}
	var there []int64
	for i := range members {
		there = append(there, members[i].UserID)
		form.Members = append(form.Members, memberRow{members[i].ID, members[i].User.EmailAddress, chooseRole(string(members[i].Role))})
	}
	form.Add = choice{"user_id", "Person", personOptions(people.Data, there)}
	form.Assign = choice{projectField, "Project", nil}
	for i := range assigned {
		form.Projects = append(form.Projects, teamProject{assigned[i].Name, assigned[i].Slug})
	}
	for i := range projects.Data {
		p := &projects.Data[i]
		if !slices.ContainsFunc(assigned, func(a manage.App) bool { return a.ID == p.ID }) {
			form.Assign.Options = append(form.Assign.Options, option{Value: p.Slug, Text: p.Name})
		}
	}
	return v.show("team", plainText(team.Name), form)
}

// takeTeam changes a team: its name, its members, its projects.
func (s *Site) takeTeam(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	form, path := v.r.PostForm, fmt.Sprint(teamsPath, "/", id)
	args := map[string]any{"team": strconv.FormatInt(id, 10)}
	member, _ := strconv.ParseInt(form.Get(memberField), 10, 64)
	said := ""
	switch form.Get(actionField) {
	case "rename":
		args[nameField], said = form.Get(nameField), "The team has its new name."
		_, err = callManagement(v, manage.UpdateTeam, args)
	case "add":
		user, _ := strconv.ParseInt(form.Get("user_id"), 10, 64)
		args["user_id"], args[roleField], said = user, form.Get(roleField), "The person is in the team."
		_, err = callManagement(v, manage.AddMember, args)
	case roleField:
		args["id"], args[roleField], said = member, form.Get(roleField), "The member has another role."
		_, err = callManagement(v, manage.UpdateMember, args)
	case "remove":
		args["id"], said = member, "The person is no longer in the team."
		_, err = callManagement(v, manage.RemoveMember, args)
	case "assign":
		args["app_id"], said = form.Get(projectField), "The team sees the project."
		_, err = callManagement(v, manage.AssignApp, args)
	case "unassign":
		args["app"], said = form.Get(projectField), "The team no longer sees the project."
		_, err = callManagement(v, manage.UnassignApp, args)
	default:
		return core.RefuseField(actionField, "must be rename, add, role, remove, assign or unassign")
	}
	return v.sayDone(core.Answer{}, err, path, flash{Text: said})
}

// showTeamDeletion says what goes with a team.
func (s *Site) showTeamDeletion(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	team, err := callManagement(v, manage.GetTeam, map[string]any{"team": strconv.FormatInt(id, 10)})
	if err != nil {
		return err
	}
	path := fmt.Sprint(teamsPath, "/", id)
	return v.showIrrevocable(irrevocable{
		Back: path, BackName: team.Name, Title: "Delete the team " + team.Name, Path: path + "/delete",
		Says:   []string{"Its members no longer see its projects. People and projects stay. It cannot be undone."},
		Button: "Delete the team", Keep: "Keep the team",
	})
}

// takeTeamDeletion deletes a team.
func (s *Site) takeTeamDeletion(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	_, err = callManagement(v, manage.DeleteTeam, map[string]any{"team": strconv.FormatInt(id, 10)})
	return v.sayDone(core.Answer{}, err, teamsPath, flash{Text: "The team is deleted."})
}
