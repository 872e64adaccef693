package store

import (
	"cmp"
	"context"
	"slices"

	"errand/core"
	"errand/store/pg"
)

// BulkChange is a change of several issues.
type BulkChange struct {
	IDs    []int64 // each once
	Action core.BulkAction
	Term   core.IgnoreTerm // of an ignore
	Holds  bool            // it waits for approval, issue by issue
}

const (
	findOwnersOfIssues = `
SELECT i.id, i.project_id
FROM unnest(@ids::bigint[]) AS n (id)
CROSS JOIN LATERAL (SELECT id, project_id FROM issues WHERE id = n.id LIMIT 1) i`
	findOwnersAnywhere = `SELECT id, project_id FROM issues WHERE id = ANY (@ids)`
	lockIssuesInOrder  = `
SELECT i.id
FROM issues i
JOIN unnest(@projects::bigint[], @ids::bigint[]) AS n (project_id, id) ON i.project_id = n.project_id AND i.id = n.id
	AND /* of some projects: i */ true
ORDER BY i.project_id, i.id FOR UPDATE OF i`
)

// ownedIssue is an issue with its project.
type ownedIssue struct{ ID, ProjectID int64 }

// ChangeIssues changes issues in one transaction and returns the outcomes in the order of their ids. A refused issue does not
// stop the others.
func (s *Store) ChangeIssues(ctx context.Context, actor core.Actor, b BulkChange) ([]core.ChangedIssue, error) {
	refused := map[int64]core.ChangedIssue{}
	owned, err := s.findOwners(ctx, b.IDs, refused)
	if err != nil {
		return nil, err
	}
	var changed map[int64]core.ChangedIssue
	err = s.inTx(ctx, func(t *tx) error {
		changed = make(map[int64]core.ChangedIssue, len(owned))
		if b.Holds { // before the locks of the issues, because a decision locks the request first too
			if err := t.expireApprovals(ctx); err != nil {
				return err
			}
		}
		projects, ids, _ := pg.SplitColumns(owned, func(o ownedIssue) (project, issue int64, _ struct{}) {
			return o.ProjectID, o.ID, struct{}{}
		})
		_, err := pg.QueryEach[struct{ ID int64 }](ctx, s.db, t, lockIssuesInOrder, pg.Args{"projects": projects, "ids": ids}, projects)
		if err != nil {
			return err
		}
		for _, issue := range owned {
			one, err := t.changeOne(ctx, actor, issue, b)
			if err != nil && core.AsError(err).Status() >= 500 {
				return err
			}
			if err != nil {
				one = refuseChange(issue.ID, err)
			}
			changed[issue.ID] = one
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, issue := range owned {
		s.forgetCounts(issue.ProjectID)
	}
	outcomes := make([]core.ChangedIssue, len(b.IDs))
	for i, id := range b.IDs {
		outcomes[i] = changed[id]
		if why, isRefused := refused[id]; isRefused {
			outcomes[i] = why
		}
	}
	return outcomes, nil
}

// findOwners returns the issues that the caller may change, with their projects, in the order of locks. It adds the others to
// refused, with the reason.
func (s *Store) findOwners(ctx context.Context, ids []int64, refused map[int64]core.ChangedIssue) ([]ownedIssue, error) {
	rows, err := pg.QueryMany[ownedIssue](ctx, s.db.Main, s.db.ChooseForm(findOwnersOfIssues, findOwnersAnywhere), pg.Args{"ids": ids})
	if err != nil {
		return nil, err
	}
	var owned []ownedIssue
	for _, id := range ids {
		at := slices.IndexFunc(rows, func(o ownedIssue) bool { return o.ID == id })
		if at < 0 {
			refused[id] = refuseChange(id, core.NewError(core.NotFound))
			continue
		}
		if err := core.CheckReach(ctx, rows[at].ProjectID); err != nil {
			refused[id] = refuseChange(id, err)
			continue
		}
		owned = append(owned, rows[at])
	}
	slices.SortFunc(owned, func(a, b ownedIssue) int {
		return cmp.Or(cmp.Compare(a.ProjectID, b.ProjectID), cmp.Compare(a.ID, b.ID))
	})
	return owned, nil
}

// changeOne changes one of the issues. It refuses before it changes anything.
func (t *tx) changeOne(ctx context.Context, actor core.Actor, issue ownedIssue, b BulkChange) (core.ChangedIssue, error) {
	if b.Holds {
		held, err := t.holdIgnore(ctx, actor, issue, b.Term)
		if err != nil || held.ApprovalID != 0 {
			return held, err
		}
	}
	c, err := t.beginChange(ctx, actor, issue.ProjectID, issue.ID)
	if err != nil {
		return core.ChangedIssue{}, err
	}
	to := map[core.BulkAction]core.Status{
		core.BulkResolve: core.Resolved, core.BulkIgnore: core.Ignored, core.BulkUnresolve: core.Unresolved,
	}[b.Action]
	isChanged := c.before.Status != to
	if to == core.Ignored {
		isChanged, err = c.ignoreIssue(ctx, b.Term)
	} else {
		err = c.setStatus(ctx, to)
	}
	if err != nil {
		return core.ChangedIssue{}, err
	}
	one := core.ChangedIssue{ID: issue.ID, Outcome: core.BulkUnchanged, StatusBefore: core.Text(c.before.Status), Status: core.Text(to)}
	if isChanged {
		one.Outcome = core.BulkChanged
	}
	return one, c.endChange(ctx)
}

// holdIgnore requests approval of an ignore. One that would change nothing is not held.
func (t *tx) holdIgnore(ctx context.Context, actor core.Actor, issue ownedIssue, term core.IgnoreTerm) (core.ChangedIssue, error) {
	before, err := t.lockIssue(ctx, issue.ProjectID, issue.ID)
	if core.HasCode(err, core.NotFound) {
		return core.ChangedIssue{}, t.explainMissing(ctx, issue.ProjectID, issue.ID, err)
	}
	if err != nil {
		return core.ChangedIssue{}, err
	}
	if _, err := before.findIgnoreEnd(term, t.Now); err != nil || !before.wouldIgnore(term) {
		return core.ChangedIssue{}, err
	}
	id, err := t.requestApproval(ctx, actor, core.HoldIgnore, actionRequest{project: issue.ProjectID, issue: issue.ID, payload: term})
	return core.ChangedIssue{ID: issue.ID, Outcome: core.BulkHeld, StatusBefore: core.Text(before.Status), Status: core.Text(before.Status),
		ApprovalID: core.OptInt(id)}, err
}

// refuseChange returns the outcome of an issue that was not changed.
func refuseChange(id int64, err error) core.ChangedIssue {
	refusal := core.AsError(err)
	message := refusal.Code.Info().Meaning
	if len(refusal.Details) > 0 {
		message = refusal.Details[0].Path + " " + refusal.Details[0].Message
	}
	return core.ChangedIssue{ID: id, Outcome: core.BulkRefused, Error: core.Text(refusal.Code), Message: core.Text(message),
		MergedInto: core.OptInt(refusal.MergedInto())}
}
