package web

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"errand/core"
)

// The forms of the page of an issue.
const (
	issueFixPath     = "/issues/{id}/fix"
	issueIgnorePath  = "/issues/{id}/ignore"
	issueReleasePath = "/issues/{id}/release"
	fixField         = "fix"
	noteField        = "note"
)

// The limits of ignoring, as the operation calls them.
const (
	untilField       = "until"
	afterEventsField = "after_events"
	afterUsersField  = "after_users"
)

// takeRelease gives the claim of an issue back.
func (s *Site) takeRelease(v *visit) error {
	return v.actOnIssue(core.ReleaseIssue.Operation, map[string]any{}, "The claim is given back.")
}

// isURL tells the URL of a pull request from a commit.
var isURL = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://`)

// takeFix links a commit or a pull request, whichever the field has.
func (s *Site) takeFix(v *visit) error {
	fix := strings.TrimSpace(v.r.PostForm.Get(fixField))
	args := map[string]any{}
	if isURL.MatchString(fix) {
		args["pr_url"] = fix
	} else {
		args["commit"] = fix
	}
	if note := v.r.PostForm.Get(noteField); strings.TrimSpace(note) != "" {
		args[noteField] = note
	}
	return v.actOnIssue(core.LinkFix.Operation, args, "The fix is linked. It is watched as soon as a deploy brings it.")
}

// takeIgnore ignores an issue for good, or until what the form sets comes.
func (s *Site) takeIgnore(v *visit) error {
	args := map[string]any{}
	for _, name := range []string{untilField, afterEventsField, afterUsersField} {
		if value := strings.TrimSpace(v.r.PostForm.Get(name)); value != "" {
			args[name] = value
		}
	}
	id, err := v.readID()
	if err != nil {
		return err
	}
	args["id"] = id
	path := issueAddress{id, nil}.with()
	undone := undo{Path: changeIssuesPath, Fields: map[string][]string{
		"unresolve": {strconv.FormatInt(id, 10)}, returnField: {path},
	}}
	said := "It is ignored for good, and counted on."
	if len(args) > 1 {
		said = "It is ignored until then, and counted on."
	}
	return v.act(core.IgnoreIssue.Operation, args, path, flash{Text: said, Undo: &undone})
}

// readProblem returns what a form says when an operation refused it for a field; another error is returned as it is.
func (v *visit) readProblem(err error) (string, error) {
	if err == nil || !core.HasCode(err, core.InvalidRequest) {
		return "", err
	}
	return cmp.Or(describeFailure(core.AsError(err)), "The form is not complete."), nil
}
