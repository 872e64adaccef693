package store

import (
	"context"
	"encoding/hex"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

const listEventsOfIssue = `
SELECT id, issue_id, project_id, event_id, occurred_at, received_at, level, release, environment FROM events`

const selectEvent = `
SELECT e.id, e.issue_id, e.project_id, e.event_id, e.occurred_at, e.received_at, e.level, e.release, e.environment,
	e.dictionary, e.payload
FROM events e JOIN projects p ON p.id = e.project_id AND p.deleted_at IS NULL
WHERE e.project_id = @project_id AND e.id = @id`

type eventRow struct {
	ID          int64
	IssueID     int64
	ProjectID   int64
	EventID     [16]byte
	OccurredAt  core.Time
	ReceivedAt  core.Time
	Level       string
	Release     core.Untrusted
	Environment core.Untrusted
}

func (r eventRow) toCore() core.EventRow {
	return core.EventRow{
		ID: r.ID, IssueID: r.IssueID, ProjectID: r.ProjectID, EventID: hex.EncodeToString(r.EventID[:]),
		Timestamp: r.OccurredAt, ReceivedAt: r.ReceivedAt, Level: r.Level,
		Release: core.ShowUntrusted(r.Release), Environment: core.ShowUntrusted(r.Environment),
	}
}

// ListIssueEvents lists the stored events of an issue, most recent first.
func (s *Store) ListIssueEvents(ctx context.Context, issueID int64, page core.Paging) (core.Page[core.EventRow], error) {
	project, err := s.findShownIssueOwner(ctx, issueID)
	if err != nil {
		return core.Page[core.EventRow]{}, err
	}
	l := pg.NewList(ctx, "", "received_at", page)
	l.WhereArg("project_id = @project_id", "project_id", project)
	l.WhereArg("issue_id = @issue_id", "issue_id", issueID)
	rows, err := pg.ReadPage(ctx, s.db, l, listEventsOfIssue, func(e eventRow) (core.Time, int64) { return e.ReceivedAt, e.ID })
	return pg.ConvertPage(rows, eventRow.toCore), err
}

type storedEvent struct {
	eventRow
	Dictionary int64
	Payload    []byte
}

// ReadEvent returns one stored event with its normalised form, or not_found.
func (s *Store) ReadEvent(ctx context.Context, id int64) (core.EventDetail, error) {
	project, err := s.findEventOwner(ctx, id)
	if err != nil {
		return core.EventDetail{}, err
	}
	row, err := pg.QueryOne[storedEvent](ctx, s.db.Main, selectEvent, pg.Args{"project_id": project, "id": id})
	if err != nil {
		return core.EventDetail{}, err
	}
	event, err := s.Intake.UnpackEvent(ctx, project, intake.Payload{Bytes: row.Payload, Dictionary: row.Dictionary})
	return core.EventDetail{EventRow: row.toCore(), Event: event}, err
}
