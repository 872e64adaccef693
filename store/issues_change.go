package store

import (
	"context"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// A merged issue takes no changes: it is not_found, like one that does not exist (primary API, States).
const lockIssue = `
SELECT i.status, i.claim_type, i.claim_token_id, i.claim_holder, i.claim_worker, i.claim_expires_at,
	i.times_seen, i.users_affected, i.ignored_at = i.status_at IS TRUE AS has_term
FROM issues i JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
WHERE i.project_id = @project_id AND i.id = @id AND i.status <> 'merged' FOR UPDATE OF i`

type lockedIssue struct {
	Status         core.Status
	ClaimType      core.ActorType
	ClaimTokenID   int64
	ClaimHolder    string
	ClaimWorker    string
	ClaimExpiresAt core.Time
	TimesSeen      int64
	UsersAffected  int64
	HasTerm        bool // it is ignored until something
}

// issueChange is a change of one issue in its transaction.
type issueChange struct {
	*tx
	project, id int64
	actor       core.Actor
	before      lockedIssue
	claimIsSet  bool // set by the change itself
}

// recordChange writes the activity row of the change.
func (c *issueChange) recordChange(ctx context.Context, action core.Action, data any) (int64, error) {
	return c.tx.recordActivity(ctx, activity.Entry{
		ProjectID: c.project, Actor: c.actor, Action: action, TargetType: core.TargetIssue, TargetID: c.id, Data: data,
	})
}

// changeIssue locks an issue, changes it and returns its new state.
func (s *Store) changeIssue(ctx context.Context, actor core.Actor, id int64, fn func(*issueChange) error) (core.Issue, error) {
	var issue core.Issue
	project, err := s.findIssueOwner(ctx, id)
	if err != nil {
		return issue, err
	}
	err = s.inTx(ctx, func(t *tx) error {
		issue, err = t.changeIssue(ctx, actor, project, id, fn)
		return err
	})
	s.forgetCounts(project)
	return issue, err
}

// lockIssue locks an issue that accepts changes.
func (t *tx) lockIssue(ctx context.Context, project, id int64) (lockedIssue, error) {
	return pg.QueryOne[lockedIssue](ctx, t, lockIssue, pg.Args{"project_id": project, "id": id})
}

func (t *tx) changeIssue(ctx context.Context, actor core.Actor, project, id int64, fn func(*issueChange) error) (core.Issue, error) {
	if err := t.runChange(ctx, actor, project, id, fn); err != nil {
		return core.Issue{}, err
	}
	row, err := readIssue(ctx, t.store.db, t, project, id, t.Now)
	return row.toIssue(t.Now), err
}

// changeDetail is changeIssue, and returns the issue with its fix.
func (t *tx) changeDetail(
	ctx context.Context, actor core.Actor, project, id int64, fn func(*issueChange) error,
) (core.IssueDetail, error) {
	if err := t.runChange(ctx, actor, project, id, fn); err != nil {
		return core.IssueDetail{}, err
	}
	return t.store.readDetail(ctx, t, project, id, t.Now)
}

func (t *tx) runChange(ctx context.Context, actor core.Actor, project, id int64, fn func(*issueChange) error) error {
	change, err := t.beginChange(ctx, actor, project, id)
	if err == nil {
		err = fn(change)
	}
	if err == nil {
		err = change.endChange(ctx)
	}
	return err
}

// beginChange locks an issue for a change.
func (t *tx) beginChange(ctx context.Context, actor core.Actor, project, id int64) (*issueChange, error) {
	before, err := t.lockIssue(ctx, project, id)
	if core.HasCode(err, core.NotFound) {
		return nil, t.explainMissing(ctx, project, id, err)
	}
	if err != nil {
		return nil, err
	}
	if err := t.endIfLapsed(ctx, project, id, before); err != nil {
		return nil, err
	}
	change := &issueChange{tx: t, project: project, id: id, actor: actor, before: before}
	return change, change.tellStanding(ctx)
}

// endChange renews the claim of the actor, because work on an issue keeps it.
func (c *issueChange) endChange(ctx context.Context) error {
	if !c.holdsClaim() || c.claimIsSet {
		return nil
	}
	return c.renewClaim(ctx, c.actor, c.project, c.id)
}

const findTarget = `
SELECT i.merged_into FROM issues i JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
WHERE i.project_id = @project_id AND i.id = @id AND i.merged_into IS NOT NULL`

// explainMissing adds to a not_found the issue that got the events of a merged one.
func (t *tx) explainMissing(ctx context.Context, project, id int64, missing error) error {
	into, err := pg.QueryOne[struct{ MergedInto int64 }](ctx, t, findTarget, pg.Args{"project_id": project, "id": id})
	switch {
	case core.HasCode(err, core.NotFound):
		return missing
	case err != nil:
		return err
	}
	return refuseMerged(core.OptInt(into.MergedInto))
}

// refuseMerged returns the error for a merged issue, which names the issue that has its events.
func refuseMerged(into core.OptInt) error {
	return core.NewError(core.NotFound).Tell("merged_into", int64(into))
}

const setStatus = `UPDATE issues SET status = @status, status_at = @now WHERE project_id = @project_id AND id = @id`

// statusActions are the statuses that a caller can set, and the activity of each.
var statusActions = map[core.Status]core.Action{
	core.Resolved:   core.ActionIssueResolve,
	core.Ignored:    core.ActionIssueIgnore,
	core.Unresolved: core.ActionIssueUnresolve,
}

// SetIssueStatus resolves, ignores or reopens an issue. Setting the same status again changes nothing and leaves no activity.
func (s *Store) SetIssueStatus(ctx context.Context, actor core.Actor, id int64, to core.Status) (core.Issue, error) {
	return s.changeIssue(ctx, actor, id, func(c *issueChange) error { return c.setStatus(ctx, to) })
}

func (c *issueChange) setStatus(ctx context.Context, to core.Status) error {
	if c.before.Status == to {
		return nil
	}
	if err := c.closeFix(ctx, c.project, c.id); err != nil {
		return err
	}
	if _, err := pg.Exec(ctx, c, setStatus, pg.Args{"status": string(to), "now": c.Now, "project_id": c.project, "id": c.id}); err != nil {
		return err
	}
	_, err := c.recordChange(ctx, statusActions[to], activity.FromTo{From: c.before.Status, To: to})
	return err
}

// ResolveIssue resolves an issue, and hands it over.
func (s *Store) ResolveIssue(ctx context.Context, actor core.Actor, id int64, h WorkEnd) (core.Issue, error) {
	return s.changeIssue(ctx, actor, id, func(c *issueChange) error {
		if err := c.setStatus(ctx, core.Resolved); err != nil {
			return err
		}
		return c.handOver(ctx, h)
	})
}

// AddNote adds a note to an issue's activity and returns the id of the row.
func (s *Store) AddNote(ctx context.Context, actor core.Actor, id int64, text string) (int64, error) {
	var note int64
	_, err := s.changeIssue(ctx, actor, id, func(c *issueChange) error {
		var err error
		note, err = c.recordChange(ctx, core.ActionIssueNote, noteData{text})
		return err
	})
	return note, err
}

// addNote adds a note, unless it is empty.
func (c *issueChange) addNote(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	_, err := c.recordChange(ctx, core.ActionIssueNote, noteData{text})
	return err
}

// noteData is the data of a note in the activity.
type noteData struct {
	Text string `json:"text"`
}
