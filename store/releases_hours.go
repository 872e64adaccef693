package store

import (
	"context"
	"time"

	"errand/core"
	"errand/store/pg"
)

const (
	firstDeployOfRelease = `
SELECT deployed_at, coalesce((SELECT min(hour) FROM project_hours WHERE project_id = @project_id), deployed_at) AS first_event
FROM deploys d
WHERE d.project_id = @project_id AND d.release = ANY (@names) AND (@environment::text = '' OR d.environment = @environment)
ORDER BY d.number LIMIT 1`
	hoursOfProject = `
SELECT hour, events FROM project_hours WHERE project_id = @project_id AND hour >= @since AND hour < @until`
)

// ReadReleaseHours counts the events of a release's project around the first deploy of the release in an environment, or
// anywhere (empty). A release that was not deployed there is not_found.
func (s *Store) ReadReleaseHours(ctx context.Context, project int64, version, environment string) (core.ReleaseHours, error) {
	_, names, err := s.findRelease(ctx, project, version)
	if err != nil {
		return core.ReleaseHours{}, err
	}
	deploy, err := pg.QueryOne[struct{ DeployedAt, FirstEvent core.Time }](ctx, s.db.Main, firstDeployOfRelease,
		pg.Args{"project_id": project, "names": names, "environment": environment})
	if err != nil {
		return core.ReleaseHours{}, err
	}
	running := s.Now().UTC().Truncate(time.Hour)
	at := deploy.DeployedAt.UTC().Truncate(time.Hour)
	since := at.Add(-core.ReleaseHoursShown * time.Hour)
	last := at.Add(core.ReleaseHoursShown * time.Hour)
	if last.After(running) {
		last = running
	}
	rows, err := pg.QueryMany[struct {
		Hour   time.Time
		Events int64
	}](ctx, s.db.Main, hoursOfProject, pg.Args{"project_id": project, "since": since, "until": last.Add(time.Hour)})
	hours := core.ReleaseHours{
		DeployedAt: deploy.DeployedAt, Since: core.At(since), Events: make(core.List[int64], max(int(last.Sub(since)/time.Hour)+1, 0)),
	}
	for _, row := range rows {
		addAt(hours.Events, int(row.Hour.Sub(since)/time.Hour), row.Events)
	}
	hours.PerHour = rateHours(hours.Events, deploy.FirstEvent.Before(at), last.Before(running))
	return hours, err
}

// rateHours returns the events per hour before and after the hour of the deploy. lived says that the project had events before,
// ended that the last hour is over.
func rateHours(events []int64, lived, ended bool) core.EventRates {
	var rates core.EventRates
	if len(events) < core.ReleaseHoursShown {
		return rates // the clock of Postgres was set back
	}
	if lived {
		rates.Before = averageOf(events[:core.ReleaseHoursShown])
	}
	after := events[min(core.ReleaseHoursShown+1, len(events)):]
	if !ended && len(after) > 0 {
		after = after[:len(after)-1]
	}
	rates.Since = averageOf(after)
	return rates
}

// averageOf returns the mean with 2 decimals; nil of nothing.
func averageOf(counts []int64) *float64 {
	if len(counts) == 0 {
		return nil
	}
	sum := int64(0)
	for _, n := range counts {
		sum += n
	}
	const decimals = 100
	mean := float64(sum*decimals/int64(len(counts))) / decimals
	return &mean
}
