package core

import "time"

var approvalOperations = []*Operation{
	ListApprovals.Operation,
	CountApprovals.Operation,
	ApproveRequest.Operation,
	RejectRequest.Operation,
}

// ApprovalStatus is the state of an approval request (primary API, States).
type ApprovalStatus string

// The statuses of an approval request.
const (
	RequestPending  ApprovalStatus = "pending"
	RequestApproved ApprovalStatus = "approved"
	RequestRejected ApprovalStatus = "rejected"
	RequestExpired  ApprovalStatus = "expired"
	RequestFailed   ApprovalStatus = "failed"
)

// ApprovalTerm is how long a request can be decided (primary API, Limits).
const ApprovalTerm = 7 * 24 * time.Hour

// Approval is a request to carry out an action that is held.
type Approval struct {
	ID          int64          `json:"id"`
	Action      HeldAction     `json:"action"`
	IssueID     OptInt         `json:"issue_id" doc:"The issue to change; null when it is no issue."`
	Payload     HeldPayload    `json:"payload"`
	RequestedBy string         `json:"requested_by" untrusted:"true" doc:"Name of the token."`
	RequestedAt Time           `json:"requested_at" always:"true"`
	ExpiresAt   Time           `json:"expires_at" always:"true"`
	Status      ApprovalStatus `json:"status" enum:"pending|approved|rejected|expired|failed" doc:"@approval.status"`
	DecidedBy   Text           `json:"decided_by" untrusted:"true"`
	DecidedAt   Time           `json:"decided_at"`
}

// PendingApproval is the latest undecided request for approval of an action on an issue. It is shown with the issue.
type PendingApproval struct {
	ID          int64           `json:"id"`
	Action      HeldIssueAction `json:"action"`
	RequestedBy string          `json:"requested_by" untrusted:"true" doc:"Name of the token."`
	RequestedAt Time            `json:"requested_at" always:"true"`
	ExpiresAt   Time            `json:"expires_at" always:"true"`
}

// ListApprovalsInput filters and pages the list of approval requests.
type ListApprovalsInput struct {
	Status ApprovalStatus `json:"status,omitempty" doc:"@listApprovalsInput.status" enum:"pending|approved|rejected|expired|failed"`
	Paging
}

// ListApprovals declares GET /v1/approvals.
var ListApprovals = DefineOperation[ListApprovalsInput, Page[Approval]](Operation{
	Name: "list_approvals", Route: "GET /v1/approvals", Scope: Admin,
	Summary: "List approval requests",
	Description: "Lists the actions that were held for approval, most recent first, with who asked and what was decided. " +
		"A person with another admin token decides over REST; a request ends after 7 days.",
	Example: `{"limit": 10}`,
})

// ApprovalsCounted is up to how many pending requests are counted.
const ApprovalsCounted = 100

// CountApprovalsInput has no fields: all pending requests are counted.
type CountApprovalsInput struct{}

// ApprovalCount is how many requests wait for a decision.
type ApprovalCount struct {
	Pending int64 `json:"pending" doc:"100 at most."`
}

// CountApprovals declares GET /v1/approvals/count.
var CountApprovals = DefineOperation[CountApprovalsInput, Data[ApprovalCount]](Operation{
	Name: "count_approvals", Route: "GET /v1/approvals/count", Scope: Admin,
	Summary:     "Count pending approval requests",
	Description: "Counts the requests that wait for a decision, up to 100.",
	Example:     `{}`,
	NotATool:    whyNoAgentDraws,
})

// ApprovalInput names one approval request in the path.
type ApprovalInput struct {
	ID int64 `json:"id" doc:"Id of the approval request." min:"1"`
}

// Decision is the outcome of an approval request.
type Decision struct {
	ID       int64  `json:"id"`
	Decision string `json:"decision" enum:"approve|reject"`
}

const whyNoAgentDecides = "an agent must not approve what agents ask for"

// ApproveRequest declares POST /v1/approvals/{id}/approve.
var ApproveRequest = DefineOperation[ApprovalInput, Data[Decision]](Operation{
	Name: "approve_request", Route: "POST /v1/approvals/{id}/approve", Scope: Admin,
	Summary: "Approve a request",
	Description: "Carries out the action of a pending request, in the name of who asked for it. Nobody decides their own request: " +
		"that is forbidden, with a reason, for the ADMIN_TOKEN too. When an issue of the action has changed since, " +
		"for example by a merge or a new fix, the answer is approval_failed with a reason, and the request is failed.",
	Example:  `{"id": 7}`,
	Errors:   []Code{NotFound, Forbidden, ApprovalNotPending, ApprovalFailed},
	NotATool: whyNoAgentDecides,
})

// RejectRequest declares POST /v1/approvals/{id}/reject.
var RejectRequest = DefineOperation[ApprovalInput, Data[Decision]](Operation{
	Name: "reject_request", Route: "POST /v1/approvals/{id}/reject", Scope: Admin,
	Summary:     "Reject a request",
	Description: "Ends a pending request; its action is not done. Nobody decides their own request: that is forbidden, with a reason.",
	Example:     `{"id": 7}`,
	Errors:      []Code{NotFound, Forbidden, ApprovalNotPending},
	NotATool:    whyNoAgentDecides,
})
