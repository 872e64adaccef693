package core

// ProjectTeams are the teams that see a project.
type ProjectTeams struct {
	Teams  List[ProjectTeam] `json:"teams" doc:"By name. A person who is not a site admin sees the own teams alone."`
	Others int64             `json:"others" doc:"How many teams with the project the caller does not see."`
}

// ProjectTeam is a team that sees a project.
type ProjectTeam struct {
	ID      int64               `json:"id"`
	Name    string              `json:"name" untrusted:"true"`
	Slug    string              `json:"slug"`
	Members List[ProjectMember] `json:"members" doc:"Those of the most powerful role first."`
}

// ProjectMember is a person of a team that sees a project.
type ProjectMember struct {
	EmailAddress string   `json:"email_address" untrusted:"true"`
	Role         TeamRole `json:"role" enum:"owner|admin|developer|member|viewer"`
	Disabled     bool     `json:"disabled" doc:"true: the person cannot sign in."`
}

// MaxProjectMembers is how many members list_project_teams shows at most, of all teams together.
const MaxProjectMembers = 1000

// ListProjectTeams declares GET /v1/projects/{project}/teams.
var ListProjectTeams = DefineOperation[ProjectInput, Data[ProjectTeams]](Operation{
	Name: "list_project_teams", Route: "GET /v1/projects/{project}/teams", Scope: Admin,
	Summary: "List the teams of a project",
	Description: "Lists the teams that see a project, with their members and roles: 1,000 members at most. Site admins see every " +
		"project.",
	Example:  `{"project": "web-shop"}`,
	Errors:   []Code{ProjectNotFound},
	NotATool: "it is about people, for who decides what they see",
})
