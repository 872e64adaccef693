package store

import (
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
	AND /* of its project: h */ true`

const readLastEvent = `
SELECT l.last_event_at, l.daily_quota, (SELECT t.at FROM install_times t WHERE t.name = @refused) AS refused_at
FROM (
	SELECT max(s.last_event_at) AS last_event_at, max(p.daily_quota) FILTER (WHERE p.id = @project_id) AS daily_quota
	FROM projects p LEFT JOIN project_seen s ON s.project_id = p.id
	WHERE p.deleted_at IS NULL AND (@projects::bigint[] IS NULL OR p.id = ANY (@projects))
		AND /* of its project: s */ true
) l`

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
	sum, readLast := sumIngest, s.byProject(readLastEvent)
	if projectID != 0 && s.db.IsDistributed() { // the other nodes may be away
		a["project_id"] = projectID
		sum, readLast = s.db.OfProject(sum), s.db.OfProject(readLast)
	}
	totals, err := pg.QueryOne[struct {
		Events24h     int64 `db:"events_24h"`
		EventsToday   int64
		TooManyIssues bool
	}](ctx, s.db.Main, sum, a)
	if err != nil {
		return core.IngestState{}, err
	}
	last, err := pg.QueryOne[struct {
		LastEventAt core.Time
		DailyQuota  *int64
		RefusedAt   core.Time
	}](ctx, s.db.Main, readLast, pg.Args{"project_id": projectID, "projects": projects, "refused": ingestRefused})
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
