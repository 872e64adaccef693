package web

import (
	"fmt"

	"errand/core"
)

// issueSplitPath is where events of an issue are split off.
const issueSplitPath = "/issues/{id}/split"

// eventIDsField names the events to split off.
const eventIDsField = "event_ids"

// maxSplit is how many events are split off at once (POST /v1/issues/:id/split).
const maxSplit = 100

// splitForm is the page on which events are chosen.
type splitForm struct {
	ID      int64
	Path    string
	Problem string
	Title   core.Untrusted
	Events  []splitRow
	Pager   pager
}

// splitRow is an event that can be chosen.
type splitRow struct {
	core.EventRow
	At       moment
	Path     string
	IsChosen bool
}

// showSplit lists the stored events of an issue.
func (s *Site) showSplit(v *visit) error { return v.askSplit("", nil) }

// askSplit shows the form; one that was refused keeps its choice.
func (v *visit) askSplit(problem string, chosen []int64) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	args, cursor := map[string]any{"id": id, "limit": maxSplit}, v.r.URL.Query().Get("cursor")
	if cursor != "" {
		args["cursor"] = cursor
	}
	var issue core.IssueDetail
	var events core.Page[core.EventRow]
	err = runTogether(
		func() (err error) { issue, err = v.readChangeable(id); return err },
		func() (err error) { events, err = callOperation(v, core.ListIssueEvents, args); return err },
	)
	if err != nil {
		return err
	}
	at := issueAddress{id, nil}
	form := splitForm{ID: id, Path: at.path(""), Problem: problem, Title: issue.Title}
	for _, event := range events.Data {
		row := splitRow{EventRow: event, At: v.at(event.Timestamp), Path: at.path(fmt.Sprintf("?event=%d", event.ID))}
		for _, id := range chosen {
			row.IsChosen = row.IsChosen || id == event.ID
		}
		form.Events = append(form.Events, row)
	}
	form.Pager = pager{Shown: writePlural(len(events.Data), "stored event", "stored events"), OlderText: "Older"}
	if cursor != "" {
		form.Pager.First = at.path("/split")
	}
	if events.NextCursor != "" {
		form.Pager.Older = at.path("/split?cursor=" + string(events.NextCursor))
	}
	return v.show("issue_split", fmt.Sprintf("Split events off issue %d", id), form)
}

// takeSplit splits the chosen events off and leads to their new issue.
func (s *Site) takeSplit(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	chosen, err := readIDs(v.r.PostForm[eventIDsField])
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		return v.askSplit("Choose the events that are another problem.", nil)
	}
	made, err := callOperation(v, core.SplitIssue, map[string]any{"id": id, "event_ids": chosen})
	if problem, err := v.readProblem(err); err != nil || problem != "" {
		if err != nil {
			return err
		}
		return v.askSplit(problem, chosen)
	}
	return v.redirectWith(fmt.Sprintf("/issues/%d", made.Data.ID), flash{
		Text: fmt.Sprintf("%s split off issue %d to this new issue.", writePlural(len(chosen), "event is", "events are"), id),
	})
}
