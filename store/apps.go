package store

import (
	"context"
	"strconv"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// A problem counts as unresolved by the same rule as in a list of problems. Where there are many, totals.countOpen counts the rest.
const selectApps = `
SELECT p.id, p.name, p.slug, p.environment, p.notify_on_new_problem, p.notify_on_reoccurrence, p.created_at,
	coalesce(p.updated_at, p.created_at) AS updated_at,
	(SELECT count(*) FROM (
		SELECT FROM issues i
		WHERE i.project_id = p.id AND NOT i.test AND i.status IN ` + openStatuses + ` LIMIT @counted) few) AS unresolved
FROM projects p
WHERE p.deleted_at IS NULL`

const (
	listApps      = selectApps + ` ORDER BY p.created_at DESC, p.id DESC`
	findAppByID   = selectApps + ` AND p.id = @id`
	findAppBySlug = `SELECT id FROM projects WHERE slug = @slug AND deleted_at IS NULL`
	lockApp       = `
SELECT name, slug, environment, notify_on_new_problem, notify_on_reoccurrence
FROM projects WHERE id = @id AND deleted_at IS NULL FOR UPDATE`
	saveApp = `
UPDATE projects SET environment = @environment, notify_on_new_problem = @on_new, notify_on_reoccurrence = @on_reoccurrence
WHERE id = @id`
	renameApp = `UPDATE projects SET name = @name, slug = @slug, updated_at = @now WHERE id = @id`
)

// AppSettings are the fields of a project that only the management API has.
type AppSettings struct {
	Environment          *string
	NotifyOnNewProblem   bool
	NotifyOnReoccurrence bool
}

// App is a project as the management API shows it.
type App struct {
	ID   int64
	Name string
	Slug string
	AppSettings
	CreatedAt  core.Time
	UpdatedAt  core.Time
	Unresolved int64 // issues that are open
}

// ListApps lists all apps, newest first.
func (s *Store) ListApps(ctx context.Context) ([]App, error) {
	apps, err := pg.QueryMany[App](ctx, s.db.Main, listApps, pg.Args{"counted": exactTotals + 1})
	if err != nil {
		return nil, err
	}
	return apps, s.totals.countOpen(ctx, s.db, apps)
}

// ReadApp returns one app, or not_found.
func (s *Store) ReadApp(ctx context.Context, id int64) (App, error) {
	app, err := pg.QueryOne[App](ctx, s.db.Main, findAppByID, pg.Args{"id": id, "counted": exactTotals + 1})
	if err != nil {
		return App{}, err
	}
	apps := []App{app}
	err = s.totals.countOpen(ctx, s.db, apps)
	return apps[0], err
}

// FindApp returns the id of the project with the slug or id in the reference, or not_found. Unlike FindProject it never
// uses the name: two apps may have the same name, and a deletion that is sent twice must not hit the other one.
func (s *Store) FindApp(ctx context.Context, ref core.ProjectRef) (int64, error) {
	sql, args := findAppBySlug, pg.Args{"slug": string(ref)}
	if id, err := strconv.ParseInt(string(ref), 10, 64); err == nil {
		sql, args = findProjectByID, pg.Args{"id": id}
	}
	row, err := pg.QueryOne[struct{ ID int64 }](ctx, s.db.Main, sql, args)
	return row.ID, err
}

// AppChange describes a change of an app: fields that are nil or not set stay.
type AppChange struct {
	Name                 *string
	Environment          core.Opt[string]
	NotifyOnNewProblem   *bool
	NotifyOnReoccurrence *bool
}

// lockedApp is the locked row of an app that a transaction is going to change.
type lockedApp struct {
	Name string
	Slug string
	AppSettings
}

// UpdateApp changes an app, or returns not_found. A new name also changes the slug. A change that changes nothing leaves no
// activity.
func (s *Store) UpdateApp(ctx context.Context, actor core.Actor, id int64, c AppChange) (App, error) {
	if err := s.inTxOfSlug(ctx, func(t *tx) error { return t.updateApp(ctx, actor, id, c) }); err != nil {
		return App{}, err
	}
	return s.ReadApp(ctx, id)
}

func (t *tx) updateApp(ctx context.Context, actor core.Actor, id int64, c AppChange) error {
	app, err := pg.QueryOne[lockedApp](ctx, t, lockApp, pg.Args{"id": id})
	if err != nil {
		return err
	}
	changed := map[string]any{}
	replaceSetting(changed, "environment", c.Environment.Set, &app.Environment, c.Environment.ValueOrNil())
	if c.NotifyOnNewProblem != nil {
		replaceSetting(changed, "notify_on_new_problem", true, &app.NotifyOnNewProblem, *c.NotifyOnNewProblem)
	}
	if c.NotifyOnReoccurrence != nil {
		replaceSetting(changed, "notify_on_reoccurrence", true, &app.NotifyOnReoccurrence, *c.NotifyOnReoccurrence)
	}
	if c.Name != nil && *c.Name != app.Name {
		slug := app.Slug
		if core.MakeSlug(*c.Name) != core.MakeSlug(app.Name) {
			if slug, err = t.findFreeSlug(ctx, core.MakeSlug(*c.Name)); err != nil {
				return err
			}
		}
		replaceSetting(changed, "name", true, &app.Name, *c.Name)
		replaceSetting(changed, "slug", true, &app.Slug, slug)
	}
	if len(changed) == 0 {
		return nil
	}
	if err := t.saveApp(ctx, id, app.AppSettings); err != nil {
		return err
	}
	if _, err = pg.Exec(ctx, t, renameApp, pg.Args{"id": id, "name": app.Name, "slug": app.Slug, "now": t.Now}); err != nil {
		return err
	}
	_, err = t.recordActivity(ctx, activity.Entry{
		ProjectID: id, Actor: actor, Action: core.ActionProjectUpdate, TargetType: core.TargetProject, TargetID: id, Data: changed,
	})
	return err
}

func (t *tx) saveApp(ctx context.Context, id int64, s AppSettings) error {
	_, err := pg.Exec(ctx, t, saveApp, pg.Args{
		"id": id, "environment": s.Environment, "on_new": s.NotifyOnNewProblem, "on_reoccurrence": s.NotifyOnReoccurrence,
	})
	return err
}
