package intake

import (
	"context"

	"errand/store/pg"
)

// A merge does not move the ids of events that are not stored.
const findEventIDs = `
SELECT e.project_id, e.event_id, e.id, coalesce(i.merged_into, e.issue_id), coalesce(e.not_stored, false) FROM event_ids e
JOIN unnest($1::bigint[], $2::uuid[]) AS n (project_id, event_id) ON e.project_id = n.project_id AND e.event_id = n.event_id
LEFT JOIN issues i ON i.id = e.issue_id`

// findDuplicates marks events that are already stored, or were counted within a day.
func (w *Writer) findDuplicates(ctx context.Context, t *pg.Tx, b *batch) error {
	project, event := b.listEventKeys()
	rows, err := t.Query(ctx, findEventIDs, project, event)
	if err != nil {
		return err
	}
	var key eventKey
	var id, issue int64
	var notStored bool
	for rows.Next() {
		if err := rows.Scan(&key.project, &key.event, &id, &issue, &notStored); err != nil {
			rows.Close()
			return err
		}
		// Under our own id it is not a duplicate: an earlier attempt of this batch was committed, with all its events.
		own := id == b.events[b.firstIndex[key]].id
		b.wasCommitted = b.wasCommitted || own
		if notStored {
			id = 0
		}
		b.added[b.firstIndex[key]] = Added{ID: id, IssueID: issue, Duplicate: !own}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return b.findCounted(ctx, t, project, event)
}

func (b *batch) listEventKeys() (project []int64, event [][16]byte) {
	b.eachCounted(func(e *NewEvent, _ *Added) {
		project = append(project, e.ProjectID)
		event = append(event, e.EventID)
	})
	return project, event
}
