package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
)

// firstRow is the id of the first row that the functions below insert, beside rows of the store's own methods.
const firstRow = 500_000

// MakeUser stores a user without a team and returns the id.
func MakeUser(t testing.TB, s *store.Store, email string) int64 {
	t.Helper()
	id := firstRow + ReadCell[int64](t, s, `SELECT count(*) FROM users`)
	ChangeRows(t, s, `INSERT INTO users (id, created_at, updated_at, email_address, slug) VALUES ($1, $2, $2, $3, $3)`, id, Noon, email)
	return id
}

// AssignProjects puts a user into a new team with the role, and assigns the projects to that team.
func AssignProjects(t testing.TB, s *store.Store, user int64, role core.TeamRole, projects ...int64) {
	t.Helper()
	team := firstRow + ReadCell[int64](t, s, `SELECT count(*) FROM teams`)
	ChangeRows(t, s, `INSERT INTO teams (id, created_at, updated_at, owner_id, name, slug) VALUES ($1, $2, $2, $3, 'Team', $4)`,
		team, Noon, user, fmt.Sprint("team-", team))
	ChangeRows(t, s, `INSERT INTO team_members (id, team_id, user_id, created_at, updated_at, role) VALUES ($1, $1, $2, $3, $3, $4)`,
		team, user, Noon, string(role))
	for _, project := range projects {
		ChangeRows(t, s, `INSERT INTO team_projects (team_id, project_id, created_at) VALUES ($1, $2, $3)`, team, project, Noon)
	}
}

// FindUserActor returns a user as an actor.
func FindUserActor(t testing.TB, s *store.Store, user int64) core.Actor {
	t.Helper()
	actor, _, err := s.FindUserActor(t.Context(), user)
	require.NoError(t, err)
	return actor
}
