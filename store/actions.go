package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"errand/core"
)

// HoldableChange is a change that a deployment can hold until a second admin approves it (primary API, Approvals). Its value
// describes it completely except for the actor.
type HoldableChange interface {
	// Word is the name of the action in a deployment's list of held actions.
	Word() core.HeldAction
	// newRequest returns the action as a request for approval stores it. The target must exist: it is looked up here,
	// before the transaction, which must not ask for a second connection.
	newRequest(context.Context, *Store) (actionRequest, error)
	// listIssues returns the issues that the action changes.
	listIssues() []int64
	// wouldChange reports whether the action would change anything. It locks the target, and fails where the action would
	// fail. The lock keeps out another request for the same action until the transaction ends.
	wouldChange(ctx context.Context, t *tx, project int64) (bool, error)
	// runAction makes the change in the project. It returns the changed issue if the action changes one.
	runAction(ctx context.Context, t *tx, actor core.Actor, project int64) (core.Issue, error)
}

// rebuildAction rebuilds the action of a stored request, for each action that can be held (core.HeldActions).
var rebuildAction = map[core.HeldAction]func(storedRequest) (HoldableChange, error){
	core.HoldIgnore:        rebuildIgnore,
	core.HoldMerge:         rebuildMerge,
	core.HoldDeleteProject: func(r storedRequest) (HoldableChange, error) { return DeleteProject{ID: r.ProjectID}, nil },
}

// ActionOutcome is the result of an action: it was done, or a request for its approval was made.
type ActionOutcome struct {
	Issue      core.Issue // its new state, when the action changes an issue and was done
	ApprovalID int64      // the request; 0 when the action was done
}

// CarryOut carries an action out.
func (s *Store) CarryOut(ctx context.Context, actor core.Actor, action HoldableChange) (ActionOutcome, error) {
	var outcome ActionOutcome
	request, err := action.newRequest(ctx, s)
	if err != nil {
		return outcome, err
	}
	err = s.inTx(ctx, func(t *tx) error {
		outcome.Issue, err = action.runAction(ctx, t, actor, request.project)
		return err
	})
	s.forgetCounts(request.project)
	return outcome, err
}

// RequestApproval makes a request for approval of an action instead of carrying it out. An impossible action fails as in
// CarryOut, and one that would change nothing is done. As long as the actor's request for the same action is pending,
// asking again returns the same approval.
func (s *Store) RequestApproval(ctx context.Context, actor core.Actor, action HoldableChange) (ActionOutcome, error) {
	var outcome ActionOutcome
	request, err := action.newRequest(ctx, s)
	if err != nil {
		return outcome, err
	}
	err = s.inTx(ctx, func(t *tx) error {
		outcome = ActionOutcome{}
		// Before the locks of the action, because deciding a request locks the request first, too. An expired request is not pending.
		if err := t.expireApprovals(ctx); err != nil {
			return err
		}
		changes, err := action.wouldChange(ctx, t, request.project)
		switch {
		case err != nil:
			return err
		case changes:
			outcome.ApprovalID, err = t.requestApproval(ctx, actor, action.Word(), request)
		default:
			outcome.Issue, err = action.runAction(ctx, t, actor, request.project)
		}
		return err
	})
	return outcome, err
}

// MergeIssues moves everything of the sources to the target: events, counts, users, environments, releases and
// fingerprints. The sources become merged and lose their claims; issues that were merged into them now name the target. The
// target keeps its status and claim, except that an open source reopens a resolved target. An unknown target is not_found;
// bad sources, or a target that is itself merged, are invalid_request (primary API, Merge rules).
type MergeIssues struct {
	Target  int64
	Sources []int64
}

// Word is merge.
func (MergeIssues) Word() core.HeldAction { return core.HoldMerge }

func (a MergeIssues) listIssues() []int64 { return append([]int64{a.Target}, a.Sources...) }

// sortedSources returns the sources, sorted and without duplicates.
func (a MergeIssues) sortedSources() []int64 {
	return slices.Compact(slices.Sorted(slices.Values(a.Sources)))
}

func (a MergeIssues) newRequest(ctx context.Context, s *Store) (actionRequest, error) {
	project, err := s.findIssueOwner(ctx, a.Target)
	return actionRequest{project: project, issue: a.Target, payload: mergeData{a.sortedSources()}}, err
}

func rebuildMerge(r storedRequest) (HoldableChange, error) {
	var payload mergeData
	if err := json.Unmarshal([]byte(r.Payload), &payload); err != nil {
		return nil, fmt.Errorf("store: payload of a merge: %w", err)
	}
	return MergeIssues{Target: r.IssueID, Sources: payload.SourceIDs}, nil
}

// wouldChange is true for every possible merge: a source always becomes merged.
func (a MergeIssues) wouldChange(ctx context.Context, t *tx, project int64) (bool, error) {
	return true, a.in(t, project).checkLocked(ctx)
}

func (a MergeIssues) runAction(ctx context.Context, t *tx, actor core.Actor, project int64) (core.Issue, error) {
	return a.in(t, project).mergeIssues(ctx, actor)
}

func (a MergeIssues) in(t *tx, project int64) *merge {
	return &merge{tx: t, project: project, target: a.Target, sources: a.sortedSources()}
}

// DeleteProject hides a project immediately, frees its slug and revokes the tokens that are bound to it. An unknown or
// deleted project is project_not_found. Its keys stop working within 60 seconds, as the servers forget them, and its rows
// are deleted after that: see PurgeProject. The timeline stays.
type DeleteProject struct{ ID int64 }

// Word is delete_project.
func (DeleteProject) Word() core.HeldAction { return core.HoldDeleteProject }

func (a DeleteProject) newRequest(ctx context.Context, s *Store) (actionRequest, error) {
	project, err := s.ReadProject(ctx, a.ID)
	return actionRequest{project: a.ID, payload: deletionData{a.ID, project.Name}}, asProjectNotFound(err)
}

func (DeleteProject) listIssues() []int64 { return nil }

// deletionData is the payload of a request to delete a project.
type deletionData struct {
	ProjectID int64  `json:"project_id"`
	Name      string `json:"name"`
}

// wouldChange is true for every existing project.
func (a DeleteProject) wouldChange(ctx context.Context, t *tx, _ int64) (bool, error) {
	return true, asProjectNotFound(t.lockProject(ctx, a.ID))
}

func (a DeleteProject) runAction(ctx context.Context, t *tx, actor core.Actor, _ int64) (core.Issue, error) {
	return core.Issue{}, t.deleteProject(ctx, actor, a.ID)
}

// asProjectNotFound turns a row that was not found into project_not_found.
func asProjectNotFound(err error) error {
	if core.HasCode(err, core.NotFound) {
		return core.NewError(core.ProjectNotFound)
	}
	return err
}
