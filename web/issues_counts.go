package web

import "errand/core"

// maxHours is of how many issues the hours are asked for at once (GET /v1/issues/hours).
const maxHours = 50

// countIssues counts the issues of each status under the filters of the list.
func (v *visit) countIssues(list issueList) (core.IssueCounts, error) {
	found, err := callOperation(v, core.CountIssues, list.args())
	return found.Data, err
}

// listFilterValues returns the environments and releases that the list can be narrowed to.
func (v *visit) listFilterValues(list issueList) (core.FilterValues, error) {
	args := map[string]any{}
	if project := list.filters["project"]; project != "" {
		args["project"] = project
	}
	found, err := callOperation(v, core.ListFilterValues, args)
	return found.Data, err
}

// findHours returns the events of each hour of the last day, by issue.
func (v *visit) findHours(issues []core.ListedIssue) (map[int64][]int64, error) {
	ids := make([]int64, min(len(issues), maxHours))
	if len(ids) == 0 {
		return nil, nil
	}
	for i := range ids {
		ids[i] = issues[i].ID
	}
	found, err := callOperation(v, core.GetIssueHours, map[string]any{"ids": ids})
	hours := make(map[int64][]int64, len(ids))
	for _, issue := range found.Data.Issues {
		hours[issue.ID] = issue.Events
	}
	return hours, err
}
