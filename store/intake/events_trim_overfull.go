package intake

import (
	"context"

	"github.com/jackc/pgerrcode"

	"errand/store/pg"
)

// overfullAtOnce is how many issues one query returns.
const overfullAtOnce = 100

// The issues of a project with more stored events than they keep. notices_class finds the few that have many; a burst of the last
// minutes may be found by the next run.
const findOverfull = `
SELECT id FROM issues
WHERE project_id = @project_id AND id > @after AND status <> 'merged' AND stored_events > @keep
	AND notices_class >= width_bucket(@keep::bigint, ` + NoticeBounds + `)
ORDER BY id
LIMIT @limit`

// TrimOverfull trims the issues that have more stored events than they keep but that no server remembers, as after
// STORED_EVENTS_PER_ISSUE was lowered. Each transaction deletes a bounded number of events of one issue, so it can be
// interrupted anywhere. Issues of a locked project are left to the next run.
func (w *Writer) TrimOverfull(ctx context.Context) error {
	return w.EachProject(ctx, w.trimOverfullOf)
}

func (w *Writer) trimOverfullOf(ctx context.Context, project int64) error {
	type issue struct{ ID int64 }
	for after := int64(0); ; {
		issues, err := pg.QueryMany[issue](ctx, w.db.Main, findOverfull, pg.Args{
			"project_id": project, "after": after, "keep": w.keep(), "limit": overfullAtOnce,
		})
		if err != nil || len(issues) == 0 {
			return err
		}
		for _, i := range issues {
			if err := w.trimWhole(ctx, project, i.ID); err != nil && !pg.HasState(err, pgerrcode.LockNotAvailable) {
				return err
			}
			after = i.ID
		}
	}
}

const readStoredCount = `SELECT stored_events FROM issues WHERE project_id = @project_id AND id = @id`

// trimWhole trims an issue, in as many transactions as needed.
func (w *Writer) trimWhole(ctx context.Context, project, id int64) error {
	type count struct{ StoredEvents int64 }
	var before count
	for {
		if err := w.trimIssue(ctx, id, &fullIssue{project: project}); err != nil {
			return err
		}
		now, err := pg.QueryMany[count](ctx, w.db.Main, readStoredCount, pg.Args{"project_id": project, "id": id})
		if err != nil || len(now) == 0 || now[0].StoredEvents <= w.keep() || now[0] == before {
			return err // done, deleted, or fewer events than the count says
		}
		before = now[0]
	}
}
