package store

import (
	"context"
	"strconv"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// A problem counts as unresolved by the same rule as in a list of problems. Where there are many, totals.countOpen counts the rest.
const selectManagedProjects = `
SELECT p.id, p.name, p.slug, p.environment, p.notify_on_new_problem, p.notify_on_reoccurrence, p.created_at,
	coalesce(p.updated_at, p.created_at) AS updated_at,
	(SELECT count(*) FROM (
		SELECT FROM issues i
		WHERE i.project_id = p.id AND NOT i.test AND i.status IN ` + openStatuses + ` LIMIT @counted) few) AS unresolved
FROM projects p
WHERE p.deleted_at IS NULL`

const (
	listManagedProjects = selectManagedProjects + ` ORDER BY p.created_at DESC, p.id DESC`
	findManagedProject  = selectManagedProjects + ` AND p.id = @id`
	findProjectIDBySlug = `SELECT id FROM projects WHERE slug = @slug AND deleted_at IS NULL`
	lockManagedProject  = `
SELECT name, slug, environment, notify_on_new_problem, notify_on_reoccurrence
FROM projects WHERE id = @id AND deleted_at IS NULL FOR UPDATE`
	saveManagedSettings = `
UPDATE projects SET environment = @environment, notify_on_new_problem = @on_new, notify_on_reoccurrence = @on_reoccurrence
WHERE id = @id`
	renameProject = `UPDATE projects SET name = @name, slug = @slug, updated_at = @now WHERE id = @id`
)

// ManagedSettings are the fields of a project that only the management API has.
type ManagedSettings struct {
	Environment          *string
	NotifyOnNewProblem   bool
	NotifyOnReoccurrence bool
}

// ManagedProject is a project as the management API shows it.
type ManagedProject struct {
	ID   int64
	Name string
	Slug string
	ManagedSettings
	CreatedAt  core.Time
	UpdatedAt  core.Time
	Unresolved int64 // issues that are open
}

// ListManagedProjects lists all projects, newest first.
func (s *Store) ListManagedProjects(ctx context.Context) ([]ManagedProject, error) {
	projects, err := pg.QueryMany[ManagedProject](ctx, s.db.Main, s.byProject(listManagedProjects), pg.Args{"counted": exactTotals + 1})
	if err != nil {
		return nil, err
	}
	return projects, s.totals.countOpen(ctx, s.db, projects)
}

// ReadManagedProject returns one project, or not_found.
func (s *Store) ReadManagedProject(ctx context.Context, id int64) (ManagedProject, error) {
	project, err := pg.QueryOne[ManagedProject](ctx, s.db.Main, s.byProject(findManagedProject), pg.Args{"id": id, "counted": exactTotals + 1})
	if err != nil {
		return ManagedProject{}, err
	}
	projects := []ManagedProject{project}
	err = s.totals.countOpen(ctx, s.db, projects)
	return projects[0], err
}

// FindProjectByKey returns the id of the project with the slug or id in the reference, or not_found. Unlike FindProject it never
// uses the name: two projects may have the same name, and a deletion that is sent twice must not hit the other one.
func (s *Store) FindProjectByKey(ctx context.Context, ref core.ProjectRef) (int64, error) {
	sql, args := findProjectIDBySlug, pg.Args{"slug": string(ref)}
	if id, err := strconv.ParseInt(string(ref), 10, 64); err == nil {
		sql, args = findProjectByID, pg.Args{"id": id}
	}
	row, err := pg.QueryOne[struct{ ID int64 }](ctx, s.db.Main, sql, args)
	return row.ID, err
}

// ManagedProjectChange describes a change of a project: fields that are nil or not set stay.
type ManagedProjectChange struct {
	Name                 *string
	Environment          core.Opt[string]
	NotifyOnNewProblem   *bool
	NotifyOnReoccurrence *bool
}

// lockedManagedProject is the locked row of a project that a transaction is going to change.
type lockedManagedProject struct {
	Name string
	Slug string
	ManagedSettings
}

// UpdateManagedProject changes a project, or returns not_found. A new name also changes the slug. A change that changes nothing leaves no
// activity.
func (s *Store) UpdateManagedProject(ctx context.Context, actor core.Actor, id int64, c ManagedProjectChange) (ManagedProject, error) {
	if err := s.inTxOfSlug(ctx, func(t *tx) error { return t.updateManagedProject(ctx, actor, id, c) }); err != nil {
		return ManagedProject{}, err
	}
	return s.ReadManagedProject(ctx, id)
}

func (t *tx) updateManagedProject(ctx context.Context, actor core.Actor, id int64, c ManagedProjectChange) error {
	project, err := pg.QueryLocked[lockedManagedProject](ctx, t.Tx, lockManagedProject, pg.Args{"id": id}, "projects", id)
	if err != nil {
		return err
	}
	changed := map[string]any{}
	replaceSetting(changed, "environment", c.Environment.Set, &project.Environment, c.Environment.ValueOrNil())
	if c.NotifyOnNewProblem != nil {
		replaceSetting(changed, "notify_on_new_problem", true, &project.NotifyOnNewProblem, *c.NotifyOnNewProblem)
	}
	if c.NotifyOnReoccurrence != nil {
		replaceSetting(changed, "notify_on_reoccurrence", true, &project.NotifyOnReoccurrence, *c.NotifyOnReoccurrence)
	}
	if c.Name != nil && *c.Name != project.Name {
		slug := project.Slug
		if core.MakeSlug(*c.Name) != core.MakeSlug(project.Name) {
			if slug, err = t.findFreeSlug(ctx, core.MakeSlug(*c.Name)); err != nil {
				return err
			}
		}
		replaceSetting(changed, "name", true, &project.Name, *c.Name)
		replaceSetting(changed, "slug", true, &project.Slug, slug)
	}
	if len(changed) == 0 {
		return nil
	}
	if err := t.saveManagedSettings(ctx, id, project.ManagedSettings); err != nil {
		return err
	}
	if _, err = pg.Exec(ctx, t, renameProject, pg.Args{"id": id, "name": project.Name, "slug": project.Slug, "now": t.Now}); err != nil {
		return err
	}
	_, err = t.recordActivity(ctx, activity.Entry{
		ProjectID: id, Actor: actor, Action: core.ActionProjectUpdate, TargetType: core.TargetProject, TargetID: id, Data: changed,
	})
	return err
}

func (t *tx) saveManagedSettings(ctx context.Context, id int64, s ManagedSettings) error {
	_, err := pg.Exec(ctx, t, saveManagedSettings, pg.Args{
		"id": id, "environment": s.Environment, "on_new": s.NotifyOnNewProblem, "on_reoccurrence": s.NotifyOnReoccurrence,
	})
	return err
}
