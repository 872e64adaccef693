package fixes

import (
	"slices"
	"strings"
)

// Push is a push to a branch, as source control reports it.
type Push struct {
	Before  string // where the branch was, and After begins from; empty when it did not exist, or was moved elsewhere
	After   string // where the branch is
	Commits []PushedCommit
}

// PushedCommit is a commit that a push brought to its branch.
type PushedCommit struct {
	SHA       string
	Message   string
	WasPushed bool // it was there before, on another branch
}

// Step says that a commit comes after another: who has it has the one before it too.
type Step struct{ Commit, Before string }

// maxSteps is how many commits of one push count at most. GitHub reports no more.
const maxSteps = 2048

// ListSteps returns what a push says of the order of commits. In a push without merges each comes after the one before it. Of
// one with merges it is only known that all are in the commit to which the branch was moved: a report names no parents.
func (p Push) ListSteps() []Step {
	after := strings.ToLower(p.After)
	if !isCommit(after) || isNone(after) {
		return nil
	}
	var steps []Step
	add := func(commit, before string) {
		before = strings.ToLower(before)
		if isCommit(before) && !isNone(before) && before != commit {
			steps = append(steps, Step{commit, before})
		}
	}
	if line := p.findLine(after); line != nil {
		before := p.Before
		for _, commit := range line {
			add(commit, before)
			before = commit
		}
		return steps
	}
	add(after, p.Before)
	for _, c := range p.Commits[max(0, len(p.Commits)-maxSteps):] {
		add(after, c.SHA)
	}
	return steps
}

// findLine returns the commits of a push without merges, the oldest first, nil when it may have some. GitHub reports the newest
// last, Gitea first. Commits of another branch among new ones came by a merge, whatever its message says.
func (p Push) findLine(after string) []string {
	if len(p.Commits) == 0 || len(p.Commits) > maxSteps {
		return nil
	}
	line := make([]string, len(p.Commits))
	for i, c := range p.Commits {
		line[i] = strings.ToLower(c.SHA)
		if !isCommit(line[i]) || strings.HasPrefix(c.Message, "Merge ") || c.WasPushed != p.Commits[0].WasPushed {
			return nil
		}
	}
	if line[len(line)-1] != after {
		slices.Reverse(line)
	}
	if line[len(line)-1] != after {
		return nil
	}
	return line
}

// isNone reports whether a SHA stands for a branch that does not exist.
func isNone(commit string) bool { return strings.Trim(commit, "0") == "" }
