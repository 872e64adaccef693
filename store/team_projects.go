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

// ListProjectsOfTeam lists the projects that are assigned to a team, sorted by name, with the counts of ListManagedProjects.
func (s *Store) ListProjectsOfTeam(ctx context.Context, team int64) ([]ManagedProject, error) {
	assigned, err := pg.QueryMany[struct{ ID int64 }](ctx, s.db.Main, listTeamProjects, pg.Args{"team_id": team})
	if err != nil || len(assigned) == 0 {
		return nil, err
	}
	projects, err := s.ListManagedProjects(ctx)
	if err != nil {
		return nil, err
	}
	projects = slices.DeleteFunc(projects, func(p ManagedProject) bool { return !slices.Contains(assigned, struct{ ID int64 }{p.ID}) })
	slices.SortFunc(projects, func(a, b ManagedProject) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return projects, nil
}

// AssignProject lets a team see a project. It returns not_found for the team, or project_not_found. Assigning it again changes nothing.
func (s *Store) AssignProject(ctx context.Context, actor core.Actor, team, project int64) error {
	return s.inTx(ctx, func(t *tx) error {
		if err := intake.ShareProject(ctx, t.Tx, project); err != nil {
			return err
		}
		args := pg.Args{"team_id": team, "project_id": project, "now": t.Now}
		return t.changeAssignment(ctx, actor, core.ActionTeamAssignApp, insertTeamProject, args)
	})
}

// UnassignProject stops a team from seeing a project, or returns not_found for the team. It changes nothing if the team does
// not see the project.
func (s *Store) UnassignProject(ctx context.Context, actor core.Actor, team, project int64) error {
	return s.inTx(ctx, func(t *tx) error {
		args := pg.Args{"team_id": team, "project_id": project}
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
