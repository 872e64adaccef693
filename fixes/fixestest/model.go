// Package fixestest implements the rules of decisions 6 for fixes in a slow way that is easy to check, for tests to compare with.
package fixestest

import (
	"slices"
	"strings"
	"time"

	"errand/fixes"
)

// shortestCommit is the length of the shortest SHA.
const shortestCommit = 7

// FindFirstDeploy returns the index of the first deploy that brings the commit of a fix; -1 for none. The deploys have full SHAs.
func FindFirstDeploy(commit string, deploys []fixes.Deploy) int {
	return slices.IndexFunc(deploys, func(d fixes.Deploy) bool {
		return slices.ContainsFunc(append([]string{d.Commit}, d.Commits...), func(c string) bool { return strings.HasPrefix(c, commit) })
	})
}

// IsReturn reports whether an event shows that an error is still there, though the deploy at the index place brought its fix. The
// deploys are in order, and have full SHAs.
func IsReturn(e fixes.Event, place int, deploys []fixes.Deploy) bool {
	first := deploys[place]
	if !e.At.After(first.At) {
		return false
	}
	if e.Release == "" {
		return e.At.Sub(first.At) >= 10*time.Minute && (e.Environment == "" || e.Environment == first.Environment)
	}
	if namesOfDeploy(first, deploys)[e.Release] {
		return true
	}
	firstOfRelease := slices.IndexFunc(deploys, func(d fixes.Deploy) bool {
		return d.Environment == first.Environment && namesOfDeploy(d, deploys)[e.Release]
	})
	return firstOfRelease > place
}

// namesOfDeploy returns all names that an event can use for the deploy's release.
func namesOfDeploy(d fixes.Deploy, deploys []fixes.Deploy) map[string]bool {
	names := map[string]bool{d.Release: true}
	for length := shortestCommit; length <= len(d.Commit); length++ {
		names[d.Commit[:length]] = true
	}
	for _, other := range deploys {
		if other.Commit == d.Commit {
			names[other.Release] = true
		}
	}
	return names
}
