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

func TestFindProjectByKeyGoesBySlugAndIDAlone(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "Shop") // its slug is shop-1
	for _, ref := range []core.ProjectRef{"shop", "1000000001"} {
		id, err := s.FindProjectByKey(t.Context(), ref)
		require.NoError(t, err)
		require.EqualValues(t, storetest.Shop, id)
	}
	storetest.HideProject(t, s, storetest.Shop)

	for _, ref := range []core.ProjectRef{"shop", "Shop", "SHOP-1", "1000000001", "", "99999999999999999999"} {
		_, err := s.FindProjectByKey(t.Context(), ref)
		storetest.RequireCode(t, core.NotFound, err)
	}
}

func TestUpdateManagedProjectThatChangesNothingLeavesNoActivity(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	countChanges := func() int64 {
		return storetest.ReadCell[int64](t, s, `SELECT count(*) FROM activity WHERE action = 'project.update'`)
	}
	name, other := "Shop", "Back office"

	same, err := s.UpdateManagedProject(t.Context(), core.NewBootstrapActor(), storetest.Shop, store.ManagedProjectChange{Name: &name})
	require.NoError(t, err)
	require.Equal(t, "shop", same.Slug)
	require.Zero(t, countChanges())

	c.Forward(time.Second)
	changed, err := s.UpdateManagedProject(t.Context(), core.NewBootstrapActor(), storetest.Shop, store.ManagedProjectChange{Name: &other})
	require.NoError(t, err)
	require.Equal(t, "back-office", changed.Slug)
	require.Equal(t, c.At(0), changed.UpdatedAt)
	require.EqualValues(t, 1, countChanges())
}

func TestProjectsRenamedTogetherGetSlugsOfTheirOwn(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	const projects = 8
	for i := range int64(projects) {
		storetest.MakeProject(t, s, storetest.Shop+1+i, fmt.Sprint("App ", i))
	}
	name := "Renamed"

	storetest.RequireNoErrors(t, storetest.RunTogether(projects, func(i int) error {
		change := store.ManagedProjectChange{Name: &name}
		_, err := s.UpdateManagedProject(t.Context(), core.NewBootstrapActor(), storetest.Shop+1+int64(i), change)
		return err
	}))

	require.EqualValues(t, projects, storetest.ReadCell[int64](t, s,
		`SELECT count(DISTINCT slug) FROM projects WHERE slug = 'renamed' OR slug LIKE 'renamed-%'`))
}

func TestResolveProblemsPassesOverThoseOfOtherApps(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "Other")
	own := storetest.MakeIssue(t, s, "own")
	foreign := storetest.AddEvents(t, s, storetest.MakeEvent(storetest.Shop+1, "foreign", 1, c.At(0))).IssueID

	count, err := s.ResolveProblems(t.Context(), core.NewBootstrapActor(), storetest.Shop, []int64{foreign, own, own})

	require.NoError(t, err)
	require.EqualValues(t, 1, count)
	require.Equal(t, core.Resolved, storetest.ReadIssue(t, s, own).Status)
	require.Equal(t, core.Unresolved, storetest.ReadIssue(t, s, foreign).Status)
}

func TestTagsAreOneWordForAllApps(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	first, second := storetest.MakeIssue(t, s, "first"), storetest.MakeIssue(t, s, "second")

	storetest.RequireNoErrors(t, storetest.RunTogether(8, func(i int) error {
		_, _, err := s.AddTag(t.Context(), core.NewBootstrapActor(), storetest.Shop, []int64{first, second}[i%2], "critical")
		return err
	}))

	tags, err := s.ListTags(t.Context(), storetest.Shop, first)
	require.NoError(t, err)
	require.Len(t, tags, 1)
	same, err := s.ListTags(t.Context(), storetest.Shop, second)
	require.NoError(t, err)
	require.Equal(t, tags, same)
	require.NoError(t, s.RemoveTag(t.Context(), core.NewBootstrapActor(), storetest.Shop, first, tags[0].ID))
	storetest.RequireCode(t, core.NotFound, s.RemoveTag(t.Context(), core.NewBootstrapActor(), storetest.Shop, first, tags[0].ID))
	rows, err := s.ListIssueActivity(t.Context(), first, core.AllActivity, core.Paging{Limit: 10})
	require.NoError(t, err)
	require.Len(t, rows.Data, 2, "an existing tag leaves no row")
	require.Equal(t, core.ActionIssueUntag, rows.Data[0].Action)
	require.Equal(t, core.ActionIssueTag, rows.Data[1].Action)
	require.JSONEq(t, `{"tag":"critical"}`, string(rows.Data[1].Data))
}
