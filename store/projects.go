package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// projectRow is the row of a project.
type projectRow struct {
	ID             int64
	Name           string
	Slug           string
	Platform       string
	Repository     string
	TrustSetting   *core.Trust
	DailyQuota     *int64
	ScrubKeys      []string
	ScrubPatterns  []string
	AllowedOrigins *[]string
	Demo           bool
	CreatedAt      core.Time
	LastEventAt    core.Time
	ServerSeenAt   core.Time
	ClientSeenAt   core.Time
	Events24h      int64 `db:"events_24h"`
	EventsToday    int64
	Keys           []string
}

func (r projectRow) toProject(now core.Time) core.Project {
	p := core.Project{
		ID: r.ID, Name: r.Name, Slug: r.Slug, Platform: core.Text(r.Platform), CreatedAt: r.CreatedAt,
		Repository: core.Text(r.Repository), TrustSetting: r.TrustSetting, ServerSeenAt: r.ServerSeenAt, ClientSeenAt: r.ClientSeenAt,
		AllowedOrigins: r.AllowedOrigins, DailyQuota: r.DailyQuota, ScrubKeys: r.ScrubKeys, ScrubPatterns: r.ScrubPatterns,
		Events24h: r.Events24h, EventsToday: r.EventsToday, LastEventAt: r.LastEventAt, Demo: r.Demo,
	}
	p.AssessSources(now.Time)
	return p
}

const selectProjects = `
SELECT p.id, p.name, p.slug, p.platform, p.repository, p.trust_setting, p.daily_quota, p.scrub_keys, p.scrub_patterns,
	p.allowed_origins, p.demo, p.created_at, s.last_event_at, s.server_seen_at, s.client_seen_at,
	coalesce(h.events_24h, 0)::bigint AS events_24h, coalesce(h.events_today, 0)::bigint AS events_today,
	ARRAY(SELECT k.public_key FROM project_keys k WHERE k.project_id = p.id AND k.revoked_at IS NULL
		ORDER BY k.created_at, k.public_key) AS keys
FROM projects p
LEFT JOIN project_seen s ON s.project_id = p.id
LEFT JOIN LATERAL (
	SELECT sum(events) FILTER (WHERE hour >= @day_ago) AS events_24h, sum(events) FILTER (WHERE hour >= @today) AS events_today
	FROM project_hours WHERE project_id = p.id AND hour >= least(@day_ago::timestamptz, @today::timestamptz)
) h ON true
WHERE p.deleted_at IS NULL`

const (
	listProjects = selectProjects + `
	AND (@reach::bigint[] IS NULL OR p.id = ANY (@reach))
ORDER BY p.created_at DESC, p.id DESC`
	selectOnProject = selectProjects + ` AND p.id = @id`
)

// countingWindows returns the starts of the counting windows: an hour counts if it lies completely inside (primary API, Issue).
func countingWindows(now core.Time) pg.Args {
	return pg.Args{"day_ago": now.Add(-24 * time.Hour), "today": now.Truncate(24 * time.Hour)}
}

// StoredProject is a project with its active keys, oldest first.
type StoredProject struct {
	core.Project
	Keys []string
}

// ListProjects lists all projects in reach, most recent first.
func (s *Store) ListProjects(ctx context.Context) ([]StoredProject, error) {
	now := s.Now()
	a := countingWindows(now)
	a["reach"] = core.ReachOf(ctx).Projects()
	rows, err := pg.QueryMany[projectRow](ctx, s.db.Main, s.byProject(listProjects), a)
	list := make([]StoredProject, len(rows))
	for i, r := range rows {
		list[i] = StoredProject{r.toProject(now), r.Keys}
	}
	return list, err
}

// ReadProject returns one project by its id, or not_found.
func (s *Store) ReadProject(ctx context.Context, id int64) (StoredProject, error) {
	if err := core.CheckReach(ctx, id); err != nil {
		return StoredProject{}, err
	}
	return s.readProject(ctx, s.db.Main, id, s.Now())
}

func (s *Store) readProject(ctx context.Context, q pg.Querier, id int64, now core.Time) (StoredProject, error) {
	a := countingWindows(now)
	a["id"] = id
	row, err := pg.QueryOne[projectRow](ctx, q, s.byProject(selectOnProject), a)
	return StoredProject{row.toProject(now), row.Keys}, err
}

const (
	findProjectByID   = `SELECT id FROM projects WHERE id = @id AND deleted_at IS NULL`
	findProjectBySlug = `SELECT id FROM projects WHERE slug = @slug AND deleted_at IS NULL`
)

// FindProject returns the id of the project that a caller named by id, slug or name, or project_not_found. A name that
// several projects have names none of them.
func (s *Store) FindProject(ctx context.Context, ref core.ProjectRef) (int64, error) {
	id, err := s.findProjectByRef(ctx, ref)
	if core.HasCode(err, core.NotFound) {
		id, err = s.findProjectByName(ctx, ref)
	}
	return s.nameSlugs(ctx, id, err)
}

// FindProjectExactly is FindProject by id or slug alone: a change or deletion must hit the project that was meant.
func (s *Store) FindProjectExactly(ctx context.Context, ref core.ProjectRef) (int64, error) {
	id, err := s.findProjectByRef(ctx, ref)
	return s.nameSlugs(ctx, id, err)
}

func (s *Store) findProjectByRef(ctx context.Context, ref core.ProjectRef) (int64, error) {
	sql, a := findProjectBySlug, pg.Args{"slug": strings.ToLower(string(ref))}
	if id, err := strconv.ParseInt(string(ref), 10, 64); err == nil {
		sql, a = findProjectByID, pg.Args{"id": id}
	}
	row, err := pg.QueryOne[struct{ ID int64 }](ctx, s.db.Main, sql, a)
	if err != nil {
		return 0, err
	}
	return row.ID, core.CheckReach(ctx, row.ID)
}

// shownSlugs is how many projects a project_not_found names.
const shownSlugs = 10

const (
	findProjectByName = `
SELECT min(id) AS id FROM projects
WHERE lower(name) = lower(@name) AND deleted_at IS NULL AND (@visible::bigint[] IS NULL OR id = ANY (@visible))
HAVING count(*) = 1`
	listSlugs = `
SELECT slug FROM projects WHERE deleted_at IS NULL AND (@visible::bigint[] IS NULL OR id = ANY (@visible))
ORDER BY slug LIMIT @limit`
)

// findProjectByName finds the one project with the name, in any case.
func (s *Store) findProjectByName(ctx context.Context, ref core.ProjectRef) (int64, error) {
	row, err := pg.QueryOne[struct{ ID int64 }](ctx, s.db.Main, findProjectByName,
		pg.Args{"name": string(ref), "visible": core.ReachOf(ctx).Visible()})
	if err != nil {
		return 0, err
	}
	return row.ID, core.CheckReach(ctx, row.ID)
}

// nameSlugs turns not found into project_not_found, which names some existing projects.
func (s *Store) nameSlugs(ctx context.Context, id int64, err error) (int64, error) {
	if !core.HasCode(err, core.NotFound) {
		return id, err
	}
	slugs, err := s.ListSlugs(ctx, shownSlugs)
	if err != nil {
		return 0, err
	}
	return 0, core.NewError(core.ProjectNotFound).Tell("projects", core.List[string](slugs))
}

// ListSlugs returns the first slugs of projects that the caller may know, sorted.
func (s *Store) ListSlugs(ctx context.Context, limit int) ([]string, error) {
	rows, err := pg.QueryMany[struct{ Slug string }](ctx, s.db.Main, listSlugs,
		pg.Args{"limit": limit, "visible": core.ReachOf(ctx).Visible()})
	slugs := make([]string, len(rows))
	for i, row := range rows {
		slugs[i] = row.Slug
	}
	return slugs, err
}

// CreateProjectKey adds a key to a project.
func (s *Store) CreateProjectKey(ctx context.Context, actor core.Actor, projectID int64, publicKey string) error {
	return s.inTx(ctx, func(t *tx) error {
		if _, err := pg.Exec(ctx, t, insertProjectKey, pg.Args{"key": publicKey, "project_id": projectID, "now": t.Now}); err != nil {
			return err
		}
		return t.recordKey(ctx, actor, projectID, keyChange{Added: publicKey})
	})
}

// keyChange is the data of a change of a project's keys in its activity.
type keyChange struct {
	Added   string `json:"key_added,omitempty"`
	Revoked string `json:"key_revoked,omitempty"`
}

// recordKey writes the activity row of a change of the keys, as a change of the project: the specification has no other
// action for it.
func (t *tx) recordKey(ctx context.Context, actor core.Actor, project int64, data keyChange) error {
	_, err := t.recordActivity(ctx, activity.Entry{
		ProjectID: project, Actor: actor, Action: core.ActionProjectUpdate, TargetType: core.TargetProject, TargetID: project, Data: data,
	})
	return err
}

const (
	insertProjectKey = `INSERT INTO project_keys (public_key, project_id, created_at) VALUES (@key, @project_id, @now)`
	lockProject      = `SELECT id FROM projects WHERE id = @id AND deleted_at IS NULL FOR UPDATE`
	listActiveKeys   = `SELECT public_key FROM project_keys WHERE project_id = @project_id AND revoked_at IS NULL`
	revokeOneKey     = `UPDATE project_keys SET revoked_at = @now WHERE public_key = @key`
)

// RevokeProjectKey revokes a key. It returns not_found when the project has no such active key, last_key when it is the only one.
func (s *Store) RevokeProjectKey(ctx context.Context, actor core.Actor, projectID int64, publicKey string) error {
	return s.inTx(ctx, func(t *tx) error {
		// The lock keeps two parallel revocations from removing the last two keys.
		if _, err := pg.QueryLocked[struct{ ID int64 }](ctx, t.Tx, lockProject, pg.Args{"id": projectID}, "projects", projectID); err != nil {
			return err
		}
		keys, err := pg.QueryMany[struct{ PublicKey string }](ctx, t, listActiveKeys, pg.Args{"project_id": projectID})
		if err != nil {
			return err
		}
		active := false
		for _, k := range keys {
			active = active || k.PublicKey == publicKey
		}
		switch {
		case !active:
			return core.NewError(core.NotFound)
		case len(keys) == 1:
			return core.NewError(core.LastKey)
		}
		if _, err = pg.Exec(ctx, t, revokeOneKey, pg.Args{"key": publicKey, "now": t.Now}); err != nil {
			return err
		}
		return t.recordKey(ctx, actor, projectID, keyChange{Revoked: publicKey})
	})
}
