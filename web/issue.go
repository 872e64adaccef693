package web

import (
	"net/http"
	"strconv"

	"errand/core"
)

// issuePath is where the links in notifications lead.
const issuePath = "/issues/{id}"

// issueForm is what the page of an issue shows: what it is, and where to read more.
type issueForm struct {
	core.IssueDetail
	BaseURL string
}

// showIssue is the page of an issue for who is signed in. One that the person may not see is as unknown as one that is not there.
func (s *Site) showIssue(w http.ResponseWriter, r *http.Request) error {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id < 1 {
		return core.NewError(core.NotFound)
	}
	person, err := s.findPerson(r)
	if core.HasCode(err, core.Unauthorized) {
		return redirect(w, r, signInFirst(r.URL.RequestURI()))
	}
	if err != nil {
		return err
	}
	issue, err := s.FindIssue(r, id)
	if err != nil {
		return err
	}
	return show(w, http.StatusOK, "issue", pageData{
		Title: showText(issue.Title), Person: &person, Form: issueForm{IssueDetail: issue, BaseURL: s.BaseURL()},
	})
}

// ServeUnknown answers a browser that asks for a page that is not there.
func (s *Site) ServeUnknown(w http.ResponseWriter, r *http.Request) {
	setHeaders(w)
	s.showFailure(w, r, core.NewError(core.NotFound))
}
