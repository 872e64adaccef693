package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"errand/core"
	"errand/store/pg"
)

// Action is a change that a deployment can hold until a second admin approves it (primary API, Approvals). Its value
// says all about it but who makes it.
type Action interface {
	// Word is the word by which a deployment holds it.
	Word() core.HeldAction
	// newRequest returns how the action stands in a request for approval. What it changes must exist: it is looked up here,
	// before the transaction, which must not ask for a second connection.
	newRequest(context.Context, *Store) (actionRequest, error)
	// wouldChange reports whether the action would change anything. It locks what the action changes, and fails where the
	// action would fail. The lock excludes that of the same action, so that nobody requests the same approval meanwhile.
	wouldChange(ctx context.Context, t *tx, project int64) (bool, error)
	// runAction makes the change in the project, and returns the changed issue if it is one.
	runAction(ctx context.Context, t *tx, actor core.Actor, project int64) (core.Issue, error)
}

// rebuildAction makes the action of a stored request again, for each action that can be held (core.HeldActions).
var rebuildAction = map[core.HeldAction]func(storedRequest) (Action, error){
	core.HoldIgnore:        rebuildIgnore,
	core.HoldMerge:         rebuildMerge,
	core.HoldDeleteProject: func(r storedRequest) (Action, error) { return DeleteProject{ID: r.ProjectID}, nil },
}

// Outcome is what became of an action: it was done, or a request for its approval was made.
type Outcome struct {
	Issue      core.Issue // as it is now, when the action changes an issue and was done
	ApprovalID int64      // of the request; 0 when the action was done
}

// CarryOut carries an action out.
func (s *Store) CarryOut(ctx context.Context, actor core.Actor, action Action) (Outcome, error) {
	var outcome Outcome
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
func (s *Store) RequestApproval(ctx context.Context, actor core.Actor, action Action) (Outcome, error) {
	var outcome Outcome
	request, err := action.newRequest(ctx, s)
	if err != nil {
		return outcome, err
	}
	err = s.inTx(ctx, func(t *tx) error {
		outcome = Outcome{}
		// Before the locks of the action: whoever decides a request locks it first, too. One that has expired is not pending.
		if _, err := pg.Exec(ctx, t, expireApprovals, pg.Args{"now": t.Now}); err != nil {
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

// MergeIssues moves all that the sources have to the target: events, counts, users, environments, releases and
// fingerprints. The sources become merged and lose their claims; issues that were merged into them now name the target,
// whose status and claim stay, but for a resolved one: an open source reopens it. An unknown target is
// not_found; what is
// wrong with the sources, or a target that is itself merged, is invalid_request (primary API, Merge rules).
type MergeIssues struct {
	Target  int64
	Sources []int64
}

// Word is merge.
func (MergeIssues) Word() core.HeldAction { return core.HoldMerge }

// sortedSources returns the sources, each once.
func (a MergeIssues) sortedSources() []int64 {
	return slices.Compact(slices.Sorted(slices.Values(a.Sources)))
}

func (a MergeIssues) newRequest(ctx context.Context, s *Store) (actionRequest, error) {
	project, err := s.findIssueOwner(ctx, a.Target)
	return actionRequest{project: project, issue: a.Target, payload: mergeData{a.sortedSources()}}, err
}

func rebuildMerge(r storedRequest) (Action, error) {
	var payload mergeData
	if err := json.Unmarshal([]byte(r.Payload), &payload); err != nil {
		return nil, fmt.Errorf("store: payload of a merge: %w", err)
	}
	return MergeIssues{Target: r.IssueID, Sources: payload.SourceIDs}, nil
}

// wouldChange is true of every merge that is possible: a source always becomes merged.
func (a MergeIssues) wouldChange(ctx context.Context, t *tx, project int64) (bool, error) {
	return true, a.in(t, project).checkLocked(ctx)
}

func (a MergeIssues) runAction(ctx context.Context, t *tx, actor core.Actor, project int64) (core.Issue, error) {
	return a.in(t, project).mergeIssues(ctx, actor)
}

func (a MergeIssues) in(t *tx, project int64) *merge {
	return &merge{tx: t, project: project, target: a.Target, sources: a.sortedSources()}
}

// DeleteProject hides a project at once, frees its slug and revokes the tokens that are bound to it; an unknown or
// deleted one is project_not_found. Its keys stop working as the servers forget them, within 60 seconds, and its rows are
// deleted after that: see PurgeProject. The timeline stays.
type DeleteProject struct{ ID int64 }

// Word is delete_project.
func (DeleteProject) Word() core.HeldAction { return core.HoldDeleteProject }

func (a DeleteProject) newRequest(ctx context.Context, s *Store) (actionRequest, error) {
	project, err := s.ReadProject(ctx, a.ID)
	return actionRequest{project: a.ID, payload: deletionData{a.ID, project.Name}}, asProjectNotFound(err)
}

// deletionData is the payload of a request to delete a project.
type deletionData struct {
	ProjectID int64  `json:"project_id"`
	Name      string `json:"name"`
}

// wouldChange is true of every project that is there.
func (a DeleteProject) wouldChange(ctx context.Context, t *tx, _ int64) (bool, error) {
	return true, asProjectNotFound(t.lockProject(ctx, a.ID))
}

func (a DeleteProject) runAction(ctx context.Context, t *tx, actor core.Actor, _ int64) (core.Issue, error) {
	return core.Issue{}, t.deleteProject(ctx, actor, a.ID)
}

// asProjectNotFound makes project_not_found of a row that was not found.
func asProjectNotFound(err error) error {
	if core.HasCode(err, core.NotFound) {
		return core.NewError(core.ProjectNotFound)
	}
	return err
}
