package manage

import "errand/core"

var memberOperations = []*core.Operation{
	ListMembers.Operation,
	AddMember.Operation,
	UpdateMember.Operation,
	RemoveMember.Operation,
}

// Member is a user in a team.
type Member struct {
	ID        int64         `json:"id" doc:"Of the membership: paths go by it."`
	TeamID    int64         `json:"team_id"`
	UserID    int64         `json:"user_id"`
	Role      core.TeamRole `json:"role" enum:"owner|admin|developer|member|viewer"`
	User      User          `json:"user"`
	CreatedAt Time          `json:"created_at" always:"true"`
	UpdatedAt Time          `json:"updated_at" always:"true"`
}

// ListMembers declares GET /api/v1/teams/{team}/members.
var ListMembers = core.DefineOperation[TeamInput, core.List[Member]](core.Operation{
	Name: "list_members", Route: "GET /api/v1/teams/{team}/members", Scope: core.AnyToken,
	Summary: "List the members of a team",
	Description: "Lists the members of a team: viewers, owners, members, developers, admins, each in the order in which they came. " +
		"It needs the permission teams:read.",
	Example: `{"team": "back-office"}`, Errors: []core.Code{core.NotFound, core.Forbidden},
})

// MemberRole is the role of a member.
type MemberRole struct {
	Role core.Opt[core.TeamRole] `json:"role" doc:"owner, admin, developer, member or viewer."`
}

// Choose returns the requested role, or the fallback when none is requested. It refuses a text that is not a role.
func (r MemberRole) Choose(fallback core.TeamRole) (core.TeamRole, error) {
	switch {
	case !r.Role.Set:
		return fallback, nil
	case !r.Role.Value.IsKnown():
		return "", RefuseInput("Role is not included in the list")
	}
	return r.Role.Value, nil
}

// AddMemberInput names a user, by id or by address.
type AddMemberInput struct {
	TeamInput
	UserID       core.Opt[int64]  `json:"user_id" doc:"Id of the user."`
	EmailAddress core.Opt[string] `json:"email_address" doc:"Address of the user, instead of user_id."`
	MemberRole
}

// AddMember declares POST /api/v1/teams/{team}/members.
var AddMember = core.DefineOperation[AddMemberInput, Member](core.Operation{
	Name: "add_member", Route: "POST /api/v1/teams/{team}/members", Scope: core.AnyToken, Status: 201,
	Summary: "Add a member", Description: "Puts a user into a team, by default as a member. It needs the permission teams:write.",
	Example: `{"team": "back-office", "email_address": "ann@example.com", "role": "developer"}`,
	Errors:  []core.Code{core.NotFound, core.Forbidden, ValidationFailed},
})

// MemberInput names a member of a team in the path.
type MemberInput struct {
	TeamInput
	ID int64 `json:"id" doc:"Id of the membership." min:"1"`
}

// UpdateMemberInput is a change of the member that the path names.
type UpdateMemberInput struct {
	MemberInput
	MemberRole
}

// UpdateMember declares PATCH /api/v1/teams/{team}/members/{id}.
var UpdateMember = core.DefineOperation[UpdateMemberInput, Member](core.Operation{
	Name: "update_member", Route: "PATCH /api/v1/teams/{team}/members/{id}", Aliases: []string{"PUT /api/v1/teams/{team}/members/{id}"},
	Scope:   core.AnyToken,
	Summary: "Change the role of a member",
	Description: "Gives a member another role. The last owner or admin of a team keeps administering it. " +
		"It needs the permission teams:write.",
	Example: `{"team": "back-office", "id": 3, "role": "admin"}`, Errors: []core.Code{core.NotFound, core.Forbidden, ValidationFailed},
})

// RemoveMember declares DELETE /api/v1/teams/{team}/members/{id}.
var RemoveMember = core.DefineOperation[MemberInput, core.None](core.Operation{
	Name: "remove_member", Route: "DELETE /api/v1/teams/{team}/members/{id}", Scope: core.AnyToken, Status: 204,
	Summary:     "Remove a member",
	Description: "Takes a user out of a team. The last owner or admin of a team stays. It needs the permission teams:write.",
	Example:     `{"team": "back-office", "id": 3}`, Errors: []core.Code{core.NotFound, core.Forbidden, ValidationFailed}, Destructive: true,
})
