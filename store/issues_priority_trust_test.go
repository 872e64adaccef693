package store_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// weighIssue returns the weight of an issue in the order of work, computed without the statements.
func weighIssue(i core.Issue, now time.Time) float64 {
	if i.Trust == core.TrustLow {
		i.Events24h, i.UsersAffected = min(i.Events24h, 10), min(i.UsersAffected, 1)
	}
	return i.PriorityAt(now)
}

// A flood through a public DSN does not go before a few errors of a server in next_issue and in the list by work; by priority it does.
func TestAFloodOfLowTrustComesLast(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	const public = 2
	storetest.MakeProject(t, s, public, "Public")
	for n := range 30 {
		e := storetest.MakeEvent(public, fmt.Sprint("flood ", n%4), n, s.Now())
		e.Source, e.User = core.SourceBrowser, storetest.HashUser(n)
		storetest.AddEvents(t, s, e)
	}
	for n := range 30 {
		storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", n, s.Now()))
	}
	c.Forward(time.Minute)
	list := func(sort core.IssueSort, limit int) (ids []int64) {
		f := store.IssueFilter{Status: core.Open, Sort: sort, Paging: core.Paging{Limit: limit}}
		for {
			page, err := s.ListIssues(t.Context(), f)
			require.NoError(t, err)
			ids = append(ids, idsOfIssues(page.Data)...)
			if f.Cursor = page.NextCursor; f.Cursor == "" {
				return ids
			}
		}
	}

	byPriority := list(core.ByPriority, 100)
	byWork := list(core.ByWork, 100)

	pay := storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 99, s.Now())).IssueID
	require.Equal(t, pay, byWork[0])
	require.NotEqual(t, pay, byPriority[0])
	require.ElementsMatch(t, byPriority, byWork)
	paged := list(core.ByWork, 2)
	require.Equal(t, byWork, paged, "pages continue where the last one ended")
	next, _ := takeNext(t, s, storetest.MakeActor(1, core.IssuesWrite), store.NextWanted{})
	require.Equal(t, pay, next)
}

// Each project is of one trust, wherever its shard is: no issue is listed twice, and issues of low trust come last.
func TestProjectsOfBothTrustsAreListedOnce(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	const projects = 12
	var expected []int64 // of high trust first, the issue with most events first
	var low []int64
	for project := int64(2); project < 2+projects; project++ {
		storetest.MakeProject(t, s, project, fmt.Sprint("App ", project))
		source, events := core.SourceServer, int(20+project)
		if project%2 == 0 {
			source, events = core.SourceBrowser, int(40+project)
		}
		var issue int64
		for n := range events {
			e := storetest.MakeEvent(project, fmt.Sprint("of ", project), n, s.Now())
			e.Source, e.User = source, storetest.HashUser(n)
			issue = storetest.AddEvents(t, s, e).IssueID
		}
		if source == core.SourceBrowser {
			low = append(low, issue)
		} else {
			expected = append([]int64{issue}, expected...)
		}
	}
	page, err := s.ListIssues(t.Context(), store.IssueFilter{Status: core.Open, Sort: core.ByWork, Paging: core.Paging{Limit: 100}})
	require.NoError(t, err)
	listed := idsOfIssues(page.Data)
	require.Len(t, listed, projects)
	require.Equal(t, expected, listed[:len(expected)])
	require.ElementsMatch(t, low, listed[len(expected):])
}

// TestTheOrderOfWork compares the ranking of many issues of both kinds, including quiet ones, with the formula.
func TestTheOrderOfWork(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	const public = 2
	storetest.MakeProject(t, s, public, "Public")
	storetest.ChangeRows(t, s, `UPDATE projects SET trust_setting = 'low' WHERE id = $1`, public)
	for n := range 80 {
		project := []int64{storetest.Shop, public}[n%2]
		for event := range 1 + n%17 {
			e := storetest.MakeEvent(project, fmt.Sprint("group ", n), event, c.At(-time.Duration(n*37%150)*time.Hour))
			e.User = storetest.HashUser(event % (1 + n%9))
			storetest.AddEvents(t, s, e)
		}
	}
	storetest.ChangeRows(t, s, `UPDATE issues SET status = 'regressed' WHERE id % 5 = 0`)
	for quiet := range 2 {
		if quiet == 1 {
			require.NoError(t, s.MarkQuiet(t.Context()))
		}
		for _, project := range []int64{0, storetest.Shop, public} {
			for _, status := range []core.Status{core.Open, core.Regressed, core.Unresolved} {
				var got []core.Issue
				f := store.IssueFilter{ProjectID: project, Status: status, Sort: core.ByWork, Paging: core.Paging{Limit: 7}}
				for {
					page, err := s.ListIssues(t.Context(), f)
					require.NoError(t, err)
					got = append(got, page.Data...)
					if f.Cursor = page.NextCursor; f.Cursor == "" {
						break
					}
				}
				want := slices.Clone(got)
				slices.SortStableFunc(want, func(a, b core.Issue) int {
					switch x, y := weighIssue(a, s.Now().Time), weighIssue(b, s.Now().Time); {
					case math.Abs(x-y) < 0.002: // shown scores are rounded
						return 0
					case x > y:
						return -1
					default:
						return 1
					}
				})
				require.Equal(t, idsOfIssues(want), idsOfIssues(got), "quiet %d, project %d, %s", quiet, project, status)
				f.Sort, f.Limit, f.Cursor = core.ByPriority, 100, ""
				all, err := s.ListIssues(t.Context(), f)
				require.NoError(t, err)
				require.ElementsMatch(t, idsOfIssues(all.Data), idsOfIssues(got))
			}
		}
	}
}

func idsOfIssues(issues []core.Issue) (ids []int64) {
	for _, i := range issues {
		ids = append(ids, i.ID)
	}
	return ids
}
