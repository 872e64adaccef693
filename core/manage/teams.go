package manage

import "errand/core"

var teamOperations = []*core.Operation{
	ListTeams.Operation,
	GetTeam.Operation,
	CreateTeam.Operation,
	UpdateTeam.Operation,
	DeleteTeam.Operation,
}

// Team is a group of people who see the same apps.
type Team struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	Slug      string `json:"slug" doc:"Follows the name: a new name changes it."`
	OwnerID   int64  `json:"owner_id" doc:"Id of the user with whom the team is deleted."`
	CreatedAt Time   `json:"created_at" always:"true"`
	UpdatedAt Time   `json:"updated_at" always:"true"`
}

// ListTeams declares GET /api/v1/teams.
var ListTeams = core.DefineOperation[struct{}, core.List[Team]](core.Operation{
	Name: "list_teams", Route: "GET /api/v1/teams", Scope: TeamsRead,
	Summary: "List teams", Description: "Lists all teams, newest first.", Example: `{}`,
})

// TeamInput names a team in the path.
type TeamInput struct {
	Team string `json:"team" doc:"Slug or id of the team." min:"1" max:"200"`
}

// GetTeam declares GET /api/v1/teams/{team}.
var GetTeam = core.DefineOperation[TeamInput, Team](core.Operation{
	Name: "get_team", Route: "GET /api/v1/teams/{team}", Scope: core.AnyToken,
	Summary: "Show a team", Description: "Shows one team. It needs the permission teams:read.",
	Example: `{"team": "back-office"}`, Errors: []core.Code{core.NotFound, core.Forbidden},
})

// TeamName is the name of a team.
type TeamName struct {
	Name core.Opt[string] `json:"name" doc:"What people call the team." max:"100"`
}

// CheckName refuses a name that is blank or cannot be shown.
func (n TeamName) CheckName(required bool) error { return checkName(n.Name, required) }

// CreateTeamInput is a team to create.
type CreateTeamInput struct {
	TeamName
	OwnerID core.Opt[int64] `json:"owner_id" doc:"Id of a user, who becomes its first member, with the role admin."`
}

// CreateTeam declares POST /api/v1/teams.
var CreateTeam = core.DefineOperation[CreateTeamInput, Team](core.Operation{
	Name: "create_team", Route: "POST /api/v1/teams", Scope: TeamsWrite, Status: 201,
	Summary: "Create a team", Description: "Creates a team. Names may repeat; the slug is then numbered.",
	Example: `{"name": "Back office", "owner_id": 1}`, Errors: []core.Code{ValidationFailed},
})

// UpdateTeamInput is a change of the team that the path names.
type UpdateTeamInput struct {
	TeamInput
	TeamName
}

// UpdateTeam declares PATCH /api/v1/teams/{team}.
var UpdateTeam = core.DefineOperation[UpdateTeamInput, Team](core.Operation{
	Name: "update_team", Route: "PATCH /api/v1/teams/{team}", Aliases: []string{"PUT /api/v1/teams/{team}"}, Scope: core.AnyToken,
	Summary:     "Rename a team",
	Description: "Gives a team another name, which changes the slug. It needs the permission teams:write.",
	Example:     `{"team": "back-office", "name": "Office"}`, Errors: []core.Code{core.NotFound, core.Forbidden, ValidationFailed},
})

// DeleteTeam declares DELETE /api/v1/teams/{team}.
var DeleteTeam = core.DefineOperation[TeamInput, core.None](core.Operation{
	Name: "delete_team", Route: "DELETE /api/v1/teams/{team}", Scope: core.AnyToken, Status: 204,
	Summary:     "Delete a team",
	Description: "Deletes a team with its members and assignments; users and apps stay. It needs the permission teams:write.",
	Example:     `{"team": "back-office"}`, Errors: []core.Code{core.NotFound, core.Forbidden}, Destructive: true,
})
