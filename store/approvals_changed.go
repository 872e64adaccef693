package store

import (
	"context"
	"slices"

	"errand/core"
	"errand/store/pg"
)

// isAboutIssue is the SQL condition that the request a waits for approval of an action on the issue i. Few requests are pending, and
// only the payload of a merge says which issues it takes.
const isAboutIssue = `a.project_id = i.project_id AND a.status = 'pending' AND a.expires_at > @now
	AND (a.issue_id = i.id OR CASE a.action WHEN 'merge' THEN (a.payload::jsonb -> 'source_ids') @> to_jsonb(i.id) END)`

// changesOfIssue are the changes after which an issue is no longer what somebody asked to ignore or to merge. Notes, tags and
// claims are none: they say nothing about the error.
var changesOfIssue = []core.Action{
	core.ActionIssueResolve, core.ActionIssueIgnore, core.ActionIssueUnresolve, core.ActionIssueReturn, core.ActionIssueRegress,
	core.ActionIssueFix, core.ActionIssueFixDeployed, core.ActionIssueVerify, core.ActionIssueSplit,
}

const findChangeSince = `
SELECT target_id, action FROM activity
WHERE project_id = @project_id AND target_type = 'issue' AND target_id = ANY (@issues) AND at > @since AND action = ANY (@actions)
ORDER BY at DESC, id DESC LIMIT 1`

// checkUnchanged refuses a request if one of its issues has changed since. The request was made without that knowledge (primary API,
// States).
func (r storedRequest) checkUnchanged(ctx context.Context, t *tx, action HoldableChange) error {
	issues, actions := action.listIssues(), changesOfIssue
	if len(issues) == 0 {
		return nil
	}
	if action.Word() == core.HoldIgnore {
		actions = append(slices.Clone(actions), core.ActionIssueMerge) // more would be ignored than was asked for
	}
	change, err := pg.QueryOne[struct {
		TargetID int64
		Action   core.Action
	}](ctx, t, findChangeSince, pg.Args{"project_id": r.ProjectID, "issues": issues, "since": r.RequestedAt, "actions": actions})
	switch {
	case core.HasCode(err, core.NotFound):
		return nil
	case err != nil:
		return err
	}
	return core.RefuseField("issue", "%d has %s in its activity since the request: ask again if that is still wanted",
		change.TargetID, change.Action)
}
