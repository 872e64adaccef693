package intake

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgerrcode"

	"errand/core"
	"errand/store/pg"
)

// DroppedDay is a day of stored events that were deleted.
type DroppedDay struct {
	Partition string // such as events_20260103
	Events    int64
}

// DropExpired deletes stored events and their ids that arrived before the day that lies the given number of days back,
// whole days at a time. Issues keep their counts but update how many events are stored. It returns what it deleted, even
// together with an error. 0 days means never: it deletes nothing.
func (w *Writer) DropExpired(ctx context.Context, days int) ([]DroppedDay, error) {
	if days == 0 {
		return nil, nil
	}
	oldest := truncateDay(w.db.Now()).AddDate(0, 0, -days)
	stored, err := w.listDays(ctx, storedTable)
	if err != nil {
		return nil, err
	}
	var dropped []DroppedDay
	for _, day := range stored {
		if !day.Before(oldest) {
			break
		}
		if err := w.forgetEventIDs(ctx, day); err != nil {
			return dropped, err
		}
		events, err := w.dropDay(ctx, day)
		if pg.HasState(err, pgerrcode.UndefinedTable) { // another server has dropped it
			continue
		}
		if err == nil || events > 0 { // the day may be empty but not dropped yet
			dropped = append(dropped, DroppedDay{nameOfPartition(storedTable, day), events})
		}
		if err != nil {
			return dropped, err
		}
	}
	return dropped, nil
}

// forgetChunk bounds the rows of one deletion, so that no transaction is long.
const forgetChunk = 10_000

const deleteEventIDs = `
DELETE FROM event_ids WHERE (project_id, event_id) IN (
	SELECT project_id, event_id FROM event_ids WHERE received_at >= @day AND received_at < @next LIMIT @chunk)`

func (w *Writer) forgetEventIDs(ctx context.Context, day time.Time) error {
	for {
		n, err := pg.Exec(ctx, w.db.Main, deleteEventIDs, pg.Args{"day": day, "next": day.AddDate(0, 0, 1), "chunk": forgetChunk})
		if err != nil || n < forgetChunk {
			return err
		}
	}
}

// dropDay takes the day's events off their issues, empties the partition and drops it. It returns how many events it had.
//
// The first transaction locks in the order of AddEvents, issues before events, so that the two cannot deadlock. Its locks
// on the projects keep merges and splits from moving events to other issues after they were counted. It locks only this
// day, which no new event waits for. If the empty partition cannot be dropped, that is done the next time.
func (w *Writer) dropDay(ctx context.Context, day time.Time) (events int64, err error) {
	err = w.db.InLockTx(ctx, func(t *pg.Tx) (err error) {
		events, err = w.emptyDay(ctx, t, nameOfPartition(storedTable, day))
		return err
	})
	if err != nil {
		return 0, err
	}
	return events, w.dropPartition(ctx, storedTable, day)
}

// emptyDay deletes the events of a day and returns their number.
func (w *Writer) emptyDay(ctx context.Context, t *pg.Tx, partition string) (events int64, err error) {
	err = t.ExecAll(ctx,
		`SET LOCAL lock_timeout = '5s'`,
		fmt.Sprintf(`LOCK TABLE %s IN SHARE UPDATE EXCLUSIVE MODE`, partition)) // one server at a time
	if err != nil {
		return 0, err
	}
	projects, err := w.lockProjectsOf(ctx, t, partition)
	if err != nil {
		return 0, err
	}
	row, err := pg.QueryOne[struct{ Events int64 }](ctx, t, fmt.Sprintf(`SELECT count(*) AS events FROM %s`, partition), pg.Args{})
	if err != nil {
		return 0, err
	}
	events = row.Events
	_, err = pg.ExecEach(ctx, w.db, t, fmt.Sprintf(`
			WITH gone AS (
				SELECT project_id, issue_id, count(*) AS n, array_agg(id) AS ids FROM %s e WHERE /* of some projects: e */ true GROUP BY 1, 2),
			locked AS (SELECT i.project_id, i.id FROM issues i JOIN gone g ON g.project_id = i.project_id AND g.issue_id = i.id
				WHERE /* of some projects: i */ true ORDER BY 1, 2 FOR UPDATE OF i)
			UPDATE issues i SET stored_events = i.stored_events - g.n,
				notices_class = width_bucket(i.stored_events - g.n, `+NoticeBounds+`),
				latest_event_id = CASE WHEN i.latest_event_id <> ALL (g.ids) THEN i.latest_event_id END
			FROM gone g JOIN locked l ON l.project_id = g.project_id AND l.id = g.issue_id
			WHERE i.project_id = g.project_id AND i.id = g.issue_id AND /* of some projects: i */ true`, partition), pg.Args{}, projects)
	if err != nil {
		return 0, err
	}
	if err := t.WaitShortly(ctx); err != nil {
		return 0, err
	}
	return events, t.ExecAll(ctx, fmt.Sprintf(`TRUNCATE %s`, partition))
}

// lockProjectsOf locks the projects that have events in a partition against merges and splits. It returns them for pg.ExecEach.
func (w *Writer) lockProjectsOf(ctx context.Context, t *pg.Tx, partition string) ([]int64, error) {
	if !w.db.IsDistributed() {
		return nil, t.ExecAll(ctx,
			fmt.Sprintf(`SELECT 1 FROM projects WHERE id IN (SELECT project_id FROM %s) ORDER BY id FOR NO KEY UPDATE`, partition))
	}
	projects, err := pg.FindProjects(ctx, w.db, t, fmt.Sprintf(`SELECT DISTINCT project_id FROM %s ORDER BY project_id`, partition), pg.Args{})
	for _, project := range projects {
		if err := LockProject(ctx, t, project); err != nil && !core.HasCode(err, core.ProjectNotFound) {
			return nil, err
		}
	}
	return projects, err
}
