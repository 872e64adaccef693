package intake

import (
	"context"

	"github.com/jackc/pgerrcode"

	"errand/core"
	"errand/store/pg"
)

// TrimIssues stores the events that have waited, and deletes stored events of issues that have more than they keep: the
// first ones and the newest stay (decisions 2). It only knows the issues that got events through this server; other servers trim theirs.
func (w *Writer) TrimIssues(ctx context.Context) error {
	now, keep := w.db.Now(), w.keep()
	return w.trimIssues(ctx, w.fullIssues.takeIssues(func(i *fullIssue) bool { return i.isDue(keep, now) }))
}

// TrimAllIssues is TrimIssues for all known issues, before the server ends.
func (w *Writer) TrimAllIssues(ctx context.Context) error {
	return w.trimIssues(ctx, w.fullIssues.takeIssues(func(*fullIssue) bool { return true }))
}

// trimIssues trims each of the issues and remembers those that failed. An issue of a project that is locked for long does
// not hold up the others. It returns the first error.
func (w *Writer) trimIssues(ctx context.Context, due map[int64]*fullIssue) (first error) {
	defer func() { // even after a panic
		for id, issue := range due {
			w.fullIssues.putBack(id, issue, w.keep())
		}
	}()
	for id, issue := range due {
		err := w.trimIssue(ctx, id, issue)
		if err == nil {
			delete(due, id)
			continue
		}
		if first == nil {
			first = err
		}
		if core.HasCode(err, core.Unavailable) && !pg.HasState(err, pgerrcode.LockNotAvailable) {
			return first // the others would fail too
		}
	}
	return first
}

const (
	// findIssueOrTarget returns the issue where the events are now. Merges wait until it has been used: see ShareProject.
	findIssueOrTarget = `SELECT coalesce(merged_into, id) AS id FROM issues WHERE project_id = @project_id AND id = @issue_id`
	lockStoredCount   = `SELECT stored_events FROM issues WHERE project_id = @project_id AND id = @issue_id FOR UPDATE`
	setStored         = `
UPDATE issues SET stored_events = @stored, notices_class = width_bucket(@stored::bigint, ` + NoticeBounds + `), latest_event_id = (
		SELECT e.id FROM events e WHERE e.project_id = @project_id AND e.issue_id = @id ORDER BY e.received_at DESC, e.id DESC LIMIT 1)
WHERE project_id = @project_id AND id = @id`
)

func (w *Writer) trimIssue(ctx context.Context, id int64, issue *fullIssue) error {
	for i := range issue.waiting {
		w.packWaiting(ctx, &issue.waiting[i])
	}
	err := w.db.InTx(ctx, func(t *pg.Tx) error {
		if err := t.ExecAll(ctx, `SET LOCAL lock_timeout = '500ms'`); err != nil {
			return err
		}
		if err := t.FindByKey(ctx); err != nil {
			return err
		}
		if err := ShareProject(ctx, t, issue.project); err != nil {
			return err
		}
		target, err := pg.QueryOne[struct{ ID int64 }](ctx, t, findIssueOrTarget, pg.Args{"project_id": issue.project, "issue_id": id})
		if err != nil {
			return err
		}
		return w.storeAndTrim(ctx, t, issue.project, target.ID, issue.waiting)
	})
	if core.HasCode(err, core.NotFound) || core.HasCode(err, core.ProjectNotFound) {
		return nil // it was deleted
	}
	return err
}

// sentAtOnce is roughly the number of bytes of events in one statement: Postgres ends a transaction whose next statement
// takes more than two seconds to arrive completely (idle_in_transaction_session_timeout), even over a slow network.
const sentAtOnce = 1 << 20

// storeAndTrim stores the waiting events and trims the issue.
func (w *Writer) storeAndTrim(ctx context.Context, t *pg.Tx, project, issue int64, waiting []NewEvent) error {
	row, err := pg.QueryOne[struct{ StoredEvents int64 }](ctx, t, lockStoredCount, pg.Args{"project_id": project, "issue_id": issue})
	if err != nil {
		return err
	}
	stored := row.StoredEvents
	for left := waiting; len(left) > 0; {
		n := 0
		for size := 0; n < len(left) && size < sentAtOnce; n++ {
			size += left[n].Payload.Size()
		}
		added, err := storeWaiting(ctx, t, project, issue, left[:n])
		if err != nil {
			return err
		}
		stored += added
		left = left[n:]
	}
	gone, err := w.TrimEvents(ctx, t, project, []int64{issue}, stored)
	if err != nil || stored-gone == row.StoredEvents && len(waiting) == 0 {
		return err
	}
	_, err = pg.Exec(ctx, t, setStored, pg.Args{"project_id": project, "id": issue, "stored": stored - gone})
	return err
}

// Where the tables are distributed over nodes, the project's row in project_seen brings the events to its node.
const (
	// addWaitingIDs returns the events that were not stored before.
	addWaitingIDs = `
INSERT INTO event_ids (project_id, event_id, id, issue_id, received_at)
SELECT s.project_id, n.event_id, n.id, @issue_id, n.received_at
FROM project_seen s, unnest(@events::uuid[], @ids::bigint[], @received::timestamptz[]) AS n (event_id, id, received_at)
WHERE s.project_id = @project_id
ON CONFLICT DO NOTHING
RETURNING id`
	addWaiting = `
INSERT INTO events (project_id, event_id, id, issue_id, received_at, occurred_at, level, release, environment, dictionary, payload,
	user_hash)
SELECT s.project_id, n.event_id, n.id, n.issue_id, n.received_at, n.occurred_at, n.level, n.release, n.environment, n.dictionary,
	n.payload, n.user_hash
FROM project_seen s JOIN unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::timestamptz[],
	$7::text[], $8::text[], $9::text[], $10::bigint[], $11::bytea[], $12::bytea[])
	AS n (project_id, event_id, id, issue_id, received_at, occurred_at, level, release, environment, dictionary, payload, user_hash)
	ON n.project_id = s.project_id
WHERE s.project_id = ANY ($1::bigint[])`
)

// storeWaiting stores the events that are not stored yet, and returns their number.
func storeWaiting(ctx context.Context, t *pg.Tx, project, issue int64, waiting []NewEvent) (int64, error) {
	ids := newEventArrays(len(waiting))
	for i := range waiting {
		ids.appendID(&waiting[i], issue)
	}
	added, err := pg.QueryMany[struct{ ID int64 }](ctx, t, addWaitingIDs,
		pg.Args{"project_id": project, "issue_id": issue, "events": ids.event, "ids": ids.id, "received": ids.received})
	if err != nil || len(added) == 0 {
		return 0, err
	}
	isAdded := make(map[int64]bool, len(added))
	for _, a := range added {
		isAdded[a.ID] = true
	}
	columns := newEventArrays(len(added))
	for i := range waiting {
		if isAdded[waiting[i].id] {
			columns.appendEvent(&waiting[i], issue)
		}
	}
	tag, err := t.Exec(ctx, addWaiting, columns.listArgs()...)
	if err == nil && tag.RowsAffected() != int64(len(added)) {
		err = errStale
	}
	return tag.RowsAffected(), err
}

// The surplus is a range in the order of arrival, so one walk along the index deletes it.
const (
	findEventAt = `
SELECT received_at, id FROM events WHERE project_id = @project_id AND issue_id = ANY (@issue_ids)
ORDER BY received_at, id OFFSET @position LIMIT 1`
	trimEvents = `
DELETE FROM events WHERE project_id = @project_id AND issue_id = ANY (@issue_ids) AND received_at BETWEEN @first_at AND @last_at
	AND (received_at, id) >= (@first_at, @first_id) AND (received_at, id) <= (@last_at, @last_id)
RETURNING event_id`
)

// trimAtMost is how many events one transaction deletes. An issue has more to delete after STORED_EVENTS_PER_ISSUE was
// lowered, or after a merge: TrimOverfull deletes the rest.
const trimAtMost = 5000

// TrimEvents deletes stored events of locked issues from the middle, beyond what one issue keeps, at most trimAtMost of
// them, and returns their number.
func (w *Writer) TrimEvents(ctx context.Context, t *pg.Tx, project int64, issues []int64, stored int64) (int64, error) {
	surplus := min(stored-w.keep(), trimAtMost)
	if surplus <= 0 {
		return 0, nil
	}
	type position struct {
		ReceivedAt core.Time
		ID         int64
	}
	var ends [2]position
	for i, at := range []int64{keepFirst, keepFirst + surplus - 1} {
		var err error
		ends[i], err = pg.QueryOne[position](ctx, t, findEventAt, pg.Args{"project_id": project, "issue_ids": issues, "position": at})
		if core.HasCode(err, core.NotFound) {
			return 0, nil // fewer are stored than the count says
		}
		if err != nil {
			return 0, err
		}
	}
	events, err := pg.QueryMany[EventID](ctx, t, trimEvents, pg.Args{
		"project_id": project, "issue_ids": issues,
		"first_at": ends[0].ReceivedAt, "first_id": ends[0].ID, "last_at": ends[1].ReceivedAt, "last_id": ends[1].ID,
	})
	if err != nil {
		return 0, err
	}
	return int64(len(events)), forgetStored(ctx, t, project, events)
}

const (
	markNotStored = `
UPDATE event_ids SET not_stored = true
WHERE project_id = @project_id AND event_id = ANY (@event_ids::uuid[]) AND received_at > @since`
	forgetNotStored = `
DELETE FROM event_ids
WHERE project_id = @project_id AND event_id = ANY (@event_ids::uuid[]) AND received_at <= @since`
)

// forgetStored marks events as no longer stored. It deletes the ids of old ones: they may be sent again.
func forgetStored(ctx context.Context, t *pg.Tx, project int64, events []EventID) error {
	free, err := lockFreeEventIDs(ctx, t, project, events)
	if err != nil {
		return err
	}
	for _, sql := range []string{markNotStored, forgetNotStored} {
		_, err := pg.Exec(ctx, t, sql, pg.Args{"project_id": project, "event_ids": free, "since": t.Now.Add(-countedFor)})
		if err != nil {
			return err
		}
	}
	return nil
}
