package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

func TestFindUserActor(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.MakeProject(t, s, 2, "Seen")
	storetest.MakeProject(t, s, 3, "Gone")
	storetest.MakeProject(t, s, 4, "Foreign")
	ann := storetest.MakeUser(t, s, "ann@example.org")
	storetest.AssignProjects(t, s, ann, core.RoleViewer, storetest.Shop, 2, 3)
	storetest.AssignProjects(t, s, ann, core.RoleOwner, storetest.Shop)
	storetest.AssignProjects(t, s, ann, core.RoleMember, storetest.Shop)
	bob := storetest.MakeUser(t, s, "bob@example.org")
	storetest.AssignProjects(t, s, bob, core.RoleAdmin, 4)
	storetest.HideProject(t, s, 3)
	storetest.ChangeRows(t, s, `UPDATE users SET session_generation = 7 WHERE id = $1`, ann)

	actor, generation, err := s.FindUserActor(t.Context(), ann)
	require.NoError(t, err)
	require.EqualValues(t, 7, generation)
	rights := core.Rights{}
	rights.AddRole(storetest.Shop, core.RoleOwner) // the highest of three teams
	rights.AddRole(2, core.RoleViewer)
	want := core.NewUserActor(ann, "ann@example.org", rights)
	want.Prefers = core.Preferences{SingleKeys: true, Frames: core.NewestFirst}
	require.Equal(t, want, actor)

	storetest.ChangeRows(t, s, `UPDATE users SET site_admin = true WHERE id = $1`, bob)
	actor, _, err = s.FindUserActor(t.Context(), bob)
	require.NoError(t, err)
	require.True(t, actor.Has(core.Admin))
	require.True(t, actor.IsAdminOf(2))

	storetest.ChangeRows(t, s, `UPDATE users SET disabled_at = $2 WHERE id = $1`, bob, storetest.Noon)
	for _, id := range []int64{bob, 0, 99} {
		_, _, err = s.FindUserActor(t.Context(), id)
		require.True(t, core.HasCode(err, core.NotFound), "%v", err)
	}
}
