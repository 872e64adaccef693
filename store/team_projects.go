package store

import (
	"context"

	"errand/core"
	"errand/store/intake"
	"errand/store/pg"
)

const (
	listAppsOfTeam = selectApps + `
	AND EXISTS (SELECT FROM team_projects t WHERE t.team_id = @team_id AND t.project_id = p.id)
ORDER BY p.name, p.id`
	insertTeamProject = `
INSERT INTO team_projects (team_id, project_id, created_at)
VALUES (@team_id, @project_id, @now) ON CONFLICT DO NOTHING`
	deleteTeamProject = `DELETE FROM team_projects WHERE team_id = @team_id AND project_id = @project_id`
)

// ListAppsOfTeam lists the apps that are assigned to a team, by their names.
func (s *Store) ListAppsOfTeam(ctx context.Context, team int64) ([]App, error) {
	return pg.QueryMany[App](ctx, s.db.Main, listAppsOfTeam, pg.Args{"team_id": team})
}

// AssignApp has a team see an app. It returns not_found for the team, or project_not_found. Once more changes nothing.
func (s *Store) AssignApp(ctx context.Context, actor core.Actor, team, app int64) error {
	return s.inTx(ctx, func(t *tx) error {
		if err := intake.ShareProject(ctx, t.Tx, app); err != nil {
			return err
		}
		args := pg.Args{"team_id": team, "project_id": app, "now": t.Now}
		return t.changeAssignment(ctx, actor, core.ActionTeamAssignApp, insertTeamProject, args)
	})
}

// UnassignApp ends that a team sees an app, or returns not_found for the team. It changes nothing when the team does not see it.
func (s *Store) UnassignApp(ctx context.Context, actor core.Actor, team, app int64) error {
	return s.inTx(ctx, func(t *tx) error {
		args := pg.Args{"team_id": team, "project_id": app}
		return t.changeAssignment(ctx, actor, core.ActionTeamUnassignApp, deleteTeamProject, args)
	})
}

// changeAssignment runs a statement on the assignments of a team, and writes down what it changed.
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
