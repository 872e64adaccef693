package store

import (
	"context"
	"strings"

	"errand/core"
)

// What merges and splits have in common: both move stored events to another issue.

// lockGrouping keeps the events of a project on their issues. It comes before the locks on issues, as in dropDay.
const lockGrouping = `SELECT id FROM projects WHERE id = @id AND deleted_at IS NULL FOR NO KEY UPDATE`

// findByKey is what prepareWriter sets, for one transaction: on tables without statistics the planner reads whole tables
// for a few ids.
const findByKey = `SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off`

// regroup runs fn in a transaction in which no other merge or split of the project happens: what fn reads of the grouping
// before it locks issues stays true, so that it can lock all of them in one sorted order. A deleted project is not_found.
func (s *Store) regroup(ctx context.Context, project int64, fn func(*tx) error) error {
	return s.inTx(ctx, func(t *tx) error {
		if err := t.lockGrouping(ctx, project); err != nil {
			return err
		}
		return fn(t)
	})
}

// lockProject locks a project against other merges, splits and its deletion.
func (t *tx) lockProject(ctx context.Context, project int64) error {
	_, err := one[struct{ ID int64 }](ctx, t, lockGrouping, args{"id": project})
	return err
}

func (t *tx) lockGrouping(ctx context.Context, project int64) error {
	if err := t.lockProject(ctx, project); err != nil {
		return err
	}
	_, err := t.Exec(ctx, findByKey)
	return err
}

// lockEventIDs leaves out the rows that are locked, which only the retention can have done: it is deleting them, in an
// order of its own.
const lockEventIDs = `
SELECT event_id FROM event_ids WHERE project_id = @project_id AND event_id = ANY (@event_ids::uuid[]) FOR UPDATE SKIP LOCKED`

const moveEventIDs = `UPDATE event_ids SET issue_id = @to WHERE project_id = @project_id AND event_id = ANY (@event_ids::uuid[])`

// moveEventIDs has events that are sent again answered with the issue to which they were moved.
func (t *tx) moveEventIDs(ctx context.Context, project, to int64, events []eventID) error {
	free, err := many[eventID](ctx, t, lockEventIDs, args{"project_id": project, "event_ids": eventIDsOf(events)})
	if err != nil {
		return err
	}
	_, err = exec(ctx, t, moveEventIDs, args{"project_id": project, "event_ids": eventIDsOf(free), "to": to})
	return err
}

// eventID is the SDK's id of an event.
type eventID struct{ EventID [16]byte }

func eventIDsOf(events []eventID) [][16]byte {
	ids := make([][16]byte, len(events))
	for i, e := range events {
		ids[i] = e.EventID
	}
	return ids
}

// newestEvent is the most recent stored event of the issue @id, as the list of events has it.
const newestEvent = `(
	SELECT e.id FROM events e WHERE e.project_id = @project_id AND e.issue_id = @id ORDER BY e.received_at DESC, e.id DESC LIMIT 1)`

// rule is one that the listed ids break, in words that the ids can follow.
type rule struct {
	words string
	ids   []string
}

// refusal is invalid_request with a detail for each rule that is broken, or nil.
func refusal(path string, rules ...rule) error {
	var details []core.Detail
	for _, r := range rules {
		if len(r.ids) > 0 {
			details = append(details, core.Detail{Path: path, Message: r.words + ": " + strings.Join(r.ids, ", ")})
		}
	}
	if len(details) == 0 {
		return nil
	}
	return &core.Error{Code: core.InvalidRequest, Details: details}
}
