package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

const approvalIDs pg.Series = "approvals"

// actionRequest is an action in the form that a request for approval stores.
type actionRequest struct {
	project int64
	issue   int64 // 0: the action changes no issue
	payload any   // the rest of the action, equal for equal actions
}

const (
	pendingApproval = `
SELECT id FROM approvals
WHERE requested_by_type = @by_type AND requested_by_id = @by_id AND requested_by = @by
	AND action = @action AND project_id = @project_id AND issue_id = @issue_id AND payload = @payload
	AND status = 'pending'`
	insertApproval = `
INSERT INTO approvals (id, action, project_id, issue_id, payload,
	requested_by_type, requested_by_id, requested_by, requested_at, expires_at, status)
VALUES (@id, @action, @project_id, @issue_id, @payload, @by_type, @by_id, @by, @now, @expires_at, 'pending')`
	expireApprovals = `
UPDATE approvals SET status = 'expired' WHERE id IN (
	SELECT id FROM approvals WHERE status = 'pending' AND expires_at <= @now ORDER BY id FOR UPDATE)`
	hasExpired       = `SELECT EXISTS (SELECT 1 FROM approvals WHERE status = 'pending' AND expires_at <= @now) AS found`
	expireOnAllNodes = `UPDATE approvals SET status = 'expired' WHERE status = 'pending' AND expires_at <= @now`
)

// requestApproval makes the request, unless the actor already has a pending one for the same action, and returns its id.
// The target is locked, so that no other server makes the same request at the same time.
func (t *tx) requestApproval(ctx context.Context, actor core.Actor, word core.HeldAction, r actionRequest) (int64, error) {
	payload, err := json.Marshal(r.payload)
	if err != nil {
		return 0, err
	}
	same := pg.Args{
		"action": string(word), "project_id": r.project, "issue_id": r.issue, "payload": string(payload),
		"by_type": string(actor.Type), "by_id": int64(actor.ID), "by": actor.Name,
	}
	pending, err := pg.QueryOne[struct{ ID int64 }](ctx, t, pendingApproval, same)
	if !core.HasCode(err, core.NotFound) {
		return pending.ID, err
	}
	id, err := t.store.db.IDs.TakeOne(ctx, approvalIDs)
	if err != nil {
		return 0, err
	}
	added := maps.Clone(same)
	added["id"], added["now"], added["expires_at"] = id, t.Now, core.At(t.Now.Add(core.ApprovalTerm))
	if _, err := pg.Exec(ctx, t, insertApproval, added); err != nil {
		return 0, err
	}
	return id, t.recordApproval(ctx, actor, core.ActionApprovalRequest, storedRequest{
		ID: id, Action: word, ProjectID: r.project, IssueID: r.issue, Payload: string(payload),
	}, "")
}

// recordApproval writes the activity row of a request or a decision; failure says why an approved action was not done.
func (t *tx) recordApproval(ctx context.Context, actor core.Actor, action core.Action, r storedRequest, failure string) error {
	_, err := t.recordActivity(ctx, activity.Entry{
		ProjectID: r.ProjectID, Actor: actor, Action: action, TargetType: core.TargetApproval, TargetID: r.ID,
		Data: struct {
			Action  core.HeldAction `json:"action"`
			IssueID core.OptInt     `json:"issue_id"`
			Payload json.RawMessage `json:"payload"`
			Failed  string          `json:"failed,omitempty"`
		}{r.Action, core.OptInt(r.IssueID), json.RawMessage(r.Payload), failure},
	})
	return err
}

// ExpireApprovals records which requests have expired. Readers do not depend on it.
func (s *Store) ExpireApprovals(ctx context.Context) error {
	return s.inTx(ctx, func(t *tx) error { return t.expireApprovals(ctx) })
}

func (t *tx) expireApprovals(ctx context.Context) error {
	args := pg.Args{"now": t.Now}
	if !t.IsDistributed() {
		_, err := pg.Exec(ctx, t, expireApprovals, args)
		return err
	}
	// Each node has the table, so one after the other changes it, and only when there is something to change.
	some, err := pg.QueryOne[struct{ Found bool }](ctx, t, hasExpired, args)
	if err != nil || !some.Found {
		return err
	}
	if err := t.LockName(ctx, "approvals", 0); err != nil {
		return err
	}
	_, err = pg.Exec(ctx, t, expireOnAllNodes, args)
	return err
}

const listApprovals = `
SELECT id, action, issue_id, payload, requested_by, requested_at, expires_at,
	CASE WHEN status = 'pending' AND expires_at <= @now THEN 'expired' ELSE status END AS status,
	coalesce(decided_by, '') AS decided_by, decided_at
FROM approvals`

// ListApprovals lists the requests for approval in reach, all or those with the status, most recent first.
func (s *Store) ListApprovals(ctx context.Context, status core.ApprovalStatus, page core.Paging) (core.Page[core.Approval], error) {
	l := pg.NewList(ctx, "", "requested_at", page)
	l.Args["now"] = s.Now()
	switch status {
	case "":
	case core.RequestPending:
		l.Where("status = 'pending' AND expires_at > @now")
	case core.RequestExpired:
		l.Where("(status = 'expired' OR status = 'pending' AND expires_at <= @now)")
	default:
		l.WhereArg("status = @status", "status", string(status))
	}
	if status != "" {
		l.FilterDigest = pg.DigestFilter(status)
	}
	return pg.ReadPage(ctx, s.db, l, listApprovals, func(a core.Approval) (core.Time, int64) { return a.RequestedAt, a.ID })
}

// The partial index of pending requests finds them.
const countPendingApprovals = `
SELECT count(*) AS n
FROM (
	SELECT 1 FROM approvals
	WHERE status = 'pending'
		AND expires_at > @now
		AND (@reach::bigint[] IS NULL OR project_id = ANY (@reach))
	LIMIT @most
) p`

// CountApprovals counts the requests in reach that wait for a decision, up to core.ApprovalsCounted.
func (s *Store) CountApprovals(ctx context.Context) (int64, error) {
	row, err := pg.QueryOne[struct{ N int64 }](ctx, s.db.Main, countPendingApprovals, pg.Args{
		"now": s.Now(), "reach": core.ReachOf(ctx).Projects(), "most": core.ApprovalsCounted,
	})
	return row.N, err
}

const (
	lockApproval = `
SELECT id, action, project_id, issue_id, payload, requested_by_type, requested_by_id, requested_by, requested_at,
	expires_at, status
FROM approvals WHERE id = @id FOR UPDATE`
	decideApproval = `UPDATE approvals SET status = @status, decided_by = @by, decided_at = @now WHERE id = @id`
)

// storedRequest is the locked row of a request for approval.
type storedRequest struct {
	ID              int64
	Action          core.HeldAction
	ProjectID       int64
	IssueID         int64
	Payload         string
	RequestedByType core.ActorType
	RequestedByID   int64
	RequestedBy     string
	RequestedAt     core.Time
	ExpiresAt       core.Time
	Status          core.ApprovalStatus
}

// rebuildAction returns the requested action.
func (r storedRequest) rebuildAction() (HoldableChange, error) {
	rebuild, known := rebuildAction[r.Action]
	if !known {
		return nil, fmt.Errorf("store: approval of the unknown action %q", r.Action)
	}
	return rebuild(r)
}

func (r storedRequest) requestingActor() core.Actor {
	return core.Actor{Type: r.RequestedByType, ID: core.OptInt(r.RequestedByID), Name: r.RequestedBy}
}

// checkDecider refuses a person who does not manage the project or may not do the requested action.
func checkDecider(ctx context.Context, r storedRequest) error {
	if err := core.CheckReach(ctx, r.ProjectID); err != nil || r.Action.Right() != core.SiteRight {
		return err
	}
	return core.CheckSiteReach(ctx)
}

// lockUndecided locks a request that the actor may decide now.
func (t *tx) lockUndecided(ctx context.Context, actor core.Actor, id int64) (storedRequest, error) {
	r, err := pg.QueryLocked[storedRequest](ctx, t.Tx, lockApproval, pg.Args{"id": id}, "approvals", id)
	if err == nil {
		err = checkDecider(ctx, r)
	}
	switch {
	case err != nil:
		return r, err
	case actor.IsSame(r.requestingActor()):
		return r, core.NewError(core.Forbidden).With("reason", "the request is your own: another admin must decide it")
	case r.Status != core.RequestPending || !r.ExpiresAt.After(t.Now.Time):
		return r, core.NewError(core.ApprovalNotPending)
	default:
		return r, nil
	}
}

// decideRequest ends a request and writes the activity row of the decision.
func (t *tx) decideRequest(
	ctx context.Context, actor core.Actor, r storedRequest, to core.ApprovalStatus, decision core.Action, failure string,
) error {
	_, err := pg.Exec(ctx, t, decideApproval, pg.Args{"status": string(to), "by": actor.Name, "now": t.Now, "id": r.ID})
	if err != nil {
		return err
	}
	return t.recordApproval(ctx, actor, decision, r, failure)
}

// ApproveRequest carries out the action of a pending request on behalf of its requester. The actor's own request is
// forbidden; a decided or expired one is approval_not_pending. If an issue of the action has changed since, or the
// action is no longer possible, the request fails, and the error is approval_failed with the reason.
func (s *Store) ApproveRequest(ctx context.Context, actor core.Actor, id int64) error {
	var reason string
	err := s.inTx(ctx, func(t *tx) error {
		r, err := t.lockUndecided(ctx, actor, id)
		if err != nil {
			return err
		}
		action, err := r.rebuildAction()
		if err != nil {
			return err
		}
		err = t.inSavepoint(ctx, func(inner *tx) error {
			changes, err := action.wouldChange(ctx, inner, r.ProjectID)
			if err == nil && changes {
				err = r.checkUnchanged(ctx, inner, action)
			}
			if err == nil {
				_, err = action.runAction(ctx, inner, r.requestingActor(), r.ProjectID)
			}
			return err
		})
		if reason = explainImpossible(err); reason != "" {
			return t.decideRequest(ctx, actor, r, core.RequestFailed, core.ActionApprovalApprove, reason)
		}
		if err != nil {
			return err
		}
		return t.decideRequest(ctx, actor, r, core.RequestApproved, core.ActionApprovalApprove, "")
	})
	if err == nil && reason != "" {
		return core.NewError(core.ApprovalFailed).With("reason", reason)
	}
	return err
}

// explainImpossible returns why an approved action was refused. It is empty when the action was done, or failed for a
// reason that may pass.
func explainImpossible(err error) string {
	if err == nil {
		return ""
	}
	refused := core.AsError(err)
	var reasons []string
	for _, d := range refused.Details {
		reasons = append(reasons, d.Path+" "+d.Message)
	}
	switch {
	case refused.Status() >= 500:
		return ""
	case refused.Code == core.NotFound:
		reasons = []string{"the issue was merged, or it or its project was deleted"}
	case refused.Code == core.ProjectNotFound:
		reasons = []string{"the project was deleted"}
	case reasons == nil:
		reasons = []string{refused.Code.Info().Meaning}
	}
	return strings.Join(reasons, "; ")
}

// RejectRequest ends a pending request without doing its action. It has the errors of ApproveRequest except approval_failed.
func (s *Store) RejectRequest(ctx context.Context, actor core.Actor, id int64) error {
	return s.inTx(ctx, func(t *tx) error {
		r, err := t.lockUndecided(ctx, actor, id)
		if err != nil {
			return err
		}
		return t.decideRequest(ctx, actor, r, core.RequestRejected, core.ActionApprovalReject, "")
	})
}
