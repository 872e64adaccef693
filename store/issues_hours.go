package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"errand/core"
	"errand/store/pg"
)

const (
	selectHoursOfIssues = `
SELECT i.id, n.place, h.hours, h.counts
FROM unnest(@ids::bigint[]) WITH ORDINALITY AS n (id, place)
CROSS JOIN LATERAL (SELECT id, project_id FROM issues WHERE id = n.id AND /* of some projects: issues */ true LIMIT 1) i
JOIN projects p ON p.id = i.project_id AND p.deleted_at IS NULL
CROSS JOIN LATERAL (
	SELECT coalesce(array_agg(hour), '{}') AS hours, coalesce(array_agg(events), '{}') AS counts FROM issue_hours
	WHERE project_id = i.project_id AND issue_id = i.id AND hour >= @since AND /* of some projects: issue_hours */ true
) h
WHERE (@reach::bigint[] IS NULL OR i.project_id = ANY (@reach))
ORDER BY n.place`
	selectDaysOfIssue = `
SELECT date_trunc('day', hour, 'UTC') AS day, sum(events)::bigint AS events FROM issue_hours
WHERE project_id = @project_id AND issue_id = @id AND hour >= @since
GROUP BY day`
)

// hoursRow are the hours of an issue with its place among those asked for.
type hoursRow struct {
	ID, Place int64
	Hours     []time.Time
	Counts    []int64
}

// ReadHours returns the events per hour of issues, in their order. Those that do not exist, or not for the caller, are left out.
func (s *Store) ReadHours(ctx context.Context, ids []int64) (core.HoursOfIssues, error) {
	since := s.Now().UTC().Truncate(time.Hour).Add(-(core.HoursShown - 1) * time.Hour)
	projects, err := s.findProjectsOf(ctx, ids)
	if err != nil {
		return core.HoursOfIssues{}, err
	}
	rows, err := pg.QueryEach[hoursRow](ctx, s.db, s.db.Main, selectHoursOfIssues,
		pg.Args{"ids": ids, "since": since, "reach": core.ReachOf(ctx).Projects()}, projects)
	slices.SortFunc(rows, func(a, b hoursRow) int { return cmp.Compare(a.Place, b.Place) })
	hours := core.HoursOfIssues{Since: core.At(since)}
	for _, row := range rows {
		of := core.IssueHours{ID: row.ID, Events: make(core.List[int64], core.HoursShown)}
		for i, hour := range row.Hours {
			addAt(of.Events, int(hour.Sub(since)/time.Hour), row.Counts[i])
		}
		hours.Issues = append(hours.Issues, of)
	}
	return hours, err
}

// addAt adds to a count, unless it is of a time that is not shown: the clock of a sender may be ahead.
func addAt(counts []int64, at int, more int64) {
	if at >= 0 && at < len(counts) {
		counts[at] += more
	}
}

// ReadDays returns the events per day of an issue, with the deploys of its project in between.
func (s *Store) ReadDays(ctx context.Context, issue int64) (core.IssueDays, error) {
	const day = 24 * time.Hour
	since := s.Now().UTC().Truncate(day).Add(-(core.DaysShown - 1) * day)
	days := core.IssueDays{Since: core.At(since), Events: make(core.List[int64], core.DaysShown)}
	project, err := s.findShownIssueOwner(ctx, issue)
	if err != nil {
		return days, err
	}
	rows, err := pg.QueryMany[struct {
		Day    time.Time
		Events int64
	}](ctx, s.db.Main, selectDaysOfIssue, pg.Args{"project_id": project, "id": issue, "since": since})
	if err != nil {
		return days, err
	}
	for _, row := range rows {
		addAt(days.Events, int(row.Day.Sub(since)/day), row.Events)
	}
	deploys, err := pg.QueryMany[deployRow](ctx, s.db.Main, selectLatestDeploys, pg.Args{"project_id": project, "rows": deploysShown})
	for i := len(deploys) - 1; i >= 0; i-- {
		if d := deploys[i]; !d.DeployedAt.Before(since) {
			days.Deploys = append(days.Deploys, core.DeployMark{ID: d.ID, Release: core.ShowUntrusted(d.Release),
				Environment: core.Untrusted(core.ShowName(d.Environment)), DeployedAt: d.DeployedAt})
		}
	}
	return days, err
}
