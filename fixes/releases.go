package fixes

import "errand/core"

// IsReleaseWithFix reports whether the release of that name contains the fix that a deploy brought first. That is the
// deploy's own release, and each whose first deploy to the same environment came later. An old release that is deployed
// again does not contain it, and one that was never deployed there is not known to.
//
// A release can also be named by the SHA of a deploy's commit: 1.4.0 and the commit from which it was made are one release.
// Names are stored ones (core.StoreName). Deploys that share neither the name nor a commit with it may be left out of the deploys.
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

// commitsOfRelease returns the commits by which a release is known: those of its deploys, and its name.
func commitsOfRelease(name string, deploys []Deploy) []string {
	commits := []string{name}
	for _, d := range deploys {
		if core.IsSameName(d.Release, name) {
			commits = append(commits, d.Commit)
		}
	}
	return commits
}

// isOneOf reports whether a deploy is one of the release with that name and those commits.
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
