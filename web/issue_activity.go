package web

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"errand/core"
)

// The forms about the activity of an issue.
const (
	notePath  = "/issues/{id}/notes"
	textField = "text"
)

// activityPart is what was done about an issue, newest first.
type activityPart struct {
	Story        []storyLine
	Older, First string // paths of other pages
}

// activityRows is how many rows a page of the activity has.
const activityRows = 30

// activityArgs are the arguments that ask for the activity.
func (a issueAddress) activityArgs() map[string]any {
	args := map[string]any{"id": a.id, "limit": activityRows}
	if cursor := a.query.Get(activityField); cursor != "" {
		args["cursor"] = cursor
	}
	return args
}

// newestOf returns the id of the first row of a page; 0 without one.
func newestOf(found core.Page[core.Activity]) int64 {
	if len(found.Data) == 0 {
		return 0
	}
	return found.Data[0].ID
}

// makeActivity makes the lines of the activity.
func (v *visit) makeActivity(at issueAddress, found core.Page[core.Activity]) activityPart {
	part := activityPart{Story: make([]storyLine, len(found.Data))}
	for i := range found.Data {
		part.Story[i] = v.tellActivity(&found.Data[i])
	}
	if at.query.Has(activityField) {
		part.First = at.with(activityField, "") + "#activity"
	}
	if found.NextCursor != "" {
		part.Older = at.with(activityField, string(found.NextCursor)) + "#activity"
	}
	return part
}

// activityData are the fields that the rows of an issue's activity have.
type activityData struct {
	Text        string  `json:"text"`
	Minutes     int64   `json:"minutes"`
	Worker      string  `json:"worker"`
	To          any     `json:"to"` // a status, or what a correction of a triage sets
	Kind        string  `json:"kind"`
	Ref         string  `json:"ref"`
	Release     string  `json:"release"`
	Environment string  `json:"environment"`
	Reason      string  `json:"reason"`
	SourceIDs   []int64 `json:"source_ids"`
	TargetID    int64   `json:"target_id"`
	NewIssueID  int64   `json:"new_issue_id"`
	IssueID     int64   `json:"issue_id"`
	EventIDs    []int64 `json:"event_ids"`
	Note        *string `json:"note"`
}

// tellActivity says what somebody did. The system does things without a name.
func (v *visit) tellActivity(row *core.Activity) storyLine {
	var data activityData
	_ = json.Unmarshal(row.Data, &data) // what cannot be read is not told
	line := storyLine{At: v.at(row.At), Did: describeActivity(row.Action, &data)}
	if row.ActorType != core.ActorSystem || isDeed(row.Action, &data) {
		line.Who = nameWorker(data.Worker, row.ActorName)
	}
	switch {
	case row.Action == core.ActionIssueNote:
		line.Note = data.Text
	case data.Note != nil && *data.Note != "":
		line.Note = *data.Note
	}
	return line
}

// isDeed reports whether somebody does the action, so that a row without a name would say too little. Other actions come by themselves.
func isDeed(action core.Action, data *activityData) bool {
	switch action {
	case core.ActionIssueRegress, core.ActionIssueReturn, core.ActionIssueClaimExpire, core.ActionIssueVerify, core.ActionIssueFixDeployed:
		return false
	case core.ActionIssueFix:
		return data.Reason == ""
	}
	return true
}

// plainActions are the actions that a few words describe.
var plainActions = map[core.Action]string{
	core.ActionIssueNote: "wrote", core.ActionIssueResolve: "resolved it", core.ActionIssueUnresolve: "reopened it",
	core.ActionIssueIgnore: "ignored it", core.ActionIssueRelease: "gave it back", core.ActionIssueClaimExpire: "the claim ran out",
	core.ActionIssueTag: "tagged it", core.ActionIssueUntag: "took a tag away", core.ActionIssueVerify: "verified: quiet after the deploy",
}

// describeActivity says in words what an action did.
func describeActivity(action core.Action, data *activityData) string {
	switch action {
	case core.ActionIssueClaim:
		return "claimed it for " + writeMinutes(data.Minutes)
	case core.ActionIssueRegress:
		return strings.TrimSpace("came back " + inRelease(data.Release))
	case core.ActionIssueReturn:
		return "is open again: " + describeReturn(data.Reason)
	case core.ActionIssueFix:
		if data.Reason != "" {
			return nameFix(core.FixKind(data.Kind), data.Ref) + " is no fix any more: " + data.Reason
		}
		return "linked " + nameFix(core.FixKind(data.Kind), data.Ref)
	case core.ActionIssueFixDeployed:
		return strings.TrimSpace("the fix was deployed " + inRelease(data.Release) + to(data.Environment))
	case core.ActionIssueTriage:
		return "corrected the triage: " + describeCorrection(data.To)
	case core.ActionIssueMerge:
		if data.TargetID != 0 {
			return fmt.Sprintf("merged it into issue %d", data.TargetID)
		}
		return "merged " + listIssues(data.SourceIDs) + " into it"
	case core.ActionIssueSplit:
		return fmt.Sprintf("split %s off to issue %d", writePlural(len(data.EventIDs), "event", "events"), data.NewIssueID)
	case core.ActionIssueSplitFrom:
		return fmt.Sprintf("split it off issue %d", data.IssueID)
	}
	if words := plainActions[action]; words != "" {
		return words
	}
	_, word, _ := strings.Cut(string(action), ".")
	return strings.ReplaceAll(word, "_", " ")
}

func inRelease(release string) string {
	if release == "" {
		return ""
	}
	return "in " + release
}

func to(environment string) string {
	if environment == "" {
		return ""
	}
	return " to " + environment
}

// describeReturn says why an ignored issue is open again.
func describeReturn(reason string) string {
	switch core.IgnoreReason(reason) {
	case core.IgnoredUntil:
		return "the time for which it was ignored is over"
	case core.IgnoredAfterEvents:
		return "it has as many more events as it was ignored for"
	case core.IgnoredAfterUsers:
		return "it has as many more users as it was ignored for"
	}
	return reason
}

// describeCorrection lists the fields that a correction of a triage set, in the order of their names on the page.
func describeCorrection(change any) string {
	fields, _ := change.(map[string]any)
	var words []string
	for _, field := range triageFields {
		if value, isThere := fields[field.name]; isThere {
			words = append(words, field.label+" "+field.write(value))
		}
	}
	return strings.Join(words, ", ")
}

// listIssues names issues by their ids.
func listIssues(ids []int64) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.FormatInt(id, 10)
	}
	if len(words) == 1 {
		return "issue " + words[0]
	}
	return "issues " + strings.Join(words, ", ")
}

// takeNote adds a note.
func (s *Site) takeNote(v *visit) error {
	return v.actOnIssue(core.AddNote.Operation, map[string]any{"text": v.r.PostForm.Get(textField)}, flash{Text: "The note is written."})
}
