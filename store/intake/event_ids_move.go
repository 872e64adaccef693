package intake

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

// lockEventIDs skips rows that are locked. Only the retention can have locked them: it is deleting them, in its own order.
const lockEventIDs = `
SELECT event_id FROM event_ids WHERE project_id = @project_id AND event_id = ANY (@event_ids::uuid[]) FOR UPDATE SKIP LOCKED`

const moveEventIDs = `UPDATE event_ids SET issue_id = @to WHERE project_id = @project_id AND event_id = ANY (@event_ids::uuid[])`

// EventID is the SDK's id of an event.
type EventID struct{ EventID [16]byte }

// MoveEventIDs records the new issue of moved events: if one is sent again, the answer names that issue.
func MoveEventIDs(ctx context.Context, t *pg.Tx, project, to int64, events []EventID) error {
	free, err := lockFreeEventIDs(ctx, t, project, events)
	if err != nil {
		return err
	}
	_, err = pg.Exec(ctx, t, moveEventIDs, pg.Args{"project_id": project, "event_ids": free, "to": to})
	return err
}

// lockFreeEventIDs locks the rows of events that nobody else has locked, and returns their ids.
func lockFreeEventIDs(ctx context.Context, t *pg.Tx, project int64, events []EventID) ([][16]byte, error) {
	free, err := pg.QueryMany[EventID](ctx, t, lockEventIDs, pg.Args{"project_id": project, "event_ids": listEventIDs(events)})
	return listEventIDs(free), err
}

func listEventIDs(events []EventID) [][16]byte {
	ids := make([][16]byte, len(events))
	for i, e := range events {
		ids[i] = e.EventID
	}
	return ids
}

const shareProject = `SELECT id FROM projects WHERE id = @id AND deleted_at IS NULL FOR SHARE`

// ShareProject keeps a project from being deleted, and its issues from being merged or split, until the transaction ends.
// An unknown or deleted project is core.ProjectNotFound.
func ShareProject(ctx context.Context, t *pg.Tx, id int64) error {
	return findLocked(ctx, t, id, shareProject, shareOnNode)
}

// LockProject waits until nobody shares a project, and keeps others from sharing and locking it. It returns the errors of ShareProject.
func LockProject(ctx context.Context, t *pg.Tx, id int64) error {
	return findLocked(ctx, t, id, lockProject, lockOnNode)
}

// lockProject does not keep others from reading the project's keys and settings.
const lockProject = `SELECT id FROM projects WHERE id = @id AND deleted_at IS NULL FOR NO KEY UPDATE`

// Where the tables are distributed, a lock of a row of projects would be one on every node, and transactions would wait for each other
// in a circle. There a project is locked on its node.
const (
	shareOnNode = `
SELECT pg_advisory_xact_lock_shared(hashtextextended('errand.project', project_id)) FROM project_seen WHERE project_id = @id`
	lockOnNode = `
SELECT pg_advisory_xact_lock(hashtextextended('errand.project', project_id)) FROM project_seen WHERE project_id = @id`
	findLiveProject = `SELECT id FROM projects WHERE id = @id AND deleted_at IS NULL`
)

func findLocked(ctx context.Context, t *pg.Tx, id int64, find, lock string) error {
	args := pg.Args{"id": id}
	if t.IsDistributed() || t.IsOnNode() {
		if _, err := pg.Exec(ctx, t, lock, args); err != nil {
			return err
		}
		find = findLiveProject
	}
	_, err := pg.QueryOne[struct{ ID int64 }](ctx, t, find, args)
	if core.HasCode(err, core.NotFound) {
		return core.NewError(core.ProjectNotFound)
	}
	return err
}
