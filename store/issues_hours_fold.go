package store

import (
	"context"
	"time"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

// foldAfterDays is how many days the hours of an issue's events are kept apart. Nothing asks for the hours of older days.
const foldAfterDays = 30

// foldAtOnce bounds the rows that one statement looks at.
const foldAtOnce = 20_000

// foldHours reads the next rows of a project, and makes one row for each issue and day. It does not say which five minutes had events.
const foldHours = `
WITH page AS MATERIALIZED (
	SELECT issue_id, hour FROM issue_hours
	WHERE project_id = @project_id AND (issue_id, hour) > (@issue_id, coalesce(@hour::timestamptz, '-infinity'))
	ORDER BY issue_id, hour LIMIT @rows
), days AS (
	SELECT issue_id, date_trunc('day', hour, 'UTC') AS day FROM page WHERE hour < @before GROUP BY 1, 2 HAVING count(*) > 1
), gone AS (
	DELETE FROM issue_hours h USING days d
	WHERE h.project_id = @project_id AND h.issue_id = d.issue_id AND h.hour > d.day
		AND h.hour < (d.day AT TIME ZONE 'UTC' + interval '24 hours') AT TIME ZONE 'UTC'
	RETURNING h.issue_id, d.day, h.events
), folded AS (
	INSERT INTO issue_hours (project_id, issue_id, hour, events, fives)
	SELECT @project_id, issue_id, day, sum(events), 0 FROM gone GROUP BY issue_id, day
	ON CONFLICT (project_id, issue_id, hour) DO UPDATE SET events = issue_hours.events + excluded.events, fives = 0
)
SELECT issue_id, hour FROM page ORDER BY issue_id DESC, hour DESC LIMIT 1`

// FoldHours replaces the hours of issues' events by days where they are older than 30 days. No list and no chart depends on
// when it is called.
func (s *Store) FoldHours(ctx context.Context) error {
	before := foldedBefore(s.Now())
	return s.Intake.EachProject(ctx, func(ctx context.Context, project int64) error { return s.foldHoursOf(ctx, project, before) })
}

// foldedBefore returns the beginning of the first day whose hours are kept apart.
func foldedBefore(now core.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -foldAfterDays)
}

// foldHoursOf goes through the rows of a project once.
func (s *Store) foldHoursOf(ctx context.Context, project int64, before time.Time) error {
	type place struct {
		IssueID int64
		Hour    core.Time
	}
	var last place
	for {
		err := s.inTx(ctx, func(t *tx) (err error) {
			if err := intake.ShareProject(ctx, t.Tx, project); err != nil { // no merge or split meanwhile
				return err
			}
			last, err = pg.QueryOne[place](ctx, t, foldHours, pg.Args{
				"project_id": project, "issue_id": last.IssueID, "hour": last.Hour, "before": before, "rows": foldAtOnce,
			})
			return err
		})
		if core.HasCode(err, core.NotFound) || core.HasCode(err, core.ProjectNotFound) { // no more rows, or the project was deleted
			return nil
		}
		if err != nil {
			return err
		}
	}
}
