package intake

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"errand/store/pg"
)

// ProjectDay is one UTC day of a project. Its daily quota counts the events of such a day.
type ProjectDay struct {
	ProjectID int64
	Day       time.Time // its start, UTC
}

// DayOf returns the day that an event counts for: the day of its arrival.
func (e *NewEvent) DayOf() ProjectDay { return ProjectDay{e.ProjectID, truncateDay(e.ReceivedAt)} }

const countDays = `
SELECT coalesce(sum(h.events), 0)::bigint
FROM unnest($1::bigint[], $2::timestamptz[]) WITH ORDINALITY AS n (project_id, day, place)
LEFT JOIN project_hours h ON h.project_id = n.project_id AND h.hour >= n.day AND h.hour < n.day + interval '24 hours'
GROUP BY n.place ORDER BY n.place`

// CountDays returns how many events counted on each of the days, in their order. Where the tables are
// distributed over nodes their projects are in one shard.
func (w *Writer) CountDays(ctx context.Context, days []ProjectDay) ([]int64, error) {
	project, start := make([]int64, len(days)), make([]time.Time, len(days))
	for i, d := range days {
		project[i], start[i] = d.ProjectID, d.Day
	}
	return queryInShard(ctx, w.db, project, pgx.RowTo[int64], countDays, project, start)
}

// queryInShard runs a statement about projects of one shard, and returns its rows.
func queryInShard[T any](
	ctx context.Context, db *pg.DB, projects []int64, scan pgx.RowToFunc[T], sql string, args ...any,
) (all []T, err error) {
	if len(projects) == 0 {
		return nil, nil
	}
	err = db.OnShard(ctx, projects, func(on *pg.WriterPool) error {
		rows, err := on.Query(ctx, sql, args...)
		if err == nil {
			all, err = pgx.CollectRows(rows, scan)
		}
		return err
	})
	return all, pg.WrapError(err)
}

// errOverQuota says that a batch would take a project above its daily quota.
var errOverQuota = errors.New("store: the project is over its daily quota")

// checkQuotas keeps a batch from proceeding, and returns a row, if a day would exceed its quota.
const checkQuotas = `
SELECT set_config('errand.proceeds', 'false', true) WHERE current_setting('errand.proceeds', true) IS DISTINCT FROM 'false' AND EXISTS (
	SELECT 1 FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::bigint[]) AS n (project_id, day, quota, events)
	WHERE n.quota < n.events + (SELECT coalesce(sum(h.events), 0) FROM project_hours h
		WHERE h.project_id = n.project_id AND h.hour >= n.day AND h.hour < n.day + interval '24 hours'))`

// failOverQuota fails with overQuota if a day has more events than its quota. It follows countHours, which locks the
// project's row and so lets one batch through at a time: the counts of all servers are visible. After checkQuotas it fails
// only for batches that reach the quota at the same moment, so at most once for each connection that was writing then.
const failOverQuota = `
SELECT sqrt(CASE WHEN current_setting('errand.proceeds', true) IS DISTINCT FROM 'false' AND EXISTS (
	SELECT 1 FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[]) AS n (project_id, day, quota)
	WHERE n.quota < (SELECT sum(h.events) FROM project_hours h
		WHERE h.project_id = n.project_id AND h.hour >= n.day AND h.hour < n.day + interval '24 hours')) THEN -1 ELSE 0 END)`

// overQuota is the SQLSTATE of the square root of -1. No other statement takes a square root.
const overQuota = pgerrcode.InvalidArgumentForPowerFunction

// quotas are the project days that have a quota and the number of events that a batch adds to each, as arrays of a statement.
type quotas struct {
	project       []int64
	day           []time.Time
	quota, events []int64
}

func collectQuotas(counts []projectCount) (q quotas) {
	place := map[ProjectDay]int{}
	for _, c := range counts {
		if c.quota == nil {
			continue
		}
		day := ProjectDay{c.project, c.hour.Truncate(24 * time.Hour)}
		i, seen := place[day]
		if !seen {
			i = len(q.project)
			place[day] = i
			q.project, q.day, q.quota, q.events = append(q.project, day.ProjectID), append(q.day, day.Day), append(q.quota, 0), append(q.events, 0)
		}
		q.quota[i] = *c.quota
		q.events[i] += c.events
	}
	return q
}

func (n *quotas) queueQuotaCheck(q *pgx.Batch, o *batchOutcome) {
	if len(n.project) > 0 {
		q.Queue(checkQuotas, n.project, n.day, n.quota, n.events).Exec(func(tag pgconn.CommandTag) error {
			o.overQuota = tag.RowsAffected() > 0
			return nil
		})
	}
}

func (n *quotas) queueQuotaGuard(q *pgx.Batch) {
	if len(n.project) > 0 {
		q.Queue(failOverQuota, n.project, n.day, n.quota)
	}
}

const findStored = `
SELECT e.event_id IS NOT NULL
	OR EXISTS (SELECT 1 FROM counted_events c WHERE c.keys @> ARRAY[uuid_hash_extended(n.event_id, n.project_id)]` + receivedWithinDay + `)
FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS n (project_id, event_id, place)
LEFT JOIN event_ids e ON e.project_id = n.project_id AND e.event_id = n.event_id
ORDER BY n.place`

// FindStored reports for each event, in order, whether its id is stored or was counted within a day: adding it again would count nothing.
func (w *Writer) FindStored(ctx context.Context, events []NewEvent) ([]bool, error) {
	project, event := make([]int64, len(events)), make([][16]byte, len(events))
	for i := range events {
		project[i], event[i] = events[i].ProjectID, events[i].EventID
	}
	return queryInShard(ctx, w.db, project, pgx.RowTo[bool], findStored, append([]any{project, event}, countedSpan(w.db.Now())...)...)
}
