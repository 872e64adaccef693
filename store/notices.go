package store

import (
	"context"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

const (
	ofNotices = `
FROM events e
WHERE e.project_id = @project_id AND e.issue_id = @issue_id
	AND (@since::timestamptz IS NULL OR e.occurred_at >= @since)
	AND (@before::timestamptz IS NULL OR e.occurred_at < @before)`
	countNotices = `SELECT count(*) AS n` + ofNotices
	listNotices  = `
SELECT e.id, e.issue_id, e.project_id, e.event_id, e.occurred_at, e.received_at, e.level, e.release, e.environment,
	e.user_hash, e.dictionary, e.payload` + ofNotices + `
ORDER BY e.occurred_at DESC, e.id DESC
LIMIT @limit OFFSET @offset`
	findNotice = `SELECT id AS n FROM events WHERE project_id = @project_id AND issue_id = @issue_id AND id = @id`
)

// NoticeFilter selects stored events of an issue.
type NoticeFilter struct {
	ProjectID, IssueID int64
	Since, Before      core.Time // the time of the event by its sender's clock; the zero time for no bound
	Limit, Offset      int64
}

// ListNotices returns a page of the complete stored events of an issue, newest first, and their number on all pages.
func (s *Store) ListNotices(ctx context.Context, f NoticeFilter) (events []core.EventDetail, total int64, err error) {
	args := pg.Args{"project_id": f.ProjectID, "issue_id": f.IssueID, "since": f.Since, "before": f.Before}
	count, err := pg.QueryOne[struct{ N int64 }](ctx, s.db.Main, countNotices, args)
	if err != nil {
		return nil, 0, err
	}
	args["limit"], args["offset"] = f.Limit, f.Offset
	rows, err := pg.QueryMany[storedEvent](ctx, s.db.Main, listNotices, args)
	if err != nil {
		return nil, 0, err
	}
	for _, row := range rows {
		event, err := s.Intake.UnpackEvent(ctx, row.ProjectID, intake.Payload{Bytes: row.Payload, Dictionary: row.Dictionary})
		if err != nil {
			return nil, 0, err
		}
		events = append(events, core.EventDetail{EventRow: row.toCore(), Event: event})
	}
	return events, count.N, nil
}

// CheckNotice returns not_found when the issue has no stored event with the id.
func (s *Store) CheckNotice(ctx context.Context, project, issue, id int64) error {
	_, err := pg.QueryOne[struct{ N int64 }](ctx, s.db.Main, findNotice, pg.Args{"project_id": project, "issue_id": issue, "id": id})
	return err
}
