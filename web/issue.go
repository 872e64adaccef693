package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"errand/core"
)

// issuePath is where the links in notifications lead.
const issuePath = "/issues/{id}"

// headPart is the live part that an open page asks for all the time.
const headPart = "head"

// issueForm is what the page of an issue shows, in its order.
type issueForm struct {
	ID       int64
	Path     string
	Project  string
	Here     string // the address of the page
	CanWrite bool
	Typed    url.Values // of a form that was refused
	address  issueAddress
	Head     issueHead
	HeadTag  string // the ETag of the head, so that asking for it again is cheap from the beginning
	Steps    []step
	Stack    issueStack
	Asked    *askedPart
	Crumbs   *crumbsPart
	Activity activityPart
	Aside    issueAside
}

// Live is the address of a live part of the page as it is shown.
func (f issueForm) Live(part string) string { return f.address.with(fragmentField, part) }

// IgnoreFor is the select of how long an issue can be ignored.
func (f issueForm) IgnoreFor() choice {
	return chooseFrom(untilField, "For", f.Typed.Get(untilField), option{Text: "good"}, option{Value: "1d", Text: "a day"},
		option{Value: "7d", Text: "7 days"}, option{Value: "30d", Text: "30 days"})
}

// issueFindings are the answers that the page is made of.
type issueFindings struct {
	issue    core.IssueDetail
	around   core.EventsAround
	event    *core.EventDetail // nil when no event is there
	activity core.Page[core.Activity]
	days     core.IssueDays
	shares   core.IssueShares
	similar  []core.SimilarIssue
}

// showIssue is the page of an issue. One that the person may not see is as unknown as one that is not there.
func (s *Site) showIssue(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	at := v.readIssueAddress(id)
	if v.isFragment() {
		return v.showIssuePart(at)
	}
	return v.askIssue(at, http.StatusOK, pageData{}, nil)
}

// askIssue shows an issue. A form that was refused is shown as it was typed.
func (v *visit) askIssue(at issueAddress, status int, data pageData, typed url.Values) error {
	found, err := v.findIssue(at)
	if err != nil {
		return err
	}
	form := v.makeIssueForm(at, &found.issue, newestOf(found.activity))
	form.Typed = typed
	form.Stack = v.makeStack(at, found)
	if found.event != nil {
		form.Asked = makeAsked(&found.event.Event, at.showsAll())
		form.Crumbs = v.makeCrumbs(&found.event.Event, at.showsAll())
	}
	form.Activity = v.makeActivity(at, found.activity)
	form.Aside = v.makeAside(at, found)
	if _, form.HeadTag, err = renderPart("issue", headPart, form, ""); err != nil {
		return err
	}
	data.Title, data.Form = plainText(found.issue.Title), form
	return v.answer("issue", status, data)
}

// makeIssueForm makes the part of the page that the issue and the newest row of its activity decide.
func (v *visit) makeIssueForm(at issueAddress, issue *core.IssueDetail, newest int64) issueForm {
	return issueForm{
		ID: at.id, Path: at.path(""), Project: issue.Project, Here: at.with(), address: at, CanWrite: v.canChange(&issue.Issue),
		Head: v.makeHead(issue, newest), Steps: v.makeSteps(issue.Fix),
	}
}

// readIssue reads an issue by its id.
func (v *visit) readIssue(id int64) (core.IssueDetail, error) {
	found, err := callOperation(v, core.GetIssue, map[string]any{"id": id})
	return found.Data, err
}

// issuesAtOnce is how many issues one call reads (GET /v1/issues/details).
const issuesAtOnce = 50

// readIssues reads issues by their ids. Those that are gone are left out.
func (v *visit) readIssues(ids []int64) (map[int64]*core.IssueDetail, error) {
	issues := make(map[int64]*core.IssueDetail, len(ids))
	for part := range slices.Chunk(ids, issuesAtOnce) {
		found, err := callOperation(v, core.GetIssues, map[string]any{"ids": part})
		if err != nil {
			return nil, err
		}
		for i := range found.Data {
			issues[found.Data[i].ID] = &found.Data[i]
		}
	}
	return issues, nil
}

// readWritable reads an issue of a project in which the person may change issues. It is forbidden to others.
func (v *visit) readWritable(id int64) (core.IssueDetail, error) {
	issue, err := v.readIssue(id)
	if err == nil && !v.actor.MayIn(issue.ProjectID, core.WriteRight) {
		err = core.NewError(core.Forbidden).With("required_role", "member")
	}
	return issue, err
}

// readChangeable reads an issue that the person is about to change. It is forbidden to those who may not.
func (v *visit) readChangeable(id int64) (core.IssueDetail, error) {
	issue, err := v.readIssue(id)
	if err == nil && !v.canChange(&issue.Issue) {
		err = core.NewError(core.Forbidden).With("required_role", "member")
	}
	return issue, err
}

// canChange reports whether the person may change an issue; a merged one takes no changes.
func (v *visit) canChange(issue *core.Issue) bool {
	return issue.Status != core.Merged && v.actor.MayIn(issue.ProjectID, core.WriteRight)
}

// showIssuePart answers with a live part of the page, and reads only what that needs.
func (v *visit) showIssuePart(at issueAddress) error {
	args := at.activityArgs()
	if v.r.URL.Query().Get(fragmentField) == "activity" {
		found, err := callOperation(v, core.ListIssueActivity, args)
		if err != nil {
			return err
		}
		return v.show("issue", "", issueForm{Activity: v.makeActivity(at, found)})
	}
	args["limit"] = 1
	var issue core.IssueDetail
	var newest core.Page[core.Activity]
	err := runTogether(
		func() (err error) { issue, err = v.readIssue(at.id); return err },
		func() (err error) { newest, err = callOperation(v, core.ListIssueActivity, args); return err },
	)
	if err != nil {
		return err
	}
	return v.show("issue", "", v.makeIssueForm(at, &issue, newestOf(newest)))
}

// findIssue reads everything that the page shows.
func (v *visit) findIssue(at issueAddress) (*issueFindings, error) {
	args := map[string]any{"id": at.id}
	found := &issueFindings{}
	return found, runTogether(
		func() (err error) {
			found.issue, err = v.readIssue(at.id)
			return err
		},
		func() error { return v.findEvent(at, found) },
		func() (err error) {
			found.activity, err = callOperation(v, core.ListIssueActivity, at.activityArgs())
			return err
		},
		func() error {
			answer, err := callOperation(v, core.GetIssueDays, args)
			found.days = answer.Data
			return err
		},
		func() error {
			answer, err := callOperation(v, core.GetIssueShares, args)
			found.shares = answer.Data
			return err
		},
		func() (err error) {
			found.similar, err = v.findSimilar(at.id)
			return err
		},
	)
}

// findEvent reads the event that the address names, or the latest one under its filter.
func (v *visit) findEvent(at issueAddress, found *issueFindings) error {
	args := at.eventArgs()
	if event := at.query.Get(eventField); event != "" {
		args["event"] = event
	}
	around, err := callOperation(v, core.GetEventsAround, args)
	if err != nil || around.Data.Event == nil {
		return err
	}
	found.around = around.Data
	event, err := callOperation(v, core.GetEvent, map[string]any{"id": strconv.FormatInt(around.Data.Event.ID, 10)})
	if core.HasCode(err, core.NotFound) { // it went just now
		return nil
	}
	found.event = &event.Data
	return err
}

// maxSimilar is how many similar issues stand beside an issue.
const maxSimilar = 3

// findSimilar returns the issues that are most like an issue; none where that is switched off, or the issue was merged. The brief has
// them too, but takes longer to make than all the rest of the page.
func (v *visit) findSimilar(id int64) ([]core.SimilarIssue, error) {
	found, err := callOperation(v, core.FindSimilar, map[string]any{"issue_id": id, "limit": maxSimilar})
	if core.HasCode(err, core.NotFound) || core.HasCode(err, core.SimilarOff) {
		return nil, nil
	}
	return found.Data, err
}

// readID returns the id in the path.
func (v *visit) readID() (int64, error) { return readID(v.r) }

func readID(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id < 1 {
		return 0, core.NewError(core.NotFound)
	}
	return id, nil
}
