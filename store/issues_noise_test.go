package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
	"errand/triage"
)

// TestNoiseIsStored checks that the list filters by what the triage says: of new issues, of those that an older server made, after a
// correction by it, and after the rules have changed.
func TestNoiseIsStored(t *testing.T) {
	t.Parallel()
	c, url := storetest.NewClock(), storetest.NewURL(t)
	s := storetest.Open(t, url, c.Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	ids := map[string]int64{}
	for _, group := range []string{"pay", "widget"} {
		e := storetest.MakeShopEvent(group, 1, c.At(0))
		e.Crash = triage.Crash{Site: triage.App}
		if group == "widget" {
			e.Crash.Site = triage.Extension
		}
		ids[group] = storetest.AddEvents(t, s, e).IssueID
	}
	yes, no := true, false
	require.Equal(t, []string{"Error: widget"}, listTitles(t, s, store.IssueFilter{Noise: &yes}))
	require.Equal(t, []string{"Error: pay"}, listTitles(t, s, store.IssueFilter{Noise: &no}))
	require.Len(t, listTitles(t, s, store.IssueFilter{}), 2)

	require.NoError(t, s.JudgeNoise(t.Context()))
	storetest.ChangeRows(t, s, `UPDATE issues SET noise = NULL`)
	require.Len(t, listTitles(t, s, store.IssueFilter{Noise: &no}), 2, "what an older server made is shown until it is judged")
	require.NoError(t, s.JudgeNoise(t.Context()))
	require.Equal(t, []string{"Error: widget"}, listTitles(t, s, store.IssueFilter{Noise: &yes}))

	for _, isNoise := range []bool{true, false} {
		require.NoError(t, s.CorrectTriage(t.Context(), core.NewBootstrapActor(), ids["pay"], core.TriageChange{Noise: &isNoise}, ""))
		require.Len(t, listTitles(t, s, store.IssueFilter{Noise: &isNoise}), map[bool]int{true: 2, false: 1}[isNoise])
	}
	storetest.ChangeRows(t, s, `UPDATE triage_corrections SET noise = true`)
	storetest.ChangeRows(t, s, `UPDATE issues SET noise = false`)
	require.NoError(t, s.JudgeNoise(t.Context()))
	require.Empty(t, listTitles(t, s, store.IssueFilter{Noise: &yes}), "a server judges all once")
	require.NoError(t, storetest.Open(t, url, c.Tell).JudgeNoise(t.Context()))
	require.Len(t, listTitles(t, s, store.IssueFilter{Noise: &yes}), 2)
}
