package fixes

import "errand/core"

// IsReleaseWithFix reports whether the release with that name contains the fix that a deploy brought first. These are the
// deploy's own release, and each release that was first deployed to the same environment later. An old release that is deployed
// again does not contain it, and a release that was never deployed there is not known to contain it.
//
// The SHA of a deploy's commit can also name a release: 1.4.0 and its commit are one release. Names are stored ones
// (core.StoreName). The deploys may leave out those that share neither the name nor a commit with the release.
func IsReleaseWithFix(name string, first Deploy, deploys []Deploy) bool {
	commits := commitsOfRelease(name, deploys)
	if isOneOf(first, name, commits) {
		return true
	}
	later := false
	for _, d := range deploys {
		switch {
		case !core.IsSameName(d.Environment, first.Environment) || !isOneOf(d, name, commits):
		case d.Number < first.Number:
			return false
		default:
			later = true
		}
	}
	return later
}

// commitsOfRelease returns the commits that identify a release: the commits of its deploys, and its name.
func commitsOfRelease(name string, deploys []Deploy) []string {
	commits := []string{name}
	for _, d := range deploys {
		if core.IsSameName(d.Release, name) {
			commits = append(commits, d.Commit)
		}
	}
	return commits
}

// isOneOf reports whether a deploy belongs to the release with that name and those commits.
func isOneOf(d Deploy, name string, commits []string) bool {
	if core.IsSameName(d.Release, name) {
		return true
	}
	if digest := core.CommitDigestOf(name); digest != "" && len(d.Commit) >= PrefixLength && digest == core.DigestCommit(d.Commit) {
		return true
	}
	for _, commit := range commits {
		if IsSameCommit(d.Commit, commit) {
			return true
		}
	}
	return false
}
