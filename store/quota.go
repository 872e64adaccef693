package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// ProjectDay is one UTC day of a project, over which its daily quota is counted.
type ProjectDay struct {
	ProjectID int64
	Day       time.Time // its start, UTC
}

// DayOf gives the day on which an event counts: that of its arrival.
func (e *NewEvent) DayOf() ProjectDay { return ProjectDay{e.ProjectID, dayOf(e.ReceivedAt)} }

const countDays = `
SELECT coalesce(sum(h.events), 0)::bigint
FROM unnest($1::bigint[], $2::timestamptz[]) WITH ORDINALITY AS n (project_id, day, place)
LEFT JOIN project_hours h ON h.project_id = n.project_id AND h.hour >= n.day AND h.hour < n.day + interval '24 hours'
GROUP BY n.place ORDER BY n.place`

// CountDays gives how many events counted on each of the days, in their order.
func (s *Store) CountDays(ctx context.Context, days []ProjectDay) ([]int64, error) {
	project, start := make([]int64, len(days)), make([]time.Time, len(days))
	for i, d := range days {
		project[i], start[i] = d.ProjectID, d.Day
	}
	rows, err := s.writer.Query(ctx, countDays, project, start)
	if err != nil {
		return nil, wrap(err)
	}
	counts, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	return counts, wrap(err)
}

// failOverQuota fails with overQuota when a day has more events than its quota. It comes after countHours, whose row of
// the project lets one batch at a time through: so the counts of all servers are seen.
const failOverQuota = `
SELECT sqrt(CASE WHEN EXISTS (
	SELECT FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[]) AS n (project_id, day, quota)
	WHERE n.quota < (SELECT sum(h.events) FROM project_hours h
		WHERE h.project_id = n.project_id AND h.hour >= n.day AND h.hour < n.day + interval '24 hours')) THEN -1 ELSE 0 END)`

// overQuota is the SQLSTATE of the square root of -1, which no other statement takes.
const overQuota = "2201F"

const findStored = `
SELECT e.event_id IS NOT NULL
FROM unnest($1::bigint[], $2::uuid[]) WITH ORDINALITY AS n (project_id, event_id, place)
LEFT JOIN event_ids e ON e.project_id = n.project_id AND e.event_id = n.event_id
ORDER BY n.place`

// FindStored reports of each event whether one with its id is stored or was counted within a day, in their order: to add
// it again counts nothing.
func (s *Store) FindStored(ctx context.Context, events []NewEvent) ([]bool, error) {
	project, event := make([]int64, len(events)), make([][16]byte, len(events))
	for i := range events {
		project[i], event[i] = events[i].ProjectID, events[i].EventID
	}
	rows, err := s.writer.Query(ctx, findStored, project, event)
	if err != nil {
		return nil, wrap(err)
	}
	stored, err := pgx.CollectRows(rows, pgx.RowTo[bool])
	return stored, wrap(err)
}
