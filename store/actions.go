package store

import (
	"context"
	"errors"
	"slices"

	"errand/core"
	"errand/store/pg"
)

// Action is a change that a deployment can hold until a second admin approves it (primary API, Approvals). Its value
// says all about it but who makes it.
type Action interface {
	// Held is the word by which a deployment holds it.
	Held() core.HeldAction
	// request is how the action stands in a request for approval. What it changes must exist: it is looked up here,
	// before the transaction, which must not ask for a second connection.
	request(context.Context, *Store) (request, error)
	// run makes the change in the project, and gives the changed issue if it is one.
	run(ctx context.Context, t *tx, actor core.Actor, project int64) (core.Issue, error)
}

// Do carries an action out.
func (s *Store) Do(ctx context.Context, actor core.Actor, a Action) (core.Issue, error) {
	var issue core.Issue
	r, err := a.request(ctx, s)
	if err != nil {
		return issue, err
	}
	err = s.inTx(ctx, func(t *tx) error {
		issue, err = a.run(ctx, t, actor, r.project)
		return err
	})
	return issue, err
}

// Ask requests approval of an action instead of carrying it out: the error approval_required has the approval_id. The
// action is tried first, so that an impossible one fails here as in Do; one that changes nothing is done. As long as
// the actor's request for the same action is pending, asking again gives the same approval_id.
func (s *Store) Ask(ctx context.Context, actor core.Actor, a Action) (core.Issue, error) {
	r, err := a.request(ctx, s)
	if err != nil {
		return core.Issue{}, err
	}
	var issue core.Issue
	var approval int64
	err = s.inTx(ctx, func(t *tx) error {
		var changes bool
		if issue, changes, err = t.try(ctx, actor, a, r.project); err != nil || !changes {
			return err
		}
		approval, err = t.ask(ctx, actor, a.Held(), r)
		return err
	})
	switch {
	case err != nil:
		return core.Issue{}, err
	case approval != 0:
		return core.Issue{}, core.NewError(core.ApprovalRequired).With("approval_id", approval)
	default:
		return issue, nil
	}
}

// try carries an action out and undoes it: it gives the action's outcome, and whether there was anything to undo.
func (t *tx) try(ctx context.Context, actor core.Actor, a Action, project int64) (issue core.Issue, changes bool, err error) {
	savepoint, err := t.Begin(ctx)
	if err != nil {
		return issue, false, err
	}
	trial := &tx{Tx: &pg.Tx{Tx: savepoint, Now: t.Now}, store: t.store, trial: true}
	issue, err = a.run(ctx, trial, actor, project)
	possible := errors.Is(err, errPossible)
	if err != nil && !possible {
		return issue, false, err
	}
	return issue, possible || trial.recorded > 0, savepoint.Rollback(ctx)
}

// IgnoreIssue is the action of SetStatus that can be held: to ignored.
type IgnoreIssue struct{ ID int64 }

// Held is ignore.
func (IgnoreIssue) Held() core.HeldAction { return core.HoldIgnore }

func (a IgnoreIssue) request(ctx context.Context, s *Store) (request, error) {
	project, err := s.issueOwner(ctx, a.ID)
	return request{project: project, issue: a.ID, payload: struct{}{}}, err
}

func (a IgnoreIssue) run(ctx context.Context, t *tx, actor core.Actor, project int64) (core.Issue, error) {
	return t.changeIssue(ctx, actor, project, a.ID, func(c *change) error { return c.setStatus(ctx, core.Ignored) })
}

// MergeIssues moves all that the sources have to the target: events, counts, users, environments, releases and
// fingerprints. The sources become merged and lose their claims; issues that were merged into them now name the target,
// whose status and claim stay, but for a resolved one: an open source reopens it. An unknown target is not_found; what is wrong with the sources, or a target that is itself
// merged, is invalid_request (primary API, Merge rules).
type MergeIssues struct {
	Target  int64
	Sources []int64
}

// Held is merge.
func (MergeIssues) Held() core.HeldAction { return core.HoldMerge }

// sources gives the sources sorted, each once.
func (a MergeIssues) sources() []int64 {
	return slices.Compact(slices.Sorted(slices.Values(a.Sources)))
}

func (a MergeIssues) request(ctx context.Context, s *Store) (request, error) {
	project, err := s.issueOwner(ctx, a.Target)
	return request{project: project, issue: a.Target, payload: mergeData{a.sources()}}, err
}

func (a MergeIssues) run(ctx context.Context, t *tx, actor core.Actor, project int64) (core.Issue, error) {
	m := &merge{tx: t, project: project, target: a.Target, sources: a.sources()}
	return m.merge(ctx, actor)
}

// DeleteProject hides a project at once, frees its slug and revokes the tokens that are bound to it; an unknown or
// deleted one is project_not_found. Its keys stop working as the servers forget them, within 60 seconds, and its rows are
// deleted after that: see PurgeProject. The timeline stays.
type DeleteProject struct{ ID int64 }

// Held is delete_project.
func (DeleteProject) Held() core.HeldAction { return core.HoldDeleteProject }

func (a DeleteProject) request(ctx context.Context, s *Store) (request, error) {
	project, err := s.Project(ctx, a.ID)
	if core.HasCode(err, core.NotFound) {
		return request{}, core.NewError(core.ProjectNotFound)
	}
	return request{project: a.ID, payload: struct {
		ProjectID int64  `json:"project_id"`
		Name      string `json:"name"`
	}{a.ID, project.Name}}, err
}

func (a DeleteProject) run(ctx context.Context, t *tx, actor core.Actor, _ int64) (core.Issue, error) {
	return core.Issue{}, t.deleteProject(ctx, actor, a.ID)
}
