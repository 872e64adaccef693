package store

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"errand/core"
)

// entry is an activity row to write.
type entry struct {
	project    int64 // 0: of no project
	actor      core.Actor
	action     core.Action
	targetType core.TargetType
	targetID   int64
	data       any // nil for none
}

const insertActivity = `
INSERT INTO activity (project_id, id, at, actor_type, actor_id, actor_name, action, target_type, target_id, data)
VALUES (@project_id, @id, @now, @actor_type, nullif(@actor_id::bigint, 0), @actor_name, @action, @target_type, @target_id, @data)`

// record writes an activity row in the transaction of the change that it tells of.
func (t *tx) record(ctx context.Context, e entry) (int64, error) {
	id, err := t.store.ids.one(ctx, activityIDs)
	if err != nil {
		return 0, err
	}
	var data []byte
	if e.data != nil {
		if data, err = json.Marshal(e.data); err != nil {
			return 0, err
		}
	}
	_, err = exec(ctx, t, insertActivity, args{
		"project_id": e.project, "id": id, "now": t.now, "actor_type": string(e.actor.Type), "actor_id": int64(e.actor.ID),
		"actor_name": e.actor.Name, "action": string(e.action), "target_type": string(e.targetType), "target_id": e.targetID, "data": data,
	})
	return id, err
}

// recordOfIssue writes an activity row about an issue.
func (t *tx) recordOfIssue(ctx context.Context, actor core.Actor, project, issue int64, action core.Action, data any) error {
	_, err := t.record(ctx, entry{project: project, actor: actor, action: action, targetType: core.TargetIssue, targetID: issue, data: data})
	return err
}

const activityColumns = `SELECT id, at, actor_type, coalesce(actor_id, 0) AS actor_id, actor_name, action, target_type, target_id, data FROM activity`

// Activity lists what was done in the whole installation, most recent first.
func (s *Store) Activity(ctx context.Context, page core.Paging) (core.Page[core.Activity], error) {
	return listPage(ctx, s, newList("at", page), activityColumns, activityRow, activityKey)
}

// activityOfIssue is the activity of the issue @issue_id, with the requests for approval of what would change it.
const activityOfIssue = `SELECT id, at, actor_type, coalesce(actor_id, 0) AS actor_id, actor_name, action, target_type, target_id, data FROM (
	SELECT * FROM activity WHERE project_id = @project_id AND target_type = 'issue' AND target_id = @issue_id
	UNION ALL
	SELECT * FROM activity WHERE project_id = @project_id AND target_type = 'approval'
		AND target_id = ANY (ARRAY(SELECT id FROM approvals WHERE project_id = @project_id AND issue_id = @issue_id))
) a`

// IssueActivity lists what was done about an issue, most recent first.
func (s *Store) IssueActivity(ctx context.Context, issueID int64, page core.Paging) (core.Page[core.Activity], error) {
	project, err := s.shownIssueOwner(ctx, issueID)
	if err != nil {
		return core.Page[core.Activity]{}, err
	}
	l := newList("at", page)
	l.args["project_id"], l.args["issue_id"] = project, issueID
	return listPage(ctx, s, l, activityOfIssue, activityRow, activityKey)
}

func activityKey(a core.Activity) (core.Time, int64) { return a.At, a.ID }

func activityRow(row pgx.CollectableRow) (core.Activity, error) {
	return pgx.RowToStructByPos[core.Activity](row)
}
