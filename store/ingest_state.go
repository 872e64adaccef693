package store

import (
	"cmp"
	"context"
	"time"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

const sumIngest = `
SELECT coalesce(sum(h.events) FILTER (WHERE h.hour >= @day_ago), 0)::bigint AS events_24h,
	coalesce(sum(h.events) FILTER (WHERE h.hour >= @today), 0)::bigint AS events_today,
	coalesce(bool_or(h.hour = @this_hour AND h.new_issues >= @new_issues_limit), false) AS too_many_issues
FROM project_hours h JOIN projects p ON p.id = h.project_id AND p.deleted_at IS NULL
WHERE h.hour >= least(@day_ago::timestamptz, @today::timestamptz) AND (@projects::bigint[] IS NULL OR h.project_id = ANY (@projects))
	AND /* of some projects: h */ true`

const readLastEvent = `
SELECT max(s.last_event_at) AS last_event_at, max(p.daily_quota) FILTER (WHERE p.id = @project_id) AS daily_quota
FROM projects p LEFT JOIN project_seen s ON s.project_id = p.id
WHERE p.deleted_at IS NULL AND (@projects::bigint[] IS NULL OR p.id = ANY (@projects)) AND /* of some projects: s */ true`

const (
	// The same in one round trip, where no shards are asked.
	readLastAndRefusal = `
SELECT l.last_event_at, l.daily_quota, (SELECT at FROM install_times WHERE name = @refused) AS refused_at FROM (` + readLastEvent + `) l`
	findRefusal = `SELECT at FROM install_times WHERE name = @refused`
)

// When the state of ingest changes (decisions 3).
const (
	idleAfter   = 24 * time.Hour  // without an event
	degradedFor = 5 * time.Minute // after a 503
)

// ReadIngestState reports whether events are coming in, for one project or (0) for all in reach (decisions 3).
func (s *Store) ReadIngestState(ctx context.Context, projectID int64) (core.IngestState, error) {
	now := s.Now()
	a := countingWindows(now)
	projects := projectsOf(ctx, projectID)
	a["projects"] = projects
	a["this_hour"], a["new_issues_limit"] = now.Truncate(time.Hour), s.Settings().NewIssuesPerHour
	if s.Settings().NewIssuesPerHour == 0 {
		a["new_issues_limit"] = intake.NoLimit
	}
	searched, err := s.projectsToSearch(ctx, projects)
	if err != nil {
		return core.IngestState{}, err
	}
	totals, err := s.sumIngest(ctx, a, searched)
	if err != nil {
		return core.IngestState{}, err
	}
	last, err := s.readLastEvent(ctx, projectID, projects, searched)
	if err != nil {
		return core.IngestState{}, err
	}
	state := core.IngestState{
		State: "ok", Events24h: totals.Events24h, LastEventAt: last.LastEventAt, QuotaUsed: totals.EventsToday, Quota: last.DailyQuota,
		TooManyIssues: totals.TooManyIssues,
	}
	// The state that keeps the most events away comes first: all until the end of the day, some for a while, none.
	switch {
	case state.Quota != nil && state.QuotaUsed >= *state.Quota:
		state.State = "over_quota"
	case last.RefusedAt.After(now.Add(-degradedFor)):
		state.State = "degraded"
	case !last.LastEventAt.After(now.Add(-idleAfter)):
		state.State = "idle"
	}
	return state, nil
}

// ingestTotals are the counts of events of some projects.
type ingestTotals struct {
	Events24h     int64 `db:"events_24h"`
	EventsToday   int64
	TooManyIssues bool
}

func (s *Store) sumIngest(ctx context.Context, a pg.Args, searched []int64) (sum ingestTotals, err error) {
	parts, err := pg.QueryEach[ingestTotals](ctx, s.db, s.db.Main, sumIngest, a, searched)
	for _, p := range parts {
		sum.Events24h += p.Events24h
		sum.EventsToday += p.EventsToday
		sum.TooManyIssues = sum.TooManyIssues || p.TooManyIssues
	}
	return sum, err
}

// lastEvent is when an event came last, and when one was refused last.
type lastEvent struct {
	LastEventAt core.Time
	DailyQuota  *int64
	RefusedAt   core.Time
}

func (s *Store) readLastEvent(ctx context.Context, project int64, projects, searched []int64) (last lastEvent, err error) {
	args := pg.Args{"project_id": project, "projects": projects}
	if !s.db.IsDistributed() {
		args["refused"] = ingestRefused
		return pg.QueryOne[lastEvent](ctx, s.db.Main, readLastAndRefusal, args)
	}
	parts, err := pg.QueryEach[struct {
		LastEventAt core.Time
		DailyQuota  *int64
	}](ctx, s.db, s.db.Main, s.byProject(readLastEvent), args, searched)
	if err != nil {
		return last, err
	}
	for _, p := range parts {
		if p.LastEventAt.After(last.LastEventAt.Time) {
			last.LastEventAt = p.LastEventAt
		}
		last.DailyQuota = cmp.Or(last.DailyQuota, p.DailyQuota)
	}
	refused, err := pg.QueryOne[struct{ At core.Time }](ctx, s.db.Main, findRefusal, pg.Args{"refused": ingestRefused})
	if core.HasCode(err, core.NotFound) {
		return last, nil
	}
	last.RefusedAt = refused.At
	return last, err
}
