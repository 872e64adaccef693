package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"errand/core"
)

// The forms that decide about a request.
const (
	approvalsPath = "/approvals"
	decidePath    = "/approvals/{id}"
	decisionField = "decision"
	approve       = "approve"
	reject        = "reject"
)

// approvalsForm is the page of the requests for approval.
type approvalsForm struct {
	Pending []approvalRow
	Decided []approvalRow
	Pager   pager
}

// approvalRow is a request in a sentence.
type approvalRow struct {
	Path     string // of the form that decides
	Verb     string // "Ignore", before the thing
	Thing    any
	Issue    string // path of the issue; empty when it is none
	By       string
	At       moment
	Ends     string
	Effect   []string // what it would do, and what cannot be undone
	Term     *term    // of an ignored issue
	IsOwn    bool     // nobody decides about their own request
	Decision badge
	Decider  any
	DecideAt moment
}

// showApprovals shows what waits for a decision, and what was decided.
func (s *Site) showApprovals(v *visit) error {
	cursor := v.r.URL.Query().Get("cursor")
	var pending, all core.Page[core.Approval]
	args := map[string]any{"limit": 25}
	if cursor != "" {
		args["cursor"] = cursor
	}
	err := runTogether(
		func() (err error) {
			pending, err = callOperation(v, core.ListApprovals, map[string]any{"status": core.RequestPending, "limit": 100})
			return err
		},
		func() (err error) { all, err = callOperation(v, core.ListApprovals, args); return err },
	)
	if err != nil {
		return err
	}
	decided := slices.DeleteFunc(all.Data, func(a core.Approval) bool { return a.Status == core.RequestPending })
	form := approvalsForm{}
	if form.Pending, err = v.makeApprovalRows(pending.Data); err != nil {
		return err
	}
	if form.Decided, err = v.makeApprovalRows(decided); err != nil {
		return err
	}
	form.Pager = pager{Shown: writePlural(len(form.Decided), "decision", "decisions"), OlderText: "Older"}
	if cursor != "" {
		form.Pager.First = approvalsPath
	}
	if all.NextCursor != "" {
		form.Pager.Older = addressOf(approvalsPath, "cursor", string(all.NextCursor))
	}
	return v.show("approvals", "Approvals", form)
}

// heldPayload is what pages say of the payloads of all held actions.
type heldPayload struct {
	SourceIDs   []int64 `json:"source_ids"`
	Name        string  `json:"name"`
	Until       string  `json:"until"`
	AfterEvents int64   `json:"after_events"`
	AfterUsers  int64   `json:"after_users"`
}

// makeApprovalRows says what requests would do. The issues that they are about are read together.
func (v *visit) makeApprovalRows(requests []core.Approval) ([]approvalRow, error) {
	payloads, ids := make([]heldPayload, len(requests)), []int64(nil)
	for i := range requests {
		if err := json.Unmarshal([]byte(requests[i].Payload), &payloads[i]); err != nil {
			return nil, err
		}
		if id := int64(requests[i].IssueID); id != 0 {
			ids = append(ids, id)
		}
		if requests[i].Status == core.RequestPending {
			ids = append(ids, payloads[i].SourceIDs...)
		}
	}
	issues, err := v.readIssues(ids)
	if err != nil {
		return nil, err
	}
	var rows []approvalRow
	for i := range requests {
		rows = append(rows, v.makeApprovalRow(&requests[i], &payloads[i], issues))
	}
	return rows, nil
}

// makeApprovalRow says what a request would do.
func (v *visit) makeApprovalRow(a *core.Approval, payload *heldPayload, issues map[int64]*core.IssueDetail) approvalRow {
	row := approvalRow{
		Path: fmt.Sprintf("/approvals/%d", a.ID), By: a.RequestedBy, At: v.at(a.RequestedAt), IsOwn: a.RequestedBy == v.actor.Name,
		Ends: "ends in " + writeMinutes(int64(a.ExpiresAt.Sub(v.now).Minutes())), Decision: decisionBadge(a.Status), Decider: a.DecidedBy,
		DecideAt: v.at(a.DecidedAt),
	}
	isPending, issue := a.Status == core.RequestPending, issues[int64(a.IssueID)]
	switch {
	case issue != nil:
		row.Thing, row.Issue = issue.Title, issueAddress{issue.ID, nil}.path("")
	case a.IssueID != 0:
		row.Thing = fmt.Sprintf("issue %d, which is gone", a.IssueID)
	}
	switch a.Action {
	case core.HoldMerge:
		row.Verb = fmt.Sprintf("Merge %s into", writePlural(len(payload.SourceIDs), "issue", "issues"))
		if isPending {
			events, users := sumIssues(payload.SourceIDs, issues)
			row.Effect = []string{fmt.Sprintf("%s and %s move to it; later ones go there too.", writePlural(events, "event", "events"),
				writePlural(users, "user", "users")), "It can be undone only event by event."}
		}
	case core.HoldIgnore:
		row.Verb = "Ignore"
		row.Effect = []string{"New events are counted and nobody is told."}
		if issue != nil && isPending {
			row.Effect = append(row.Effect, fmt.Sprintf("It had %s in 24 hours, and %s in all.",
				writePlural(issue.Events24h, "event", "events"), describeUsers(issue.UsersAffected)))
		}
		row.Term = v.describeTerm(payload)
	case core.HoldDeleteProject:
		row.Verb, row.Thing = "Delete the project", payload.Name
		row.Effect = []string{"Its issues, events, releases and keys go, and the tokens bound to it end.", "It cannot be undone."}
	}
	return row
}

// sumIssues adds up the events and users of issues; those that are gone have none.
func sumIssues(ids []int64, issues map[int64]*core.IssueDetail) (events, users int64) {
	for _, id := range ids {
		if issue := issues[id]; issue != nil {
			events += issue.TimesSeen
			users += issue.UsersAffected
		}
	}
	return events, users
}

// term is a sentence about when an ignored issue returns by itself: "It returns on", the time if there is one, and the rest.
type term struct {
	On   *moment
	Rest string
}

// describeTerm says when an ignored issue would return by itself. A length of time counts from the approval.
func (v *visit) describeTerm(payload *heldPayload) *term {
	var described term
	var ends []string
	if length, err := core.ParseDuration(payload.Until); err == nil {
		ends = append(ends, writeMinutes(int64(length/time.Minute))+" after the approval")
	} else if at, err := time.Parse(time.RFC3339, payload.Until); err == nil {
		on := v.at(core.At(at))
		described.On = &on
	}
	if payload.AfterEvents > 0 {
		ends = append(ends, "with "+writePlural(payload.AfterEvents, "more event", "more events"))
	}
	if payload.AfterUsers > 0 {
		ends = append(ends, "with "+writePlural(payload.AfterUsers, "more user", "more users"))
	}
	described.Rest = strings.Join(ends, " or ") + "."
	switch {
	case described.On == nil && ends == nil:
		described.Rest = "It does not return by itself."
	case described.On == nil:
		described.Rest = "It returns " + described.Rest
	case ends != nil:
		described.Rest = " or " + described.Rest
	}
	return &described
}

// decisionBadge says what became of a request.
func decisionBadge(status core.ApprovalStatus) badge {
	switch status {
	case core.RequestApproved:
		return badge{kindGood, "approved"}
	case core.RequestRejected:
		return badge{kindBad, "rejected"}
	case core.RequestFailed:
		return badge{kindWarn, "approved, but no longer possible"}
	case core.RequestExpired:
		return badge{"", "nobody decided"}
	}
	return badge{kindWarn, "waits"}
}

// takeDecision decides about a request.
func (s *Site) takeDecision(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	op, said := core.ApproveRequest.Operation, flash{Text: "Approved, and done."}
	switch v.r.PostForm.Get(decisionField) {
	case approve:
	case reject:
		op, said = core.RejectRequest.Operation, flash{Text: "Rejected. Nothing was changed."}
	default:
		return core.RefuseField(decisionField, "must be approve or reject")
	}
	return v.act(op, map[string]any{"id": id}, approvalsPath, said)
}

// countApprovals returns how many requests wait for a decision that the person may make; at most 100. The frame shows it.
func (v *visit) countApprovals() int64 {
	found, err := callOperation(v, core.CountApprovals, nil)
	if err != nil {
		return 0 // the page itself is there all the same
	}
	return found.Data.Pending
}
