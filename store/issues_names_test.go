package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// The issues of a release or an environment are ranked by themselves when they are few, and among all when they are many. Both
// give the same pages.
func TestFewIssuesOfANameAreRankedLikeMany(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	url := storetest.NewURL(t)
	few, many := storetest.Open(t, url, c.Tell), storetest.Open(t, url, c.Tell)
	many.SearchBounds(0, 1, 0)
	projects := []int64{storetest.Shop, storetest.Shop + 1}
	for _, project := range projects {
		storetest.MakeProject(t, few, project, fmt.Sprint("Project ", project))
	}
	random := rand.New(rand.NewPCG(3, 1))
	var events []intake.NewEvent
	for n := range 300 {
		at := c.At(-time.Duration(random.IntN(72)) * time.Hour)
		e := makePlacedEvent(fmt.Sprint("group ", random.IntN(60)), n, at, []string{"", "1.0", "1.1", "2.0"}[random.IntN(4)],
			[]string{"production", "staging", "canary"}[min(2, random.IntN(8)/3)])
		e.ProjectID, e.User = projects[random.IntN(2)], storetest.HashUser(random.IntN(40))
		events = append(events, e)
	}
	storetest.AddEvents(t, few, events...)
	require.NoError(t, few.MarkQuiet(t.Context()))
	listed := 0
	for _, release := range []string{"", "1.0", "2.0", "none"} {
		for _, environment := range []string{"", "staging", "none"} {
			for _, project := range []int64{0, storetest.Shop} {
				for _, sort := range []core.IssueSort{core.ByPriority, core.ByWork} {
					f := store.IssueFilter{ProjectID: project, Release: release, Environment: environment, Sort: sort}
					f.Limit = 7
					got, want := idsOfIssues(allPages(t, few, f, func() {})), idsOfIssues(allPages(t, many, f, func() {}))
					require.Equal(t, want, got, "%+v", f)
					listed += len(got)
				}
			}
		}
	}
	require.Greater(t, listed, 300)
}
