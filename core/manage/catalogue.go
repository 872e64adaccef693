package manage

import "errand/core"

// V1 is the catalogue of the management API at /api/v1.
var V1 = core.NewCatalogue(forms,
	healthOperations,
	appOperations,
	problemOperations,
	noticeOperations,
	tagOperations,
	teamOperations,
	teamAppOperations,
	memberOperations,
	userOperations,
)

// Wrapper returns the key in which a body of the operation may stand, such as app; empty for none.
func Wrapper(op *core.Operation) string { return wrappers[op] }

// wrappers are the operations whose bodies may be wrapped: {"app": {"name": ...}} is {"name": ...}.
var wrappers = map[*core.Operation]string{
	CreateApp.Operation: "app",
	UpdateApp.Operation: "app",
	AssignApp.Operation: "app",

	CreateTeam.Operation: "team",
	UpdateTeam.Operation: "team",

	CreateUser.Operation: "user",
	UpdateUser.Operation: "user",
}

// PermissionAfter returns the permission that an operation asks for only when what its path names is there; empty for an operation
// that asks first, by its Scope (management API, 1.1).
func PermissionAfter(op *core.Operation) core.Scope { return permissionsAfter[op] }

var permissionsAfter = map[*core.Operation]core.Scope{
	ListProblems.Operation:     ProblemsRead,
	GetProblem.Operation:       ProblemsRead,
	ResolveProblem.Operation:   ProblemsWrite,
	UnresolveProblem.Operation: ProblemsWrite,
	ResolveProblems.Operation:  ProblemsWrite,
	ListNotices.Operation:      NoticesRead,
	GetNotice.Operation:        NoticesRead,
	ListTags.Operation:         TagsRead,
	AddTag.Operation:           TagsWrite,
	RemoveTag.Operation:        TagsWrite,

	GetTeam.Operation:      TeamsRead,
	UpdateTeam.Operation:   TeamsWrite,
	DeleteTeam.Operation:   TeamsWrite,
	ListTeamApps.Operation: TeamsRead,
	AssignApp.Operation:    TeamsWrite,
	UnassignApp.Operation:  TeamsWrite,
	ListMembers.Operation:  TeamsRead,
	AddMember.Operation:    TeamsWrite,
	UpdateMember.Operation: TeamsWrite,
	RemoveMember.Operation: TeamsWrite,

	GetUser.Operation:    UsersRead,
	UpdateUser.Operation: UsersWrite,
	DeleteUser.Operation: UsersWrite,
}
