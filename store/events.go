package store

import (
	"context"
	"encoding/hex"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

const eventColumns = `
SELECT id, issue_id, project_id, event_id, occurred_at, received_at, level, release, environment FROM events`

const oneEvent = `
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

func (r eventRow) row() core.EventRow {
	return core.EventRow{
		ID: r.ID, IssueID: r.IssueID, ProjectID: r.ProjectID, EventID: hex.EncodeToString(r.EventID[:]),
		Timestamp: r.OccurredAt, ReceivedAt: r.ReceivedAt, Level: r.Level, Release: r.Release, Environment: r.Environment,
	}
}

// IssueEvents lists the stored events of an issue, most recent first.
func (s *Store) IssueEvents(ctx context.Context, issueID int64, page core.Paging) (core.Page[core.EventRow], error) {
	project, err := s.shownIssueOwner(ctx, issueID)
	if err != nil {
		return core.Page[core.EventRow]{}, err
	}
	l := pg.NewList("received_at", page)
	l.WhereArg("project_id = @project_id", "project_id", project)
	l.WhereArg("issue_id = @issue_id", "issue_id", issueID)
	rows, err := pg.ReadPage(ctx, s.db, l, eventColumns, func(e eventRow) (core.Time, int64) { return e.ReceivedAt, e.ID })
	return pg.ConvertPage(rows, eventRow.row), err
}

type storedEvent struct {
	eventRow
	Dictionary int64
	Payload    []byte
}

// Event gives one stored event with its normalised form, or not_found.
func (s *Store) Event(ctx context.Context, id int64) (core.EventDetail, error) {
	project, err := s.eventOwner(ctx, id)
	if err != nil {
		return core.EventDetail{}, err
	}
	row, err := pg.QueryOne[storedEvent](ctx, s.db.Main, oneEvent, pg.Args{"project_id": project, "id": id})
	if err != nil {
		return core.EventDetail{}, err
	}
	event, err := s.Intake.Unpack(ctx, project, intake.Payload{Bytes: row.Payload, Dictionary: row.Dictionary})
	return core.EventDetail{EventRow: row.row(), Event: event}, err
}
