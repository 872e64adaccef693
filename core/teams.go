package core

import "slices"

// TeamRole is the role of a person in a team, which decides about its projects (management API, 1.8).
type TeamRole string

// The roles, the most powerful first.
const (
	RoleOwner     TeamRole = "owner"
	RoleAdmin     TeamRole = "admin"
	RoleDeveloper TeamRole = "developer"
	RoleMember    TeamRole = "member"
	RoleViewer    TeamRole = "viewer"
)

// TeamRoles are all roles, the most powerful first.
var TeamRoles = []TeamRole{RoleOwner, RoleAdmin, RoleDeveloper, RoleMember, RoleViewer}

// IsKnown reports whether it is one of TeamRoles.
func (r TeamRole) IsKnown() bool { return slices.Contains(TeamRoles, r) }

// Administers reports whether people with the role administer the team. A team keeps at least one such member.
func (r TeamRole) Administers() bool { return r == RoleOwner || r == RoleAdmin }
