package core

import (
	"maps"
	"slices"
)

// Right is what an operation requires of a person. Site admins have every right. Others have rights through their
// teams: in the projects of a team, by their role in it.
type Right string

// The rights. Each includes those before it.
const (
	NoRight     Right = "none"   // every person has it
	ReadRight   Right = "read"   // to read what a project has
	WriteRight  Right = "write"  // what issues:write allows
	ManageRight Right = "manage" // settings, keys, webhooks, source maps and approvals of a project
	SiteRight   Right = "site"   // for site admins alone
)

// ascendingRights are the rights, each with the lowest role that has it.
var ascendingRights = []struct {
	right Right
	role  TeamRole
}{
	{NoRight, ""}, {ReadRight, RoleViewer}, {WriteRight, RoleMember}, {ManageRight, RoleAdmin}, {SiteRight, "site_admin"},
}

// rightsOfRoles is the right of each role in the projects of its team.
var rightsOfRoles = map[TeamRole]Right{
	RoleOwner: ManageRight, RoleAdmin: ManageRight, RoleDeveloper: WriteRight, RoleMember: WriteRight, RoleViewer: ReadRight,
}

// rightsOfPeople is the right that an operation requires of a person. An operation without an entry gets its right from its scope:
// issues:read gives ReadRight, issues:write gives WriteRight, any other SiteRight. A list shows only projects where the person has it.
var rightsOfPeople = map[*Operation]Right{
	Whoami.Operation:           NoRight,
	GetAccount.Operation:       NoRight,
	UpdateAccount.Operation:    NoRight,
	ListSessions.Operation:     NoRight,
	EndSession.Operation:       NoRight,
	EndOtherSessions.Operation: NoRight,

	ListActivity.Operation:     ReadRight,
	ListFixOutcomes.Operation:  ReadRight,
	ListLabels.Operation:       ReadRight,
	GetSetupGuide.Operation:    ReadRight,
	ListProjectTeams.Operation: ReadRight, // of the own teams, unless the person is a site admin

	UpdateProject.Operation:       ManageRight,
	TryScrubbing.Operation:        ManageRight,
	CreateProjectKey.Operation:    ManageRight,
	DeleteProjectKey.Operation:    ManageRight,
	CreateDeploy.Operation:        ManageRight,
	UploadSourceMap.Operation:     ManageRight,
	DeleteSourceMap.Operation:     ManageRight,
	CreateWebhook.Operation:       ManageRight, // in one project; a webhook for all projects belongs to the installation
	ListWebhooks.Operation:        ManageRight,
	DeleteWebhook.Operation:       ManageRight,
	TestWebhook.Operation:         ManageRight,
	ListDeliveries.Operation:      ManageRight,
	ResendDelivery.Operation:      ManageRight,
	RotateWebhookSecret.Operation: ManageRight,
	ListApprovals.Operation:       ManageRight,
	CountApprovals.Operation:      ManageRight,
	ApproveRequest.Operation:      ManageRight, // the person also needs the right for the held action
	RejectRequest.Operation:       ManageRight,

	CreateProject.Operation:    SiteRight,
	DeleteProject.Operation:    SiteRight,
	CreateToken.Operation:      SiteRight,
	ListTokens.Operation:       SiteRight,
	RevokeToken.Operation:      SiteRight,
	ListPeople.Operation:       SiteRight,
	InvitePerson.Operation:     SiteRight,
	UpdatePerson.Operation:     SiteRight,
	DeletePerson.Operation:     SiteRight,
	CreatePersonLink.Operation: SiteRight,
	CreateAPIKey.Operation:     SiteRight,
	ListAPIKeys.Operation:      SiteRight,
	RevokeAPIKey.Operation:     SiteRight,
	CreateSetupKey.Operation:   SiteRight,
	ListSetupKeys.Operation:    SiteRight,
	RevokeSetupKey.Operation:   SiteRight,
	RegisterApp.Operation:      SiteRight,
	CreateAgentToken.Operation: SiteRight,
	SendTestEvent.Operation:    SiteRight,
	ReportSetupStep.Operation:  SiteRight,
	GetSetupProgress.Operation: SiteRight,
	GetServer.Operation:        SiteRight,
	ExamineServer.Operation:    SiteRight,
}

// ofInstallation are the operations that belong to no project. A token that is limited to its project may call none of them.
var ofInstallation = map[*Operation]bool{
	CreateProject.Operation: true, CreateToken.Operation: true, ListTokens.Operation: true, RevokeToken.Operation: true,
	ListPeople.Operation: true, InvitePerson.Operation: true, UpdatePerson.Operation: true, DeletePerson.Operation: true,
	CreatePersonLink.Operation: true,
	CreateAPIKey.Operation:     true, ListAPIKeys.Operation: true, RevokeAPIKey.Operation: true,
	CreateSetupKey.Operation: true, ListSetupKeys.Operation: true, RevokeSetupKey.Operation: true, RegisterApp.Operation: true,
	CreateAgentToken.Operation: true,
	GetServer.Operation:        true, ExamineServer.Operation: true,
}

// Right returns the right that the operation requires of a person.
func (o *Operation) Right() Right {
	right, isListed := rightsOfPeople[o]
	switch {
	case isListed:
		return right
	case o.Scope == IssuesRead:
		return ReadRight
	case o.Scope == IssuesWrite:
		return WriteRight
	default:
		return SiteRight // without a rule, only site admins may
	}
}

// rank returns the position of the right in ascending order. An unknown right is below all.
func (r Right) rank() int {
	for i, known := range ascendingRights {
		if known.right == r {
			return i
		}
	}
	return -1
}

// includes reports whether the right includes the other one.
func (r Right) includes(other Right) bool { return r.rank() >= other.rank() }

// refusal returns the error for a person without the right: forbidden, with the lowest role that has it.
func (r Right) refusal() *Error {
	return NewError(Forbidden).With("required_role", ascendingRights[max(r.rank(), 0)].role)
}

// Rights are what a person may do.
type Rights struct {
	IsSiteAdmin bool
	projects    map[int64]Right // the highest right in each project; a project without an entry is invisible to the person
}

// AddRole adds the role of a person in a team that has the project.
func (r *Rights) AddRole(project int64, role TeamRole) {
	right, isKnown := rightsOfRoles[role]
	if !isKnown || r.projects[project].includes(right) {
		return
	}
	if r.projects == nil {
		r.projects = map[int64]Right{}
	}
	r.projects[project] = right
}

// HaveSomewhere reports whether the person has the right in some project. People without projects have ReadRight,
// since there is nothing to see.
func (r *Rights) HaveSomewhere(right Right) bool {
	if r.IsSiteAdmin || ReadRight.includes(right) {
		return true
	}
	for _, has := range r.projects {
		if has.includes(right) {
			return true
		}
	}
	return false
}

// NewUserActor makes the actor of a person. Its scopes are those that a token would need for the rights that the
// person has in any project.
func NewUserActor(id int64, email string, rights Rights) Actor {
	actor := Actor{Type: ActorUser, ID: OptInt(id), Name: email, Scopes: List[Scope]{IssuesRead}, Rights: rights}
	switch {
	case rights.IsSiteAdmin:
		actor.Scopes = List[Scope]{Admin}
	case rights.HaveSomewhere(WriteRight):
		actor.Scopes = append(actor.Scopes, IssuesWrite)
	}
	return actor
}

// MayIn reports whether the actor, a person, has the right in the project. Pages leave out what would be refused.
func (a Actor) MayIn(project int64, right Right) bool {
	return a.Rights.IsSiteAdmin || a.Rights.projects[project].includes(right)
}

// IsAdminOf reports whether the actor is an admin of the installation, or a person with ManageRight in the project.
func (a Actor) IsAdminOf(project int64) bool {
	return a.Has(Admin) || a.Rights.projects[project].includes(ManageRight)
}

// sortedProjects returns the projects where the right includes least: an empty list if there are none, never nil.
func sortedProjects(rights map[int64]Right, least Right) []int64 {
	projects := []int64{}
	for _, project := range slices.Sorted(maps.Keys(rights)) {
		if rights[project].includes(least) {
			projects = append(projects, project)
		}
	}
	return projects
}
