package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// A server's memory of the events of old clients holds for one fix, and only until the next deploy, on whichever server that is reported.
func TestHarmlessEventsAreJudgedAnew(t *testing.T) {
	t.Parallel()
	servers, c := storetest.OpenPair(t)
	n := 0
	var issue int64
	send := func(release, environment string) core.Status {
		n++
		c.Forward(time.Minute)
		e := storetest.MakeShopEvent("boom", n, c.At(0))
		e.Release, e.Environment = release, environment
		issue = storetest.AddEvents(t, servers[0], e).IssueID
		return storetest.ReadIssue(t, servers[0], issue).Status
	}
	deploy := func(release, commit string) {
		_, err := servers[1].CreateDeploy(t.Context(), storetest.MakeActor(1), store.NewDeploy{
			ProjectID: storetest.Shop, Release: release, Environment: "production", Commit: commit,
		})
		require.NoError(t, err)
	}
	link := func(commit string) {
		fix := store.NewFix{Kind: core.FixByCommit, Ref: commit}
		_, err := servers[1].LinkFix(t.Context(), storetest.MakeActor(1), issue, fix)
		require.NoError(t, err)
	}
	require.Equal(t, core.Unresolved, send("1.0", "production"))
	deploy("2.0", firstCommit)
	link(firstCommit)
	for range 3 {
		for _, release := range []string{"1.0", "3.0"} {
			require.Equal(t, core.FixPending, send(release, "production"))
		}
		require.Equal(t, core.FixPending, send("", "staging"))
	}

	deploy("3.0", secondCommit)
	require.Equal(t, core.FixPending, send("1.0", "production"))
	require.Equal(t, core.FixPending, send("1.0", "production"))
	require.Equal(t, core.Regressed, send("3.0", "production"))

	link(secondCommit)
	require.Equal(t, core.FixPending, send("2.0", "production"), "it contains the previous fix, not this one")
	require.Equal(t, core.FixPending, send("2.0", "production"))
	require.Equal(t, core.FixPending, send("", "production"), "soon after the deploy")
	c.Forward(10 * time.Minute)
	require.Equal(t, core.Regressed, send("", "production"), "long after it")

	link(firstCommit)
	require.Equal(t, core.FixPending, send("1.0", "production"))
	require.Equal(t, core.FixPending, send("1.0", "production"))
	require.Equal(t, core.Regressed, send("2.0", "production"), "only harmless to the previous fix")

	_, err := servers[1].SetIssueStatus(t.Context(), storetest.MakeActor(1), issue, core.Resolved)
	require.NoError(t, err)
	require.Equal(t, core.Unresolved, send("1.0", "production"))
}
