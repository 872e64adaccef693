package store

import (
	"context"
	"encoding/hex"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

const selectEvent = `
SELECT e.id, e.issue_id, e.project_id, e.event_id, e.occurred_at, e.received_at, e.level, e.release, e.environment,
	e.user_hash, e.dictionary, e.payload
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
	UserHash    []byte
}

func (r eventRow) toCore() core.EventRow {
	return core.EventRow{
		ID: r.ID, IssueID: r.IssueID, ProjectID: r.ProjectID, EventID: hex.EncodeToString(r.EventID[:]),
		Timestamp: r.OccurredAt, ReceivedAt: r.ReceivedAt, Level: r.Level,
		Release: core.ShowUntrusted(r.Release), Environment: core.ShowUntrusted(r.Environment),
		User: core.ShowUserHash(r.UserHash),
	}
}

type storedEvent struct {
	eventRow
	Dictionary int64
	Payload    []byte
}

// findEventIDs searches by project, because project ids begin the key of event_ids.
const findEventIDs = `
SELECT e.project_id, e.id
FROM projects p JOIN event_ids e ON e.project_id = p.id AND e.event_id = @event_id
WHERE p.deleted_at IS NULL AND e.not_stored IS NULL
	AND (@projects::bigint[] IS NULL OR p.id = ANY (@projects))
ORDER BY e.id LIMIT 3`

// FindEvent returns the id of the stored event that the reference means. An event_id that several projects have is refused:
// senders choose it, so a stranger may have sent it again.
func (s *Store) FindEvent(ctx context.Context, ref core.EventRef) (int64, error) {
	eventID, isEventID := ref.EventID()
	if !isEventID {
		id, _ := ref.ID()
		return id, nil
	}
	found, err := pg.QueryMany[struct{ ProjectID, ID int64 }](ctx, s.db.Main, findEventIDs,
		pg.Args{"event_id": eventID, "projects": projectsOf(ctx, 0)})
	switch {
	case err != nil:
		return 0, err
	case len(found) == 0:
		return 0, core.NewError(core.NotFound)
	case len(found) > 1:
		return 0, core.RefuseField("id", "is the event_id of events of several projects: take the id of one, such as %d or %d",
			found[0].ID, found[1].ID)
	}
	return found[0].ID, nil
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
