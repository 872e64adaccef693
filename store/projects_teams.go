package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

// The teams with a project, and their members. With a member, only the teams of that user have names.
const (
	listTeamsOfProject = `
SELECT t.id, t.name, t.slug
FROM team_projects a
JOIN teams t ON t.id = a.team_id
WHERE a.project_id = @project_id
	AND (@member::bigint = 0 OR EXISTS (SELECT 1 FROM team_members m WHERE m.team_id = t.id AND m.user_id = @member))
ORDER BY t.name, t.id`
	countTeamsOfProject  = `SELECT count(*) AS n FROM team_projects WHERE project_id = @project_id`
	listMembersOfProject = `
SELECT m.team_id, u.email_address, m.role, u.disabled_at IS NOT NULL AS disabled
FROM team_members m
JOIN users u ON u.id = m.user_id
WHERE m.team_id = ANY (@teams)
ORDER BY array_position('{owner,admin,developer,member,viewer}'::text[], m.role::text), u.email_address LIMIT @rows`
)

// ListTeamsOfProject lists the teams that see a project, with their members; of other teams than those of the member it only counts
// them. The member 0 stands for somebody who sees all teams.
func (s *Store) ListTeamsOfProject(ctx context.Context, project, member int64) (core.ProjectTeams, error) {
	args := pg.Args{"project_id": project, "member": member}
	rows, err := pg.QueryMany[struct {
		ID         int64
		Name, Slug string
	}](ctx, s.db.Main, listTeamsOfProject, args)
	if err != nil {
		return core.ProjectTeams{}, err
	}
	all, err := pg.QueryOne[struct{ N int64 }](ctx, s.db.Main, countTeamsOfProject, pg.Args{"project_id": project})
	if err != nil {
		return core.ProjectTeams{}, err
	}
	found := core.ProjectTeams{Others: max(0, all.N-int64(len(rows)))}
	ids, places := make([]int64, len(rows)), map[int64]int{}
	for i, row := range rows {
		ids[i], places[row.ID] = row.ID, i
		found.Teams = append(found.Teams, core.ProjectTeam{ID: row.ID, Name: row.Name, Slug: row.Slug})
	}
	members, err := pg.QueryMany[struct {
		TeamID       int64
		EmailAddress string
		Role         core.TeamRole
		Disabled     bool
	}](ctx, s.db.Main, listMembersOfProject, pg.Args{"teams": ids, "rows": core.MaxProjectMembers})
	for _, m := range members {
		team := &found.Teams[places[m.TeamID]]
		team.Members = append(team.Members, core.ProjectMember{EmailAddress: m.EmailAddress, Role: m.Role, Disabled: m.Disabled})
	}
	return found, err
}
