package core

import (
	"fmt"
	"strings"
)

// NextIssueInput chooses the issue to take.
type NextIssueInput struct {
	Project ProjectRef `json:"project,omitempty" doc:"@nextIssueInput.project" min:"1"`
	Lease
	Budget int `json:"budget" doc:"How long the brief may be, in tokens." min:"500" max:"20000" default:"6000"`
}

// NextIssue is the issue that the caller now holds, with its brief; or the reason why there is none.
type NextIssue struct {
	Issue    *ClaimedIssue `json:"issue" doc:"null when none is left."`
	Markdown string        `json:"markdown" doc:"A line of ids, then the brief; or why there is none."`
	JSON     *BriefFacts   `json:"json" doc:"The brief as data; null when none is left."`
	Why      Text          `json:"why" doc:"Why none is left; null when there is one."`
	// Yours lists the caller's claims when there is no issue to take or to continue.
	Yours  List[HeldIssue] `json:"yours" doc:"@nextIssue.yours"`
	Ingest IngestState     `json:"ingest"`
	Now    Time            `json:"-"` // the time of the hand-out
}

// HeldIssue is an issue that the caller holds, and that next_issue does not hand out again.
type HeldIssue struct {
	ID               int64  `json:"id"`
	Project          string `json:"project" doc:"Slug of the project."`
	Status           Status `json:"status" enum:"unresolved|resolved|ignored|fix_pending|verified|regressed"`
	Worker           Text   `json:"worker" untrusted:"true" doc:"The worker of your token that holds it; null when none was named."`
	Since            Time   `json:"since" always:"true"`
	ExpiresAt        Time   `json:"expires_at" always:"true"`
	WaitsForApproval bool   `json:"waits_for_approval" doc:"An action on it waits for an admin."`
}

// describe says in a few words why next_issue passes over the issue.
func (h HeldIssue) describe() string {
	until := h.ExpiresAt.UTC().Format("15:04Z")
	switch {
	case h.WaitsForApproval:
		return fmt.Sprintf("issue %d until %s, which waits for an approval", h.ID, until)
	case h.Status != Unresolved && h.Status != Regressed:
		return fmt.Sprintf("issue %d until %s, which is %s", h.ID, until, h.Status)
	default:
		return fmt.Sprintf("issue %d until %s, held by a worker of your token", h.ID, until)
	}
}

// Prose is the Markdown, the whole answer over MCP (decisions 11).
func (n NextIssue) Prose() string { return n.Markdown }

// BriefBudget returns what remains of the budget for the brief after the line of ids.
func (n NextIssue) BriefBudget(budget int) int {
	return budget - CountTokens(n.renderHead())
}

// WithBrief adds the Markdown of the answer: a line of ids and then the brief, or why there is no issue.
func (n NextIssue) WithBrief(brief Brief) NextIssue {
	n.Markdown = n.renderHead() + brief.Markdown
	if n.Issue != nil {
		n.JSON = &brief.JSON
	}
	return n
}

func (n NextIssue) renderHead() string {
	var b strings.Builder
	if n.Issue == nil {
		fmt.Fprintf(&b, "No issue for you: %s. Ingest: %s, %d events in 24 h", n.Why, n.Ingest.State, n.Ingest.Events24h)
		if !n.Ingest.LastEventAt.IsZero() {
			fmt.Fprintf(&b, ", the last at %s", n.Ingest.LastEventAt.Format(TimeLayout))
		}
		b.WriteString(".")
		for at, held := range n.Yours {
			b.WriteString(map[bool]string{true: " Yours: ", false: "; "}[at == 0] + held.describe())
		}
		if len(n.Yours) > 0 {
			b.WriteString(".")
		}
		b.WriteString("\n")
		return b.String()
	}
	i := n.Issue
	fmt.Fprintf(&b, "issue_id=%d project=%s", i.ID, i.Project)
	if i.LatestEventID != 0 {
		fmt.Fprintf(&b, " latest_event_id=%d", i.LatestEventID)
	}
	if i.Renewed {
		fmt.Fprintf(&b, ": you hold it since %s, %d min left.", i.HeldSince.Format("2006-01-02T15:04Z"), i.Claim.MinutesLeft(n.Now))
	} else {
		fmt.Fprintf(&b, ": claimed for you until %s.", i.Claim.ExpiresAt.Format(TimeLayout))
	}
	fmt.Fprintf(&b, " When fixed: %s id=%d commit=... note=... release=true; ", LinkFix.Operation.Name, i.ID)
	fmt.Fprintf(&b, "when you cannot: %s id=%d note=...\n\n", ReleaseIssue.Operation.Name, i.ID)
	return b.String()
}

// NextIssueOp declares POST /v1/issues/next.
var NextIssueOp = DefineOperation[NextIssueInput, Data[NextIssue]](Operation{
	Name: "next_issue", Route: "POST /v1/issues/next", Scope: IssuesWrite,
	Summary: "Take the next issue to fix",
	Description: "Answers with the brief of the issue that you hold, else claims the best free one: regressed first, then what a " +
		"change of code can fix, then by priority, low trust counting less. Left out: noise, what waits for an approval, what you gave " +
		"back with a note in the last day. Then: fix it, link_fix with note and release=true. When none is left it says why.",
	Example: `{"project": "web-shop", "minutes": 60}`,
	Errors:  []Code{ProjectNotFound},
})
