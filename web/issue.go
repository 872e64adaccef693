package web

import (
	"strconv"

	"errand/core"
)

// issuePath is where the links in notifications lead.
const issuePath = "/issues/{id}"

// issueForm is what the page of an issue shows: what it is, and where to read more.
type issueForm struct {
	core.IssueDetail
	Last    moment
	BaseURL string
}

// showIssue is the page of an issue. One that the person may not see is as unknown as one that is not there.
func (s *Site) showIssue(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	found, err := callOperation(v, core.GetIssue, map[string]any{"id": id})
	if err != nil {
		return err
	}
	return v.show("issue", plainText(found.Data.Title), issueForm{found.Data, v.at(found.Data.LastSeen), s.BaseURL()})
}

// readID returns the id in the path.
func (v *visit) readID() (int64, error) {
	id, err := strconv.ParseInt(v.r.PathValue("id"), 10, 64)
	if err != nil || id < 1 {
		return 0, core.NewError(core.NotFound)
	}
	return id, nil
}
