package store

import (
	"context"

	"errand/core"
	"errand/store/pg"
)

// The user's role for each team and project; both lists have the same order.
const findUserRights = `
SELECT u.email_address, u.site_admin, u.session_generation, u.without_keys, u.oldest_first, u.zone,
	coalesce(array_agg(p.id ORDER BY p.id, m.role) FILTER (WHERE p.id IS NOT NULL), '{}') AS projects,
	coalesce(array_agg(m.role ORDER BY p.id, m.role) FILTER (WHERE p.id IS NOT NULL), '{}') AS roles
FROM users u
LEFT JOIN team_members m ON m.user_id = u.id AND NOT u.site_admin -- site admins need no role
LEFT JOIN team_projects a ON a.team_id = m.team_id
LEFT JOIN projects p ON p.id = a.project_id AND p.deleted_at IS NULL
WHERE u.id = @id AND u.disabled_at IS NULL
GROUP BY u.id`

// FindUserActor returns a user as an actor, and the generation of the sessions that are valid. An unknown or disabled user
// is not_found. Every call asks the database, so that a right that was taken away is gone immediately.
func (s *Store) FindUserActor(ctx context.Context, id int64) (actor core.Actor, generation int64, err error) {
	row, err := pg.QueryOne[struct {
		EmailAddress      string
		SiteAdmin         bool
		SessionGeneration int64
		Projects          []int64
		Roles             []core.TeamRole
		preferenceColumns
	}](ctx, s.db.Main, findUserRights, pg.Args{"id": id})
	if err != nil {
		return core.Actor{}, 0, err
	}
	rights := core.Rights{IsSiteAdmin: row.SiteAdmin}
	for i, project := range row.Projects {
		rights.AddRole(project, row.Roles[i])
	}
	actor = core.NewUserActor(id, row.EmailAddress, rights)
	actor.Prefers = row.Preferences()
	return actor, row.SessionGeneration, nil
}
