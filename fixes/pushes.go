package fixes

import "strings"

// Push is a push to a branch, as source control reports it.
type Push struct {
	Before  string         // the branch before, an ancestor of After; empty when the branch did not exist, or was moved elsewhere
	After   string         // the branch now
	Commits []PushedCommit // the newest last
}

// PushedCommit is a commit that a push brought to its branch.
type PushedCommit struct {
	SHA       string
	Message   string
	WasPushed bool // it was already on another branch
}

// Step says that a commit comes after another: everything with the commit also has the one before it.
type Step struct{ Commit, Before string }

// maxSteps is how many commits of one push count. GitHub reports no more.
const maxSteps = 2048

// ListSteps returns the order of commits in a push. In a push without merges each comes after the one before it. A push with
// merges only shows that all commits are in the branch's new head, because a report does not name parents.
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

// findLine returns the commits of a push without merges, the oldest first, nil when it may have merges. Commits of another branch
// among new ones came by a merge, even if no message says so.
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
		return nil
	}
	return line
}

// isNone reports whether a SHA stands for a branch that does not exist.
func isNone(commit string) bool { return strings.Trim(commit, "0") == "" }
