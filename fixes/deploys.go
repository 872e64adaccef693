package fixes

import (
	"slices"
	"time"
)

// Deploy is a deploy as the rules see it.
type Deploy struct {
	Number      int64 // its place in the order of the project's deploys
	Release     string
	Environment string
	Commit      string
	At          time.Time

	// Its content besides its commit; only Contains needs it.

	Commits      []string
	PullRequests []string // in the form of ParsePullRequest
}

// Link identifies a fix: by its commit or its pull request and, when the pull request is merged, by the merge commit, because a
// squash may have replaced the commits of its branch.
type Link struct {
	Commit      string
	PullRequest string
	MergeCommit string
}

// Contains reports whether the deploy brings the fix.
func (d Deploy) Contains(link Link) bool {
	return d.hasCommit(link.Commit) || d.hasCommit(link.MergeCommit) ||
		link.PullRequest != "" && slices.Contains(d.PullRequests, link.PullRequest)
}

func (d Deploy) hasCommit(commit string) bool {
	return IsSameCommit(d.Commit, commit) || slices.ContainsFunc(d.Commits, func(c string) bool { return IsSameCommit(c, commit) })
}
