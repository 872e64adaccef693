package web

import (
	"net/url"

	"errand/core"
)

// fixesShown is how many fixes a list of the page of the agents shows.
const fixesShown = 10

// fixRow is a fix with its issue, and what is to be known of it.
type fixRow struct {
	Path   string
	Title  core.Untrusted
	Who    any
	Remark any
	At     moment
}

// listUnseen returns the open fixes that wait for something that will not come by itself: no deploy names them though their error goes
// on, or no event names the release that brought them.
func (v *visit) listUnseen(open []core.ListedFix) []fixRow {
	var rows []fixRow
	for i := range open {
		fix := &open[i].Fix
		remark := ""
		switch {
		case fix.Overdue != nil:
			remark = "No deploy names it, and newer releases had " + writePlural(fix.Overdue.Events, "event", "events") +
				". Report deploys with their commits."
		case len(fix.UnknownReleases) > 0:
			remark = "No event names its release " + string(fix.Release) + ", but events name " + string(fix.UnknownReleases[0]) + "."
		default:
			continue
		}
		rows = append(rows, v.makeFixRow(&open[i], remark, fix.LinkedAt))
	}
	return rows[:min(len(rows), fixesShown)]
}

// listReturned returns the fixes whose error came back.
func (v *visit) listReturned(returned []core.ListedFix) []fixRow {
	rows := make([]fixRow, 0, len(returned))
	for i := range returned {
		remark := "It came back."
		if in := returned[i].Fix.RegressedIn; in != "" {
			remark = "It came back in " + string(in) + "."
		}
		rows = append(rows, v.makeFixRow(&returned[i], remark, returned[i].Fix.RegressedAt))
	}
	return rows
}

func (v *visit) makeFixRow(f *core.ListedFix, remark string, at core.Time) fixRow {
	who := f.Fix.LinkedBy
	if f.Worker != "" {
		who = string(f.Worker)
	}
	return fixRow{issueAddress{f.IssueID, nil}.path(""), f.Title, describeFix(&f.Fix) + " by " + who, remark, v.at(at)}
}

// addressOf returns a path with fields, as name, value; empty ones are left out.
func addressOf(path string, fields ...string) string {
	query := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i+1] != "" {
			query.Set(fields[i], fields[i+1])
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}
