package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

const (
	// Admins have no row to lock while they register an app.
	lockSetupOfAdmins = `SELECT pg_advisory_xact_lock(hashtext('setup_apps'))`
	findSetupAppNamed = `
SELECT a.project_id AS id
FROM setup_apps a JOIN projects p ON p.id = a.project_id
WHERE a.setup_key_id = @key AND a.name = @name AND p.deleted_at IS NULL`
	insertSetupApp = `
INSERT INTO setup_apps (project_id, setup_key_id, created_at, connected_at, name, agent)
VALUES (@project_id, @key, @now, @connected_at, @name, @agent)`
	countSetupApp = `UPDATE setup_keys SET apps = apps + 1 WHERE id = @key`
	findSetupApp  = `SELECT project_id AS id FROM setup_apps WHERE project_id = @id AND setup_key_id = @key`
)

// RegisterApp creates a project for an app of the actor. If the actor has already registered one with this name, it returns
// that one. It returns limit for a setup key that may register no more, and the errors of CreateProject.
func (s *Store) RegisterApp(
	ctx context.Context, actor core.Actor, p NewProject, program core.Program,
) (app StoredProject, created bool, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		key, err := t.lockRegistering(ctx, actor)
		if err != nil {
			return err
		}
		found, err := pg.QueryOne[struct{ ID int64 }](ctx, t, findSetupAppNamed, pg.Args{"key": key.ID, "name": p.Name})
		if !core.HasCode(err, core.NotFound) {
			p.ID, created = found.ID, false
			return err
		}
		if key.Apps >= core.SetupKeyMaxApps {
			return core.NewError(core.Limit).With("message", "a setup key registers at most 10 apps; the same name again is the same app").
				Tell("hint", "Go on with what there is; get_setup_progress shows it. An admin makes further setup keys.")
		}
		created = true
		return t.registerApp(ctx, actor, p, key, program)
	})
	if err != nil {
		return StoredProject{}, false, err
	}
	app, err = s.ReadProject(ctx, p.ID)
	return app, created, err
}

// lockRegistering makes other registrations of the actor wait until the transaction has ended.
func (t *tx) lockRegistering(ctx context.Context, actor core.Actor) (setupKeyRow, error) {
	if actor.IsSetupKey {
		return t.lockSetupKey(ctx, int64(actor.ID))
	}
	_, err := pg.Exec(ctx, t, lockSetupOfAdmins, pg.Args{})
	return setupKeyRow{}, err
}

func (t *tx) registerApp(ctx context.Context, actor core.Actor, p NewProject, key setupKeyRow, program core.Program) error {
	if err := t.createProject(ctx, actor, p); err != nil {
		return err
	}
	_, err := pg.Exec(ctx, t, insertSetupApp, pg.Args{
		"project_id": p.ID, "key": key.ID, "now": t.Now, "connected_at": key.ConnectedAt, "name": p.Name, "agent": string(program),
	})
	if err != nil || key.ID == 0 {
		return err
	}
	_, err = pg.Exec(ctx, t, countSetupApp, pg.Args{"key": key.ID})
	return err
}

// FindSetupApp returns the id of the project that the actor names by id or slug, or project_not_found. A setup key finds
// only the apps that it has registered.
func (s *Store) FindSetupApp(ctx context.Context, actor core.Actor, ref core.ProjectRef) (int64, error) {
	id, err := s.FindProject(ctx, ref)
	if err != nil || !actor.IsSetupKey {
		return id, err
	}
	_, err = pg.QueryOne[struct{ ID int64 }](ctx, s.db.Main, findSetupApp, pg.Args{"id": id, "key": setupKeyOf(actor)})
	if core.HasCode(err, core.NotFound) {
		return 0, core.NewError(core.ProjectNotFound)
	}
	return id, err
}
