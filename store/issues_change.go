package store

import (
	"context"
	"time"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// An issue that is merged takes no changes: it is not_found, as one that is not there (primary API, States).
const lockIssue = `
SELECT i.status, i.claim_type, i.claim_token_id, i.claim_holder, i.claim_expires_at
FROM issues i JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
WHERE i.project_id = @project_id AND i.id = @id AND i.status <> 'merged' FOR UPDATE OF i`

type lockedIssue struct {
	Status         core.Status
	ClaimType      core.ActorType
	ClaimTokenID   int64
	ClaimHolder    string
	ClaimExpiresAt core.Time
}

// change is a change of one issue in its transaction.
type change struct {
	*tx
	project, id int64
	actor       core.Actor
	before      lockedIssue
}

// record writes the activity row of the change.
func (c *change) record(ctx context.Context, action core.Action, data any) (int64, error) {
	return c.tx.record(ctx, activity.Entry{
		ProjectID: c.project, Actor: c.actor, Action: action, TargetType: core.TargetIssue, TargetID: c.id, Data: data,
	})
}

// changeIssue locks an issue, changes it and gives it as it is then.
func (s *Store) changeIssue(ctx context.Context, actor core.Actor, id int64, fn func(*change) error) (core.Issue, error) {
	var issue core.Issue
	project, err := s.issueOwner(ctx, id)
	if err != nil {
		return issue, err
	}
	err = s.inTx(ctx, func(t *tx) error {
		issue, err = t.changeIssue(ctx, actor, project, id, fn)
		return err
	})
	return issue, err
}

// lockIssue locks an issue that takes changes.
func (t *tx) lockIssue(ctx context.Context, project, id int64) (lockedIssue, error) {
	return pg.QueryOne[lockedIssue](ctx, t, lockIssue, pg.Args{"project_id": project, "id": id})
}

func (t *tx) changeIssue(ctx context.Context, actor core.Actor, project, id int64, fn func(*change) error) (core.Issue, error) {
	before, err := t.lockIssue(ctx, project, id)
	if err != nil {
		return core.Issue{}, err
	}
	if err := fn(&change{tx: t, project: project, id: id, actor: actor, before: before}); err != nil {
		return core.Issue{}, err
	}
	row, err := readIssue(ctx, t, project, id, t.Now)
	return row.issue(t.Now), err
}

const setStatus = `UPDATE issues SET status = @status, status_at = @now WHERE project_id = @project_id AND id = @id`

// statusActions are the statuses that a caller can set, with the activity that each one leaves.
var statusActions = map[core.Status]core.Action{
	core.Resolved:   core.ActionIssueResolve,
	core.Ignored:    core.ActionIssueIgnore,
	core.Unresolved: core.ActionIssueUnresolve,
}

// SetStatus resolves, ignores or reopens an issue. The same status again changes nothing and leaves no activity.
func (s *Store) SetStatus(ctx context.Context, actor core.Actor, id int64, to core.Status) (core.Issue, error) {
	return s.changeIssue(ctx, actor, id, func(c *change) error { return c.setStatus(ctx, to) })
}

func (c *change) setStatus(ctx context.Context, to core.Status) error {
	if c.before.Status == to {
		return nil
	}
	if err := c.closeFix(ctx, c.project, c.id); err != nil {
		return err
	}
	if _, err := pg.Exec(ctx, c, setStatus, pg.Args{"status": string(to), "now": c.Now, "project_id": c.project, "id": c.id}); err != nil {
		return err
	}
	_, err := c.record(ctx, statusActions[to], activity.FromTo{From: c.before.Status, To: to})
	return err
}

const setClaim = `
UPDATE issues SET claim_type = @type, claim_token_id = @token_id, claim_holder = @holder, claim_expires_at = @expires_at
WHERE project_id = @project_id AND id = @id`

// Claim gives the actor a lease on an issue, or renews its own. While another holds it the error is claimed; for a token
// that was revoked meanwhile it is unauthorized.
func (s *Store) Claim(ctx context.Context, actor core.Actor, id, minutes int64) (core.Issue, error) {
	var issue core.Issue
	project, err := s.issueOwner(ctx, id)
	if err != nil {
		return issue, err
	}
	err = s.inTx(ctx, func(t *tx) error {
		if err := t.shareToken(ctx, actor); err != nil { // before the issue, as a revocation locks them
			return err
		}
		issue, err = t.changeIssue(ctx, actor, project, id, func(c *change) error { return c.claim(ctx, minutes) })
		return err
	})
	return issue, err
}

func (c *change) claim(ctx context.Context, minutes int64) error {
	if c.before.activeAt(c.Now) && !c.before.heldBy(c.actor) {
		return core.NewError(core.Claimed).With("claim", c.before.claim())
	}
	expires := core.At(c.Now.Add(time.Duration(minutes) * time.Minute))
	if err := c.setClaim(ctx, c.actor, expires); err != nil {
		return err
	}
	_, err := c.record(ctx, core.ActionIssueClaim, struct {
		Minutes   int64     `json:"minutes"`
		ExpiresAt core.Time `json:"expires_at"`
	}{minutes, expires})
	return err
}

// Release ends the claim on an issue. Without an active claim nothing changes; a claim of somebody else is
// not_claim_holder unless the actor is an admin.
func (s *Store) Release(ctx context.Context, actor core.Actor, id int64) (core.Issue, error) {
	return s.changeIssue(ctx, actor, id, func(c *change) error {
		switch {
		case !c.before.activeAt(c.Now):
			return nil
		case !c.before.heldBy(actor) && !actor.Has(core.Admin):
			return core.NewError(core.NotClaimHolder).With("claim", c.before.claim())
		}
		if err := c.setClaim(ctx, core.Actor{}, core.Time{}); err != nil {
			return err
		}
		_, err := c.record(ctx, core.ActionIssueRelease, nil)
		return err
	})
}

func (c *change) setClaim(ctx context.Context, holder core.Actor, expires core.Time) error {
	_, err := pg.Exec(ctx, c, setClaim, pg.Args{
		"type": string(holder.Type), "token_id": int64(holder.ID), "holder": holder.Name, "expires_at": expires,
		"project_id": c.project, "id": c.id,
	})
	return err
}

func (l lockedIssue) activeAt(now core.Time) bool { return l.ClaimExpiresAt.After(now.Time) }

func (l lockedIssue) heldBy(a core.Actor) bool {
	return a.IsSame(core.Actor{Type: l.ClaimType, ID: core.OptInt(l.ClaimTokenID), Name: l.ClaimHolder})
}

func (l lockedIssue) claim() core.Claim {
	return core.Claim{Holder: l.ClaimHolder, ExpiresAt: l.ClaimExpiresAt}
}

// AddNote adds a note to an issue's activity and gives the id of the row.
func (s *Store) AddNote(ctx context.Context, actor core.Actor, id int64, text string) (int64, error) {
	var note int64
	_, err := s.changeIssue(ctx, actor, id, func(c *change) error {
		var err error
		note, err = c.record(ctx, core.ActionIssueNote, struct {
			Text string `json:"text"`
		}{text})
		return err
	})
	return note, err
}
