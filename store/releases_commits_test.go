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

const (
	firstCommit  = "aaaaaaa1111111111111111111111111111111aa"
	secondCommit = "bbbbbbb2222222222222222222222222222222bb"
)

func TestReleaseWithoutADeploy(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)

	for range 2 {
		require.NoError(t, s.CreateRelease(t.Context(), storetest.Shop, "1.0"))
	}

	page, err := s.ListReleases(t.Context(), store.ReleaseFilter{ProjectID: storetest.Shop, Paging: core.Paging{Limit: 25}})
	require.NoError(t, err)
	require.Len(t, page.Data, 1)
	require.Equal(t, []any{"1.0", core.Text("")}, []any{page.Data[0].Version, page.Data[0].Commit})
	require.Empty(t, page.Data[0].Deploys)
	storetest.RequireCode(t, core.ProjectNotFound, s.CreateRelease(t.Context(), storetest.Shop+1, "1.0"))
}

func TestReleaseCommitsAreKeptAndReplaced(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	commits, err := s.ReadReleaseCommits(t.Context(), storetest.Shop, "1.0")
	require.NoError(t, err)
	require.Empty(t, commits)

	require.NoError(t, s.KeepReleaseCommits(t.Context(), storetest.Shop, "1.0", []string{firstCommit}))
	c.Forward(time.Minute)
	require.NoError(t, s.KeepReleaseCommits(t.Context(), storetest.Shop, "1.1", []string{firstCommit}))
	c.Forward(time.Minute)
	require.NoError(t, s.KeepReleaseCommits(t.Context(), storetest.Shop, "1.0", []string{secondCommit, firstCommit}))

	commits, err = s.ReadReleaseCommits(t.Context(), storetest.Shop, "1.0")
	require.NoError(t, err)
	require.Equal(t, []string{secondCommit, firstCommit}, commits)
	for version, before := range map[string][2]string{"1.1": {"1.0", secondCommit}, "1.2": {"1.1", firstCommit}} {
		release, commit, err := s.FindCommitsBefore(t.Context(), storetest.Shop, version)
		require.NoError(t, err)
		require.Equal(t, before, [2]string{release, commit})
	}
	_, _, err = s.FindCommitsBefore(t.Context(), storetest.Shop, "1.0")
	storetest.RequireCode(t, core.NotFound, err)
}

func TestReleaseCommitsAreBounded(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	const releases = 203
	for n := range releases {
		c.Forward(time.Second)
		require.NoError(t, s.KeepReleaseCommits(t.Context(), storetest.Shop, fmt.Sprint(n), []string{firstCommit}))
	}

	kept := storetest.ReadColumn[string](t, s, `SELECT release FROM release_commits ORDER BY kept_at`)

	require.Len(t, kept, 200)
	require.Equal(t, fmt.Sprint(releases-200), kept[0])
}

func TestFindProjectsOfRelease(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "other")
	storetest.MakeProject(t, s, storetest.Shop+2, "hidden")
	for _, project := range []int64{storetest.Shop, storetest.Shop + 1, storetest.Shop + 2} {
		require.NoError(t, s.CreateRelease(t.Context(), project, "1.0"))
	}
	storetest.HideProject(t, s, storetest.Shop+2)

	projects, err := s.FindProjectsOfRelease(t.Context(), "1.0")

	require.NoError(t, err)
	require.Equal(t, []store.ReleaseProject{{ID: storetest.Shop, MadeFor: []int64{}}, {ID: storetest.Shop + 1, MadeFor: []int64{}}}, projects)
}

// TestProjectsOfAReleaseStayTogether names the projects of a release twice, the second time only one of them.
func TestProjectsOfAReleaseStayTogether(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "other")
	both := []int64{storetest.Shop, storetest.Shop + 1}
	for _, project := range both {
		require.NoError(t, s.CreateRelease(t.Context(), project, "1.0"))
	}

	for _, named := range [][]int64{{storetest.Shop + 1}, {storetest.Shop + 1, storetest.Shop}, {storetest.Shop}} {
		require.NoError(t, s.JoinProjectsOfRelease(t.Context(), named, " 1.0"))
	}

	projects, err := s.FindProjectsOfRelease(t.Context(), "1.0")
	require.NoError(t, err)
	require.Equal(t, []store.ReleaseProject{{ID: both[0], MadeFor: both}, {ID: both[1], MadeFor: both}}, projects)
}
