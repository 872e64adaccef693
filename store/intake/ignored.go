package intake

import (
	"context"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// IsTermOver is the SQL condition that the term of an ignored issue i is over.
const IsTermOver = `i.status = 'ignored' AND i.ignored_at = i.status_at
		AND (i.ignored_until <= @now OR i.times_seen >= i.ignored_to_events OR i.users_affected >= i.ignored_to_users)`

const (
	lockReturning = `
SELECT i.project_id, i.id, i.ignored_until, i.times_seen >= i.ignored_to_events IS TRUE AS by_events,
	i.users_affected >= i.ignored_to_users IS TRUE AS by_users
FROM issues i JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
WHERE i.id = ANY (@ids) AND /* of some projects: i */ true
	AND ` + IsTermOver + `
ORDER BY i.project_id, i.id FOR UPDATE OF i`
	returnIgnored = `
UPDATE issues SET status = 'unresolved', status_at = @now,
	ignored_at = NULL, ignored_until = NULL, ignored_to_events = NULL, ignored_to_users = NULL
WHERE project_id = @project_id AND id = @id`
)

// returningIssue is an ignored issue whose term is over.
type returningIssue struct {
	ProjectID    int64
	ID           int64
	IgnoredUntil core.Time
	ByEvents     bool
	ByUsers      bool
}

// returnData is the data of a return in the activity.
type returnData struct {
	activity.FromTo
	Reason core.IgnoreReason `json:"reason"`
}

func (i returningIssue) findReason() core.IgnoreReason {
	switch {
	case i.ByEvents:
		return core.IgnoredAfterEvents
	case i.ByUsers:
		return core.IgnoredAfterUsers
	default:
		return core.IgnoredUntil
	}
}

// ReturnIgnored makes the ignored issues among ids unresolved when their term is over. Projects has theirs.
func ReturnIgnored(ctx context.Context, db *pg.DB, t *pg.Tx, ids, projects []int64) error {
	issues, err := pg.QueryEach[returningIssue](ctx, db, t, lockReturning, pg.Args{"ids": ids, "now": t.Now}, projects)
	if err != nil {
		return err
	}
	for _, i := range issues {
		if _, err := pg.Exec(ctx, t, returnIgnored, pg.Args{"now": t.Now, "project_id": i.ProjectID, "id": i.ID}); err != nil {
			return err
		}
		data := returnData{activity.FromTo{From: core.Ignored, To: core.Unresolved}, i.findReason()}
		entry := activity.OfIssue(core.NewSystemActor("ignore"), i.ProjectID, i.ID, core.ActionIssueReturn, data)
		if _, err := activity.Write(ctx, db, t, entry); err != nil {
			return err
		}
	}
	return nil
}

// returnIgnored makes issues unresolved after the events of the batch ended their terms. The events are committed already. If it
// fails, the next event of the issue does it, or the background job when the time of the term has come.
func (w *Writer) returnIgnored(ctx context.Context, b *batch) {
	if len(b.returning) == 0 {
		return
	}
	projects, _ := b.listEventKeys()
	err := w.db.InWriterTx(ctx, func(t *pg.Tx) error { return ReturnIgnored(ctx, w.db, t, b.returning, projects) })
	if err == nil {
		w.db.CountReorder()
	}
}
