package core

import "slices"

// TeamRole is what a person may do in the projects of a team (management API, 1.8).
type TeamRole string

// The roles, the one that may do most first.
const (
	RoleOwner     TeamRole = "owner"
	RoleAdmin     TeamRole = "admin"
	RoleDeveloper TeamRole = "developer"
	RoleMember    TeamRole = "member"
	RoleViewer    TeamRole = "viewer"
)

// TeamRoles are all roles, the one that may do most first.
var TeamRoles = []TeamRole{RoleOwner, RoleAdmin, RoleDeveloper, RoleMember, RoleViewer}

// IsKnown reports whether it is one of TeamRoles.
func (r TeamRole) IsKnown() bool { return slices.Contains(TeamRoles, r) }

// Administers reports whether who has the role administers the team. A team keeps at least one such member.
func (r TeamRole) Administers() bool { return r == RoleOwner || r == RoleAdmin }
