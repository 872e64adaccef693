package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"errand/core"
)

// The fields of the forms that change issues.
const (
	idField     = "id"
	actionField = "action"
)

// maxChanged is how many issues one form changes (POST /v1/issues/bulk).
const maxChanged = 100

// actionWords are the actions of the bar above the list, with the words for what they did.
var actionWords = map[string]string{"resolve": "resolved", "ignore": "ignored", "unresolve": "reopened", "claim": "claimed"}

// undoActions are the actions that bring a status back. Others come by themselves alone, such as regressed.
var undoActions = map[core.Status]string{
	core.Unresolved: "unresolve", core.Regressed: "unresolve", core.Resolved: "resolve", core.Ignored: "ignore",
}

// takeIssueChange changes the selected issues. The form of an undo has ids in fields that are called like the actions.
func (s *Site) takeIssueChange(v *visit) error {
	back := localPath(v.r.PostForm.Get(returnField))
	groups := map[string][]int64{}
	for action := range actionWords {
		field := action
		if v.r.PostForm.Get(actionField) == action {
			field = idField
		}
		ids, err := readIDs(v.r.PostForm[field])
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			groups[action] = ids
		}
	}
	if !v.may(core.WriteRight) { // else the message is about single issues
		return core.ResolveIssue.Operation.AuthorizeActor(v.actor)
	}
	if len(groups) == 0 {
		return v.redirectWith(back, flash{Kind: kindBad, Text: "Nothing was done: select an issue first."})
	}
	var total changed
	for action, ids := range groups {
		if err := v.changeIssues(action, ids, &total); err != nil {
			return err
		}
	}
	said := flash{Text: total.describe()}
	if total.count == 0 {
		said.Kind = kindBad
		if total.held > 0 {
			said.Kind = kindWarn
		}
	}
	if total.relink != nil && v.r.PostForm.Has(actionField) {
		total.relink.Fields.Set(returnField, back)
		said.Undo = total.relink
	}
	if len(total.undo) > 0 && v.r.PostForm.Has(actionField) { // an undo is not undone
		total.undo.Set(returnField, back)
		said.Undo = &undo{Path: changeIssuesPath, Fields: total.undo}
	}
	return v.redirectWith(back, said)
}

// readIDs reads the ids of a form, each once.
func readIDs(texts []string) ([]int64, error) {
	var ids []int64
	seen := map[int64]bool{}
	for _, text := range texts {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id < 1 {
			return nil, core.NewError(core.NotFound)
		}
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	if len(ids) > maxChanged {
		return nil, core.RefuseField(idField, "must name at most %d issues", maxChanged)
	}
	return ids, nil
}

// changed is what became of the issues of a form.
type changed struct {
	count, held int
	words       []string // as "3 resolved"
	refused     []string // why, each reason once
	refusedOnes int
	undo        url.Values
	withoutFix  int   // that an undo brings back without their open fix
	relink      *undo // links the open fix again instead
}

// add counts issues that were changed.
func (c *changed) add(n int, action string) {
	if n > 0 {
		c.count += n
		c.words = append(c.words, fmt.Sprintf("%s %s", writeCount(n), actionWords[action]))
	}
}

// refuse counts an issue that was not changed.
func (c *changed) refuse(reason string) {
	c.refusedOnes++
	for _, known := range c.refused {
		if known == reason {
			return
		}
	}
	c.refused = append(c.refused, reason)
}

// addUndo has an undo give an issue its status back.
func (c *changed) addUndo(action string, id int64) {
	if c.undo == nil {
		c.undo = url.Values{}
	}
	c.undo.Add(action, strconv.FormatInt(id, 10))
}

// describe says what became of the issues.
func (c *changed) describe() string {
	var sentences []string
	if len(c.words) > 0 {
		sentences = append(sentences, strings.Join(c.words, ", ")+".")
	}
	if c.held > 0 {
		sentences = append(sentences, writePlural(c.held, "waits", "wait")+" for the approval of a second admin.")
	}
	if c.withoutFix > 0 {
		sentences = append(sentences, "Undo reopens "+writePlural(c.withoutFix, "issue", "issues")+" without the fix that was linked.")
	}
	if c.refusedOnes > 0 {
		sentences = append(sentences, writeCount(c.refusedOnes)+" not: "+strings.Join(c.refused, " "))
	}
	if len(sentences) == 0 {
		return "Nothing had to be changed."
	}
	return strings.Join(sentences, " ")
}

// changeIssues runs an action on issues.
func (v *visit) changeIssues(action string, ids []int64, total *changed) error {
	if action == "claim" {
		return v.claimIssues(ids, total)
	}
	found, err := callOperation(v, core.ChangeIssues, map[string]any{"ids": ids, "action": action})
	if err != nil {
		return err
	}
	total.held += int(found.Data.Held)
	n := 0
	for _, issue := range found.Data.Issues {
		switch issue.Outcome {
		case core.BulkRefused:
			total.refuse(describeBulkRefusal(issue))
		case core.BulkChanged:
			n++
			if core.Status(issue.StatusBefore) == core.FixPending {
				if err := v.addUndoOfFix(issue.ID, len(ids) == 1, total); err != nil {
					return err
				}
			} else if back := undoActions[core.Status(issue.StatusBefore)]; back != "" && back != action {
				total.addUndo(back, issue.ID)
			}
		}
	}
	total.add(n, action)
	return nil
}

// addUndoOfFix has an undo link the open fix of an issue again, or reopen one of several without it.
func (v *visit) addUndoOfFix(id int64, isAlone bool, total *changed) error {
	if isAlone {
		issue, err := v.readIssue(id)
		if err != nil {
			return err
		}
		if fix := issue.Fix; fix != nil {
			total.relink = &undo{Path: issueAddress{id, nil}.path("/fix"), Fields: url.Values{fixField: {string(fix.Commit) + string(fix.PRURL)}}}
			return nil
		}
	}
	total.withoutFix++
	total.addUndo("unresolve", id)
	return nil
}

// describeBulkRefusal says why one issue of several was not changed.
func describeBulkRefusal(issue core.ChangedIssue) string {
	if code := core.Code(issue.Error); code == core.NotFound {
		return describeRefusal(code)
	}
	return string(issue.Message)
}

// refuseFor counts an issue that was not changed for an error of its own; it returns any other error.
func (c *changed) refuseFor(err error) error {
	failure := core.AsError(err)
	switch {
	case failure.Status() >= http.StatusInternalServerError:
		return err
	case failure.Code == core.Claimed, failure.Code == core.Forbidden:
		c.refuse(describeFailure(failure))
	default:
		c.refuse(describeRefusal(failure.Code))
	}
	return nil
}

// describeRefusal says why one issue of several was not changed.
func describeRefusal(code core.Code) string {
	switch code {
	case core.NotFound:
		return "It is not there any more, or was merged."
	}
	return code.Info().Meaning
}

// claimIssues claims one issue after the other, for the time that the operation has by itself.
func (v *visit) claimIssues(ids []int64, total *changed) error {
	n := 0
	for _, id := range ids {
		_, err := callOperation(v, core.ClaimIssue, map[string]any{idField: id})
		if err == nil {
			n++
		} else if err := total.refuseFor(err); err != nil {
			return err
		}
	}
	total.add(n, "claim")
	return nil
}
