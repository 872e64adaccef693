package manage

import (
	"slices"

	"errand/core"
)

// Path is the path of the management API.
const Path = "/api/v1"

// KeyHeader is the header that carries an API key (management API, Authentication).
const KeyHeader = "Service-API-Key"

// resources are the operations by resource, in the order of display.
var resources = []struct {
	name       string
	operations []*core.Operation
}{
	{"health", healthOperations},
	{"apps", appOperations},
	{"problems", problemOperations},
	{"notices", noticeOperations},
	{"tags", tagOperations},
	{"teams", teamOperations},
	{"members", memberOperations},
	{"team apps", teamAppOperations},
	{"users", userOperations},
}

// V1 is the catalogue of the management API at /api/v1.
var V1 = newCatalogue()

func newCatalogue() *core.Catalogue {
	var operations []*core.Operation
	for _, resource := range resources {
		operations = append(operations, resource.operations...)
	}
	return core.NewCatalogue(forms, operations)
}

// ResourceOf returns the resource of the operation, such as apps.
func ResourceOf(op *core.Operation) string {
	for _, resource := range resources {
		if slices.Contains(resource.operations, op) {
			return resource.name
		}
	}
	return ""
}

// CodesOf returns the codes of all errors that the operation answers, as clients see them.
func CodesOf(op *core.Operation) []core.Code {
	if op.Scope == core.NoToken {
		return []core.Code{core.Internal}
	}
	codes := append(op.AllErrors(), core.Forbidden, core.Limit, ValidationFailed)
	codes = slices.DeleteFunc(codes, func(code core.Code) bool {
		return code == core.InvalidRequest || code == core.PayloadTooLarge && !op.HasBody()
	})
	slices.Sort(codes)
	return slices.Compact(codes)
}

// PermissionOf returns the permission that the operation needs, regardless of when it asks for it; core.NoToken for none.
func PermissionOf(op *core.Operation) core.Scope {
	if after := PermissionAfter(op); after != "" {
		return after
	}
	return op.Scope
}

// FindWrapper returns the key that may wrap a body of the operation, such as app; empty for none.
func FindWrapper(op *core.Operation) string { return wrappers[op] }

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

// PermissionAfter returns the permission that an operation asks for only after it has found what its path names. It
// is empty for an operation that asks first, by its Scope (management API, 1.1).
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
