package fixes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/fixes"
)

// history is a repository as in git: the parents of each commit, which come before it.
type history [][]int

func drawHistory(r *rapid.T) history {
	h := history{nil}
	for n := range rapid.IntRange(1, 12).Draw(r, "commits") {
		parents := []int{rapid.IntRange(0, n).Draw(r, "parent")}
		if rapid.IntRange(0, 3).Draw(r, "merges") == 0 {
			parents = append(parents, rapid.IntRange(0, n).Draw(r, "other"))
		}
		h = append(h, parents)
	}
	return h
}

// has reports whether a commit contains another: it is the same, or a parent contains it.
func (h history) has(commit, other int) bool {
	return commit == other || slices.ContainsFunc(h[commit], func(parent int) bool { return h.has(parent, other) })
}

func shaOf(commit int) string { return fmt.Sprintf("%040x", commit+1) }

// report makes a push of a branch from a commit to a descendant, in GitHub's form.
func (h history) report(from, to int, known []bool) fixes.Push {
	push := fixes.Push{Before: shaOf(from), After: strings.ToUpper(shaOf(to))}
	for commit := range h {
		if !h.has(to, commit) || h.has(from, commit) {
			continue
		}
		message := "Change"
		if len(h[commit]) > 1 {
			message = "Merge branch"
		}
		push.Commits = append(push.Commits, fixes.PushedCommit{SHA: shaOf(commit), Message: message, WasPushed: known[commit]})
	}
	return push
}

func TestStepsAreOfTheHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		h := drawHistory(r)
		to := rapid.IntRange(0, len(h)-1).Draw(r, "to")
		from := rapid.IntRange(0, to).Draw(r, "from")
		known := make([]bool, len(h))
		for i := range known {
			known[i] = rapid.Bool().Draw(r, "known")
		}
		if !h.has(to, from) {
			r.Skip("a forced push")
		}
		push := h.report(from, to, known)

		steps := push.ListSteps()

		reached := map[string]bool{shaOf(to): true}
		for range steps {
			for _, s := range steps {
				reached[s.Before] = reached[s.Before] || reached[s.Commit]
			}
		}
		for commit := range h {
			for before := range h {
				if slices.Contains(steps, fixes.Step{Commit: shaOf(commit), Before: shaOf(before)}) {
					require.True(r, h.has(commit, before), "%d does not have %d", commit, before)
				}
			}
			if h.has(to, commit) && !h.has(from, commit) || commit == from {
				require.True(r, reached[shaOf(commit)], "the newest has %d", commit)
			}
		}
	})
}

func TestStepsOfBrokenReports(t *testing.T) {
	t.Parallel()
	none := strings.Repeat("0", 40)
	fix := fixes.PushedCommit{SHA: fixCommit}
	for name, test := range map[string]struct {
		push fixes.Push
		want []fixes.Step
	}{
		"nothing":            {fixes.Push{}, nil},
		"a deleted branch":   {fixes.Push{Before: oldCommit, After: none}, nil},
		"a new branch":       {fixes.Push{Before: none, After: fixCommit, Commits: []fixes.PushedCommit{fix}}, nil},
		"no commits":         {fixes.Push{After: fixCommit}, nil},
		"not a commit":       {fixes.Push{Before: "main", After: fixCommit, Commits: []fixes.PushedCommit{{SHA: "x"}, fix}}, nil},
		"to itself":          {fixes.Push{Before: fixCommit, After: fixCommit}, nil},
		"without the newest": {fixes.Push{After: oldCommit, Commits: []fixes.PushedCommit{fix}}, []fixes.Step{{oldCommit, fixCommit}}},
		"without a beginning": {fixes.Push{After: fixCommit, Commits: []fixes.PushedCommit{{SHA: oldCommit}, fix}},
			[]fixes.Step{{fixCommit, oldCommit}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			require.Equal(t, test.want, test.push.ListSteps())
		})
	}
	many := fixes.Push{After: fixCommit, Commits: slices.Repeat([]fixes.PushedCommit{{SHA: oldCommit}}, 5000)}
	require.Len(t, many.ListSteps(), 2048)
}
