package store

import (
	"cmp"
	"context"
	"slices"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

const (
	listTeamProjects  = `SELECT project_id AS id FROM team_projects WHERE team_id = @team_id`
	insertTeamProject = `
INSERT INTO team_projects (team_id, project_id, created_at)
VALUES (@team_id, @project_id, @now) ON CONFLICT DO NOTHING`
	deleteTeamProject = `DELETE FROM team_projects WHERE team_id = @team_id AND project_id = @project_id`
)

// ListAppsOfTeam lists the apps that are assigned to a team, sorted by name, with the counts of ListApps.
func (s *Store) ListAppsOfTeam(ctx context.Context, team int64) ([]App, error) {
	assigned, err := pg.QueryMany[struct{ ID int64 }](ctx, s.db.Main, listTeamProjects, pg.Args{"team_id": team})
	if err != nil || len(assigned) == 0 {
		return nil, err
	}
	apps, err := s.ListApps(ctx)
	if err != nil {
		return nil, err
	}
	apps = slices.DeleteFunc(apps, func(app App) bool { return !slices.Contains(assigned, struct{ ID int64 }{app.ID}) })
	slices.SortFunc(apps, func(a, b App) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return apps, nil
}

// AssignApp lets a team see an app. It returns not_found for the team, or project_not_found. Assigning it again changes nothing.
func (s *Store) AssignApp(ctx context.Context, actor core.Actor, team, app int64) error {
	return s.inTx(ctx, func(t *tx) error {
		if err := intake.ShareProject(ctx, t.Tx, app); err != nil {
			return err
		}
		args := pg.Args{"team_id": team, "project_id": app, "now": t.Now}
		return t.changeAssignment(ctx, actor, core.ActionTeamAssignApp, insertTeamProject, args)
	})
}

// UnassignApp stops a team from seeing an app, or returns not_found for the team. It changes nothing if the team does not see the app.
func (s *Store) UnassignApp(ctx context.Context, actor core.Actor, team, app int64) error {
	return s.inTx(ctx, func(t *tx) error {
		args := pg.Args{"team_id": team, "project_id": app}
		return t.changeAssignment(ctx, actor, core.ActionTeamUnassignApp, deleteTeamProject, args)
	})
}

// changeAssignment runs a statement on the assignments of a team, and records what it changed.
func (t *tx) changeAssignment(ctx context.Context, actor core.Actor, action core.Action, sql string, args pg.Args) error {
	team, _ := args["team_id"].(int64)
	if _, err := pg.QueryOne[Team](ctx, t, lockTeam, pg.Args{"id": team}); err != nil {
		return err
	}
	n, err := pg.Exec(ctx, t, sql, args)
	if err != nil || n == 0 {
		return err
	}
	return t.recordTeam(ctx, actor, action, team, map[string]any{"project_id": args["project_id"]})
}
