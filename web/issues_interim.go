package web

import "errand/core"

// issueCounts are how many issues each tab has.
type issueCounts struct {
	Open, Unresolved, Regressed, FixPending, Verified, Resolved, Ignored, Merged int64

	IsKnown  bool
	Complete bool // false when there are more
	Hidden   struct{ Test int64 }
}

func (v *visit) countIssues(issueList) (issueCounts, error) { return issueCounts{Complete: true}, nil }

// listEnvironments returns the environments that the list can be narrowed to.
func (v *visit) listEnvironments(issueList) ([]core.Untrusted, error) { return nil, nil }

// findHours returns the events of each hour of the last day, by issue.
func (v *visit) findHours([]core.ListedIssue) (map[int64][]int64, error) { return nil, nil }
