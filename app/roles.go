package app

import (
	"fmt"
	"slices"
	"strings"
)

// role is a part of the work that a server does (decisions 2).
type role string

const (
	roleIngest role = "ingest" // takes events in
	roleAPI    role = "api"    // REST below /v1, with its document and its page
	roleMCP    role = "mcp"    // the tools for agents
	roleWeb    role = "web"    // pages for people
	roleWorker role = "worker" // background jobs
)

var allRoles = []role{roleIngest, roleAPI, roleMCP, roleWeb, roleWorker}

// parseRoles reads ROLES: all, or a comma-separated list.
func parseRoles(text string) ([]role, error) {
	if text = strings.ToLower(strings.TrimSpace(text)); text == "" || text == "all" {
		return allRoles, nil
	}
	var roles []role
	for word := range strings.SplitSeq(text, ",") {
		r := role(strings.TrimSpace(word))
		if !slices.Contains(allRoles, r) {
			return nil, fmt.Errorf("ROLES must be all or a comma list of ingest, api, mcp, web, worker: %q is none of them", string(r))
		}
		roles = append(roles, r)
	}
	return roles, nil
}

// hasRole reports whether the server has the role. FillDefaults has read ROLES.
func (c *Config) hasRole(r role) bool { return slices.Contains(c.parsedRoles, r) }
