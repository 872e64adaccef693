package store

import (
	"encoding/json"
	"fmt"

	"errand/core"
)

// briefApprovals bounds the pending actions that a brief names.
const briefApprovals = 5

const (
	selectHolder = `
SELECT i.claim_type, i.claim_token_id, i.claim_holder, i.claim_worker, coalesce(` + sinceClaimed + `, @now) AS since
FROM issues i WHERE i.project_id = @project_id AND i.id = @id AND i.claim_expires_at > @now`
	selectWaiting = `
SELECT a.id, a.action, a.issue_id, a.payload, a.requested_by, a.requested_at, a.expires_at
FROM (SELECT @project_id::bigint AS project_id, @id::bigint AS id) i JOIN approvals a ON ` + isAboutIssue + `
ORDER BY a.requested_at DESC, a.id DESC LIMIT @rows`
)

// holderRow is the holder of an issue.
type holderRow struct {
	ClaimType    core.ActorType
	ClaimTokenID int64
	ClaimHolder  string
	ClaimWorker  string
	Since        core.Time
}

func (r holderRow) toActor() *core.Actor {
	return &core.Actor{Type: r.ClaimType, ID: core.OptInt(r.ClaimTokenID), Name: r.ClaimHolder, Worker: r.ClaimWorker}
}

// waitingRow is an action that waits for approval.
type waitingRow struct {
	ID          int64
	Action      core.HeldAction
	IssueID     int64
	Payload     string
	RequestedBy string
	RequestedAt core.Time
	ExpiresAt   core.Time
}

func (r waitingRow) toCore() (core.BriefApproval, error) {
	var payload mergeData
	if err := json.Unmarshal([]byte(r.Payload), &payload); err != nil {
		return core.BriefApproval{}, fmt.Errorf("store: payload of approval %d: %w", r.ID, err)
	}
	return core.BriefApproval{
		ID: r.ID, Action: core.HeldIssueAction(r.Action), TargetID: r.IssueID, SourceIDs: payload.SourceIDs, RequestedBy: r.RequestedBy,
		RequestedAt: r.RequestedAt, ExpiresAt: r.ExpiresAt,
	}, nil
}

// addClaim adds the issue's holder and the actions that wait for approval to the facts.
func (r briefRows) addClaim(facts *core.IssueFacts) error {
	if len(r.holders) > 0 {
		facts.Holder, facts.HeldSince = r.holders[0].toActor(), r.holders[0].Since
	}
	for _, row := range r.waiting {
		approval, err := row.toCore()
		if err != nil {
			return err
		}
		facts.Approvals = append(facts.Approvals, approval)
	}
	return nil
}
