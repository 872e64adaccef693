package web

import (
	"cmp"
	"net/url"
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
	return v.actOnIssue(core.ReleaseIssue.Operation, map[string]any{}, flash{Text: "The claim is given back."})
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
	return v.actOnIssue(core.LinkFix.Operation, args, flash{Text: "The fix is linked. It is watched as soon as a deploy brings it."})
}

// takeIgnore ignores an issue for good, or until what the form sets comes.
func (s *Site) takeIgnore(v *visit) error {
	args := map[string]any{}
	for _, name := range []string{untilField, afterEventsField, afterUsersField} {
		if value := strings.TrimSpace(v.r.PostForm.Get(name)); value != "" {
			args[name] = value
		}
	}
	at, err := v.readReturn()
	if err != nil {
		return err
	}
	undone := undo{Path: changeIssuesPath, Fields: url.Values{"unresolve": {strconv.FormatInt(at.id, 10)}, returnField: {at.with()}}}
	said := "It is ignored for good, and counted on."
	if len(args) > 0 {
		said = "It is ignored until then, and counted on."
	}
	return v.actOnIssue(core.IgnoreIssue.Operation, args, flash{Text: said, Undo: &undone})
}

// readReturn returns the page that a form of an issue names to return to, or else the plain page of the issue.
func (v *visit) readReturn() (issueAddress, error) {
	id, err := v.readID()
	back, errPath := url.Parse(localPath(v.r.PostForm.Get(returnField)))
	if err != nil || errPath != nil || back.Path != (issueAddress{id, nil}).path("") {
		return issueAddress{id, nil}, err
	}
	return readIssueAddress(id, back.Query()), nil
}

// actOnIssue runs an operation on the issue of the path for a form, and returns to the page of readReturn. A form that is refused for
// a field is shown again as it was typed.
func (v *visit) actOnIssue(op *core.Operation, args map[string]any, done flash) error {
	at, err := v.readReturn()
	if err != nil {
		return err
	}
	args["id"] = at.id
	answer, err := v.call(op, args)
	if core.HasCode(err, core.InvalidRequest) {
		return v.refuseForm(v.w, v.r, err, func(status int, problem string) error {
			return v.askIssue(at, status, pageData{Problem: problem}, v.r.PostForm)
		})
	}
	return v.sayDone(answer, err, at.with(), done)
}

// readProblem returns what a form says when an operation refused it for a field; another error is returned as it is.
func (v *visit) readProblem(err error) (string, error) {
	if err == nil || !core.HasCode(err, core.InvalidRequest) {
		return "", err
	}
	return cmp.Or(describeFailure(core.AsError(err)), "The form is not complete."), nil
}
