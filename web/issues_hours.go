package web

import "errand/core"

// makeIssueRows makes the rows of issues, with their hours.
func (v *visit) makeIssueRows(issues []core.ListedIssue) ([]issueRow, error) {
	hours, err := v.findHours(issues)
	if err != nil {
		return nil, err
	}
	rows := make([]issueRow, len(issues))
	for i := range issues {
		rows[i] = v.makeIssueRow(&issues[i].Issue)
		if counts, isThere := hours[issues[i].ID]; isThere {
			spark := newSpark(counts)
			rows[i].Spark = &spark
		}
	}
	return rows, nil
}
