package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

func makeTeam(t *testing.T, s *store.Store, name string, owner store.User) store.Team {
	t.Helper()
	team, err := s.CreateTeam(t.Context(), core.NewBootstrapActor(), name, owner.ID)
	require.NoError(t, err)
	return team
}

// addMember puts a user into a team and returns the membership.
func addMember(t *testing.T, s *store.Store, team store.Team, user store.User, role core.TeamRole) store.TeamMember {
	t.Helper()
	member, err := s.AddTeamMember(t.Context(), core.NewBootstrapActor(), store.NewTeamMember{TeamID: team.ID, UserID: user.ID, Role: role})
	require.NoError(t, err)
	return member
}

func TestTeamsAreNamed(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	ann := makeUser(t, s, "ann@example.com")
	first := makeTeam(t, s, "Back office", ann)
	c.Forward(time.Second)
	second := makeTeam(t, s, "Back Office", ann)

	listed, err := s.ListTeams(t.Context())
	require.NoError(t, err)
	require.Equal(t, []store.Team{second, first}, listed, "newest first")
	require.Equal(t, "back-office-1", second.Slug)
	same, err := s.RenameTeam(t.Context(), core.NewBootstrapActor(), first.ID, "Back office")
	require.NoError(t, err)
	require.Equal(t, first, same)
	respelled, err := s.RenameTeam(t.Context(), core.NewBootstrapActor(), first.ID, "back office!")
	require.NoError(t, err)
	require.Equal(t, "back-office", respelled.Slug, "a team may keep its own slug")
	require.Equal(t, c.At(0), respelled.UpdatedAt)
	for _, ref := range []string{"back-office", fmt.Sprint(first.ID)} {
		found, err := s.FindTeam(t.Context(), ref)
		require.NoError(t, err)
		require.Equal(t, respelled, found)
	}
	require.EqualValues(t, 1, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM activity WHERE action = 'team.update'`))
	_, err = s.CreateTeam(t.Context(), core.NewBootstrapActor(), "Nobody's", 404)
	storetest.RequireCode(t, core.NotFound, err)
}

func TestTeamsRenamedTogetherGetSlugsOfTheirOwn(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	ann := makeUser(t, s, "ann@example.com")
	const teams = 8
	made := make([]store.Team, teams)
	storetest.RequireNoErrors(t, storetest.RunTogether(teams, func(i int) (err error) {
		made[i], err = s.CreateTeam(t.Context(), core.NewBootstrapActor(), "Made", ann.ID)
		return err
	}))

	storetest.RequireNoErrors(t, storetest.RunTogether(teams, func(i int) error {
		_, err := s.RenameTeam(t.Context(), core.NewBootstrapActor(), made[i].ID, "Renamed")
		return err
	}))

	require.EqualValues(t, teams, storetest.ReadCell[int64](t, s, `SELECT count(DISTINCT slug) FROM teams WHERE slug ~ '^renamed(-[1-7])?$'`))
}

func TestTwoAdminsCannotLeaveATeamTogether(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(s *store.Store, m store.TeamMember) error{
		"removed": func(s *store.Store, m store.TeamMember) error {
			return s.RemoveTeamMember(t.Context(), core.NewBootstrapActor(), m.TeamID, m.ID)
		},
		"demoted": func(s *store.Store, m store.TeamMember) error {
			_, err := s.ChangeTeamRole(t.Context(), core.NewBootstrapActor(), m.TeamID, m.ID, core.RoleViewer)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := storetest.OpenShop(t)
			team := makeTeam(t, s, "Office", makeUser(t, s, "ann@example.com"))
			addMember(t, s, team, makeUser(t, s, "bob@example.com"), core.RoleOwner)
			addMember(t, s, team, makeUser(t, s, "eve@example.com"), core.RoleDeveloper)
			members, err := s.ListTeamMembers(t.Context(), team.ID)
			require.NoError(t, err)
			require.Equal(t, core.RoleOwner, members[0].Role)
			require.Equal(t, core.RoleAdmin, members[2].Role)

			refused := 0
			for _, err := range storetest.RunTogether(2, func(i int) error { return leave(s, members[2*i]) }) {
				if err != nil {
					require.ErrorIs(t, err, store.ErrLastTeamAdmin)
					refused++
				}
			}

			require.Equal(t, 1, refused)
		})
	}
}

func TestUserIsInATeamOnce(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	by := core.NewBootstrapActor()
	ann, bob := makeUser(t, s, "ann@example.com"), makeUser(t, s, "bob@example.com")
	team := makeTeam(t, s, "Office", ann)
	member := addMember(t, s, team, bob, core.RoleViewer)

	_, err := s.AddTeamMember(t.Context(), by, store.NewTeamMember{TeamID: team.ID, UserID: bob.ID, Role: core.RoleAdmin})
	require.ErrorIs(t, err, store.ErrAlreadyMember)
	_, err = s.AddTeamMember(t.Context(), by, store.NewTeamMember{TeamID: team.ID, UserID: 404, Role: core.RoleAdmin})
	require.ErrorIs(t, err, store.ErrUserUnknown)
	_, err = s.AddTeamMember(t.Context(), by, store.NewTeamMember{TeamID: 404, UserID: bob.ID, Role: core.RoleAdmin})
	storetest.RequireCode(t, core.NotFound, err)
	kept, err := s.ReadTeamMember(t.Context(), team.ID, member.ID)
	require.NoError(t, err)
	require.Equal(t, member, kept)
	_, err = s.ReadTeamMember(t.Context(), team.ID+1, member.ID)
	storetest.RequireCode(t, core.NotFound, err)
}

func TestDeletedUserLeavesNothing(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	by := core.NewBootstrapActor()
	ann, bob := makeUser(t, s, "ann@example.com"), makeUser(t, s, "bob@example.com")
	own, other := makeTeam(t, s, "Own", ann), makeTeam(t, s, "Other", bob)
	addMember(t, s, own, bob, core.RoleMember)
	addMember(t, s, other, ann, core.RoleMember)
	require.NoError(t, s.AssignProject(t.Context(), by, own.ID, storetest.Shop))
	person := core.NewUserActor(ann.ID, ann.EmailAddress, core.Rights{IsSiteAdmin: true})
	_, err := s.CreateProject(t.Context(), person, store.NewProject{ID: 7, Name: "Ann's", PublicKey: "k"})
	require.NoError(t, err)

	require.ErrorIs(t, s.DeleteUser(t.Context(), by, ann.ID), store.ErrUserHasProjects)
	_, err = s.FindTeam(t.Context(), "own")
	require.NoError(t, err, "nothing was done")
	storetest.HideProject(t, s, 7)
	require.NoError(t, s.DeleteUser(t.Context(), by, ann.ID))

	require.Equal(t, []string{"other"}, storetest.ReadColumn[string](t, s, `SELECT slug FROM teams`))
	require.Equal(t, []int64{bob.ID}, storetest.ReadColumn[int64](t, s, `SELECT user_id FROM team_members`))
	require.Empty(t, storetest.ReadColumn[int64](t, s, `SELECT project_id FROM team_projects`))
	require.Equal(t, []string{"team.delete", "user.delete"},
		storetest.ReadColumn[string](t, s, `SELECT action FROM activity WHERE action LIKE '%.delete' ORDER BY id`))
	storetest.RequireCode(t, core.NotFound, s.DeleteUser(t.Context(), by, ann.ID))
	root := makeSiteAdmin(t, s, "root@example.com")
	require.ErrorIs(t, s.DeleteUser(t.Context(), by, root.ID), store.ErrLastSiteAdmin)
}

func TestProjectsOfATeam(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	by := core.NewBootstrapActor()
	storetest.MakeProject(t, s, storetest.Shop+1, "Admin")
	team := makeTeam(t, s, "Office", makeUser(t, s, "ann@example.com"))
	listNames := func() (names []string) {
		apps, err := s.ListProjectsOfTeam(t.Context(), team.ID)
		require.NoError(t, err)
		for _, app := range apps {
			names = append(names, app.Name)
		}
		return names
	}
	require.Empty(t, listNames())

	storetest.RequireNoErrors(t, storetest.RunTogether(8, func(i int) error {
		return s.AssignProject(t.Context(), by, team.ID, storetest.Shop+int64(i%2))
	}))

	require.Equal(t, []string{"Admin", "Shop"}, listNames())
	storetest.RequireCode(t, core.ProjectNotFound, s.AssignProject(t.Context(), by, team.ID, 404))
	storetest.RequireCode(t, core.NotFound, s.AssignProject(t.Context(), by, 404, storetest.Shop))
	require.NoError(t, storetest.DeleteProject(t.Context(), s, by, storetest.Shop))
	require.Equal(t, []string{"Admin"}, listNames())
	require.NoError(t, s.UnassignProject(t.Context(), by, team.ID, storetest.Shop+1))
	require.NoError(t, s.UnassignProject(t.Context(), by, team.ID, storetest.Shop+1), "a second time changes nothing")
	require.Empty(t, listNames())
	require.EqualValues(t, 3, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM activity WHERE action LIKE 'team.%assign_app'`))
}
