package web

import (
	"fmt"

	"errand/core"
)

// The fields of the form that merges issues.
const (
	targetField = "target"
	sourceField = "source_ids"
)

// maxMerged is how many issues are merged at once: a target and 10 sources (POST /v1/issues/:id/merge).
const maxMerged = 11

// mergeForm is what the page shows that asks before issues are merged.
type mergeForm struct {
	Problem string
	Back    string
	First   int64 // the only issue that is named yet; 0 otherwise
	Issues  []mergeChoice
	Told    string // what it would do
}

// mergeChoice is an issue that may become the target.
type mergeChoice struct {
	Row      issueRow
	IsChosen bool
}

// showMerge says what merging the selected issues would do.
func (s *Site) showMerge(v *visit) error {
	query := v.r.URL.Query()
	form := mergeForm{Back: localPath(query.Get(returnField))}
	ids, err := readIDs(query[idField])
	switch {
	case err != nil:
		return err
	case len(ids) == 1:
		return v.askSecond(form, ids[0])
	case len(ids) < 2 || len(ids) > maxMerged:
		form.Problem = fmt.Sprintf("Select 2 to %d issues of one project to merge them.", maxMerged)
		return v.show("issues_merge", "Merge issues", form)
	}
	var events int64
	project, chosen := "", 0
	for i, id := range ids {
		issue, err := v.readWritable(id)
		if err != nil {
			return err
		}
		row := v.makeIssueRow(&issue.Issue)
		form.Issues = append(form.Issues, mergeChoice{Row: row})
		events += issue.TimesSeen
		if row.Events > form.Issues[chosen].Row.Events {
			chosen = i
		}
		if project != "" && project != issue.Project {
			form.Problem = "Issues of different projects cannot be merged."
		}
		project = issue.Project
	}
	form.Issues[chosen].IsChosen = true
	form.Told = fmt.Sprintf("The issue that stays then has all %s, and the later ones of the others go there too. Merging cannot be undone "+
		"as a whole: events are split off again one by one.", writePlural(events, "event", "events"))
	return v.show("issues_merge", "Merge issues", form)
}

// askSecond asks for the issue with which to merge the one that is named.
func (v *visit) askSecond(form mergeForm, id int64) error {
	issue, err := v.readWritable(id)
	if err != nil {
		return err
	}
	form.First, form.Issues = id, []mergeChoice{{v.makeIssueRow(&issue.Issue), true}}
	form.Told = fmt.Sprintf("Select 2 to %d issues of one project in the list, or name the other one here. Its number stands in its "+
		"address.", maxMerged)
	return v.show("issues_merge", "Merge issues", form)
}

// takeMerge merges the issues into the one that was chosen.
func (s *Site) takeMerge(v *visit) error {
	target, err := readIDs(v.r.PostForm[targetField])
	if err != nil || len(target) != 1 {
		return core.RefuseField(targetField, "must name the issue that stays")
	}
	ids, err := readIDs(v.r.PostForm[sourceField])
	if err != nil {
		return err
	}
	var sources []int64
	for _, id := range ids {
		if id != target[0] {
			sources = append(sources, id)
		}
	}
	back := localPath(v.r.PostForm.Get(returnField))
	return v.act(core.MergeIssues.Operation, map[string]any{"id": target[0], "source_ids": sources}, back,
		flash{Text: fmt.Sprintf("%s merged into issue %d.", writePlural(len(sources), "issue is", "issues are"), target[0])})
}
