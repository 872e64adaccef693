package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// TestWhatDeploysBroughtEnds has a deploy from more than 400 days ago and a younger one. Two pull requests were merged before both,
// and one of them still waits for its deploy.
func TestWhatDeploysBroughtEnds(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	deploy := func(release, commit, pull string) {
		t.Helper()
		_, err := s.CreateDeploy(t.Context(), storetest.MakeActor(1), store.NewDeploy{
			ProjectID: storetest.Shop, Release: release, Environment: "production", Commit: commit, PullRequests: []string{pull},
		})
		require.NoError(t, err)
	}
	deploy("v1", "aaaaaaa", "https://git.example/pull/1")
	for _, pull := range []string{"https://git.example/pull/1", "https://git.example/pull/2"} {
		storetest.ChangeRows(t, s, `INSERT INTO merged_pull_requests (project_id, url, commit, merged_at) VALUES ($1, $2, 'abc', $3)`,
			storetest.Shop, pull, c.Now)
	}
	c.Forward(10 * 24 * time.Hour)
	deploy("v2", "bbbbbbb", "https://git.example/pull/3")
	waiting := storetest.MakeIssue(t, s, "pay")
	_, err := s.LinkFix(t.Context(), storetest.MakeActor(1), waiting, store.NewFix{
		Kind: core.FixByPullRequest, Ref: "https://git.example/pull/2",
	})
	require.NoError(t, err)

	c.Forward(395 * 24 * time.Hour)
	require.NoError(t, s.DropBrought(t.Context()))

	require.Equal(t, []string{"bbbbbbb"}, storetest.ReadColumn[string](t, s, `SELECT commit FROM deploy_commits`))
	require.Equal(t, []string{"https://git.example/pull/3"}, storetest.ReadColumn[string](t, s, `SELECT url FROM deploy_pull_requests`))
	require.Equal(t, []string{"https://git.example/pull/2"}, storetest.ReadColumn[string](t, s, `SELECT url FROM merged_pull_requests`))
	require.EqualValues(t, 2, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM deploys`), "deploys stay")
	require.EqualValues(t, 2, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM releases`))
}
