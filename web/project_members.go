package web

import (
	"fmt"

	"errand/core"
)

// membersForm is the page of who sees a project.
type membersForm struct {
	projectHead
	Teams       []teamOfProject
	Others      int64
	IsSiteAdmin bool
}

// teamOfProject is a team with its members.
type teamOfProject struct {
	Name    any
	Path    string // of its settings, for site admins
	Members []memberOfProject
}

type memberOfProject struct {
	Email      any
	Role, Does string
	IsDisabled bool
}

// roleMeanings are what people with a role may do in the projects of their team.
var roleMeanings = map[core.TeamRole]string{
	core.RoleOwner: "manages the project", core.RoleAdmin: "manages the project", core.RoleDeveloper: "works on issues",
	core.RoleMember: "works on issues", core.RoleViewer: "reads",
}

// showProjectMembers shows the teams that see a project.
func (s *Site) showProjectMembers(v *visit) error {
	p, err := v.readProject()
	if err != nil {
		return err
	}
	found, err := callOperation(v, core.ListProjectTeams, map[string]any{projectField: p.ID})
	if err != nil {
		return err
	}
	form := membersForm{
		projectHead: v.makeProjectHead(p, membersPart), Others: found.Data.Others, IsSiteAdmin: v.may(core.SiteRight),
	}
	for _, team := range found.Data.Teams {
		shown := teamOfProject{Name: team.Name, Path: fmt.Sprint(teamsPath, "/", team.ID)}
		for _, m := range team.Members {
			shown.Members = append(shown.Members, memberOfProject{m.EmailAddress, string(m.Role), roleMeanings[m.Role], m.Disabled})
		}
		form.Teams = append(form.Teams, shown)
	}
	return v.show("project_members", "Members of "+plainText(p.Name), form)
}
