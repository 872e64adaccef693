// Package manage is the catalogue of the management API at /api/v1: its nouns, operations, permissions and errors. An app is a project, a
// problem an issue, a notice a stored event (decisions 12). The shapes are the ones that clients of that API know.
package manage

import (
	"fmt"
	"slices"
	"strings"

	"errand/core"
)

// The permissions that an API key can have (management API, Authentication).
const (
	AppsRead      core.Scope = "apps:read"
	AppsWrite     core.Scope = "apps:write"
	ProblemsRead  core.Scope = "problems:read"
	ProblemsWrite core.Scope = "problems:write"
	NoticesRead   core.Scope = "notices:read"
	TagsRead      core.Scope = "tags:read"
	TagsWrite     core.Scope = "tags:write"
	TeamsRead     core.Scope = "teams:read"
	TeamsWrite    core.Scope = "teams:write"
	UsersRead     core.Scope = "users:read"
	UsersWrite    core.Scope = "users:write"
)

var permissions = core.KeyPermissions

// AllPermissions returns all permissions, in the order of the table.
func AllPermissions() []core.Scope { return slices.Clone(permissions) }

// ReadPermissions returns the permissions that the words name, each once, in the order of the table. It refuses
// unknown words, and an empty list.
func ReadPermissions(words []string) ([]core.Scope, error) {
	var known []core.Scope
	for _, permission := range permissions {
		if slices.Contains(words, string(permission)) {
			known = append(known, permission)
		}
	}
	for _, word := range words {
		if !slices.Contains(permissions, core.Scope(word)) {
			return nil, core.RefuseField("permission", "%q is not a permission: these are %s", word, ListPermissions())
		}
	}
	if known == nil {
		return nil, core.RefuseField("permission", "must name at least one of %s", ListPermissions())
	}
	return known, nil
}

// ListPermissions returns all permissions as one text, such as "apps:read, apps:write".
func ListPermissions() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(permissions), " ", ", "), "[]")
}
