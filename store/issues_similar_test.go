package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/similar"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
	"errand/triage"
)

// crashEvent makes the first event of an issue like ingest, from its title and the functions of its stack.
func crashEvent(project int64, group, kind, value string, functions ...string) intake.NewEvent {
	e := storetest.MakeEvent(project, group, 1, core.At(storetest.Noon))
	x := core.Exception{Type: core.Untrusted(kind), Value: core.Untrusted(value)}
	for _, f := range functions {
		x.Frames = append(x.Frames, core.Frame{Module: "shop", Function: core.Untrusted(f), InApp: true})
	}
	full := &core.Event{Title: core.Untrusted(kind + ": " + value), Culprit: "shop in pay", Exceptions: core.List[core.Exception]{x}}
	e.Title, e.Type, e.Culprit = string(full.Title), kind, string(full.Culprit)
	e.Features, e.Crash = similar.FeaturesOfEvent(full), triage.FindCrash(full)
	e.Payload = intake.PackPlain(full.AppendJSON(nil))
	return e
}

// findSimilar returns the ids of the similar issues, best first.
func findSimilar(t testing.TB, s *store.Store, q store.SimilarQuery) []int64 {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 20
	}
	list, err := s.FindSimilar(t.Context(), q)
	require.NoError(t, err)
	ids := []int64{}
	last := 1.0
	for _, i := range list {
		require.LessOrEqual(t, i.Score, last, "best first")
		require.Positive(t, i.Score)
		require.NotEmpty(t, i.Reasons)
		require.Nil(t, i.Fix)
		last = i.Score
		ids = append(ids, i.Issue.ID)
	}
	return ids
}

// makeTimeouts makes issues that are less and less similar to the first one, and returns their ids.
func makeTimeouts(t testing.TB, s *store.Store) (first, twin, caller, wording, other int64) {
	t.Helper()
	addOne := func(project int64, group, kind, value string, functions ...string) int64 {
		return storetest.AddEvents(t, s, crashEvent(project, group, kind, value, functions...)).IssueID
	}
	first = addOne(storetest.Shop, "first", "ConnectTimeout", "redis-3 did not answer", "load", "pay", "handle")
	twin = addOne(storetest.Shop+1, "twin", "ConnectTimeout", "redis-7 did not answer", "load", "pay", "handle")
	caller = addOne(storetest.Shop, "caller", "ConnectTimeout", "redis-3 did not answer", "load", "ship", "run")
	wording = addOne(storetest.Shop, "wording", "SearchError", "elastic did not answer", "search", "find")
	other = addOne(storetest.Shop, "other", "KeyError", "total", "sum", "print")
	return first, twin, caller, wording, other
}

func TestSimilar(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "Office")
	first, twin, caller, wording, other := makeTimeouts(t, s)
	require.Equal(t, []int64{twin, caller, wording}, findSimilar(t, s, store.SimilarQuery{IssueID: first}))
	require.Equal(t, []int64{twin, caller}, findSimilar(t, s, store.SimilarQuery{IssueID: first, Limit: 2}))
	require.Equal(t, []int64{caller, wording}, findSimilar(t, s, store.SimilarQuery{IssueID: first, ProjectID: storetest.Shop}))
	require.Equal(t, []int64{twin}, findSimilar(t, s, store.SimilarQuery{IssueID: first, ProjectID: storetest.Shop + 1}))
	require.Equal(t, []int64{twin}, findSimilar(t, s, store.SimilarQuery{IssueID: caller, ProjectID: storetest.Shop + 1}))
	require.Empty(t, findSimilar(t, s, store.SimilarQuery{IssueID: first, ProjectID: 7}))

	require.Equal(t, other, findSimilar(t, s, store.SimilarQuery{Text: "KeyError total"})[0])
	require.Equal(t, []int64{wording}, findSimilar(t, s, store.SimilarQuery{Text: "is elastic down?"}))
	require.ElementsMatch(t, []int64{first, twin, caller}, findSimilar(t, s, store.SimilarQuery{Text: "redis timeout"}))
	require.Equal(t, []int64{twin}, findSimilar(t, s, store.SimilarQuery{Text: "redis timeout", ProjectID: storetest.Shop + 1}))
	for _, text := range []string{"", "unheard", "12 :: --", "'; DROP TABLE issues", "\x00\xff", "{1,2}"} {
		require.Empty(t, findSimilar(t, s, store.SimilarQuery{Text: text}), text)
	}

	list, err := s.FindSimilar(t.Context(), store.SimilarQuery{IssueID: first, Limit: 1})
	require.NoError(t, err)
	require.Equal(t, storetest.ReadIssue(t, s, twin).Issue, list[0].Issue)
	require.Equal(t, core.List[string]{
		"The type of the exception is the same.", "3 functions in the stack traces are the same.", "2 calls between functions are the same.",
		"It happens at the same place.", "6 words of the titles are the same.",
	}, list[0].Reasons)
	require.InDelta(t, 1, list[0].Score, 0)
}

func TestSimilarLeavesOut(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "Office")
	first, twin, caller, wording, _ := makeTimeouts(t, s)
	storetest.ChangeRows(t, s, `UPDATE issues SET test = true WHERE id = $1`, twin)
	require.Equal(t, []int64{caller}, findSimilar(t, s, store.SimilarQuery{IssueID: first, Limit: 1}), "the next one replaces the best")
	storetest.ChangeRows(t, s, `UPDATE issues SET test = false WHERE id = $1`, twin)
	require.Contains(t, findSimilar(t, s, store.SimilarQuery{IssueID: first}), caller)
	storetest.ChangeRows(t, s, `UPDATE issues SET status = 'merged', merged_into = $2 WHERE id = $1`, caller, first)
	require.NotContains(t, findSimilar(t, s, store.SimilarQuery{IssueID: first}), caller, "a merged issue")
	storetest.ChangeRows(t, s, `UPDATE issues SET test = true WHERE id = $1`, wording)
	require.NotContains(t, findSimilar(t, s, store.SimilarQuery{IssueID: first}), wording, "a test issue")
	require.Contains(t, findSimilar(t, s, store.SimilarQuery{IssueID: first}), twin)
	storetest.HideProject(t, s, storetest.Shop+1)
	require.NotContains(t, findSimilar(t, s, store.SimilarQuery{IssueID: first}), twin, "an issue of a deleted project")
	storetest.ChangeRows(t, s, `DELETE FROM issues WHERE id <> $1`, first)
	require.Empty(t, findSimilar(t, s, store.SimilarQuery{IssueID: first}), "issues that are gone")

	for _, id := range []int64{caller, twin, 4711} {
		_, err := s.FindSimilar(t.Context(), store.SimilarQuery{IssueID: id, Limit: 5})
		storetest.RequireCode(t, core.NotFound, err)
	}
}

func TestSimilarByWhatIsRare(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	for n := range 300 {
		storetest.AddEvents(t, s, crashEvent(storetest.Shop, fmt.Sprint("many", n), "ApiError",
			fmt.Sprint("call failed ", string(rune('a'+n%26)), "x"), fmt.Sprint("f", string(rune('a'+n%26)))))
	}
	one := storetest.AddEvents(t, s, crashEvent(storetest.Shop, "one", "ApiError", "call failed", "settle")).IssueID
	two := storetest.AddEvents(t, s, crashEvent(storetest.Shop, "two", "ApiError", "call failed", "settle")).IssueID
	require.Equal(t, two, findSimilar(t, s, store.SimilarQuery{IssueID: one})[0])
	analyseTables(t, s)
	c.Forward(store.FrequenciesAge)
	require.Equal(t, []int64{two}, findSimilar(t, s, store.SimilarQuery{IssueID: one, Limit: 1}), "with the statistics of Postgres")
}

func TestReadIssues(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	s := pair[0]
	first := crashEvent(storetest.Shop, "first", "ConnectTimeout", "redis-3 did not answer", "load", "pay")
	want := first.Features
	first.Features, first.Crash = nil, triage.Crash{} // as a server of an older release adds it
	old := storetest.AddEvents(t, s, first).IssueID
	gone := crashEvent(storetest.Shop, "gone", "ConnectTimeout", "redis-3 did not answer", "load")
	gone.Features, gone.Crash = nil, triage.Crash{}
	withoutEvents := storetest.AddEvents(t, s, gone).IssueID
	broken := crashEvent(storetest.Shop, "broken", "ConnectTimeout", "redis-3 did not answer", "load")
	broken.Features, broken.Crash, broken.Payload = nil, triage.Crash{}, intake.Payload{Bytes: []byte("rubbish")}
	unreadable := storetest.AddEvents(t, s, broken).IssueID
	storetest.ChangeRows(t, s, `DELETE FROM events WHERE issue_id = $1`, withoutEvents)
	require.Empty(t, findSimilar(t, s, store.SimilarQuery{IssueID: old}), "nothing is indexed")
	require.NotContains(t, storetest.ReadIssue(t, s, old).Triage.Reasons, "The stack trace has code of the app.")

	storetest.RequireNoErrors(t, storetest.RunTogether(2, func(i int) error { _, err := pair[i].InspectIssues(t.Context()); return err }))
	require.Equal(t, want, storetest.ReadCell[[]int32](t, s, `SELECT features FROM issue_features WHERE issue_id = $1`, old))
	require.Contains(t, storetest.ReadIssue(t, s, old).Triage.Reasons, "The stack trace has code of the app.")
	require.Equal(t, []int64{3}, storetest.ReadColumn[int64](t, s, `SELECT count(*) FROM issue_features`))
	require.ElementsMatch(t, []int64{withoutEvents, unreadable}, findSimilar(t, s, store.SimilarQuery{IssueID: old}))

	n, err := s.InspectIssues(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "all are read")
	require.Equal(t, old, storetest.AddEvents(t, s, storetest.MakeShopEvent("first", 2, c.At(0))).IssueID)
}

func TestOnlyTheFirstEventIsLookedAt(t *testing.T) {
	t.Parallel()
	pair, _ := storetest.OpenPair(t)
	s := pair[0]
	e := crashEvent(storetest.Shop, "pay", "KeyError", "total", "pay")
	require.True(t, s.Intake.MayBeNew(&e))
	storetest.AddEvents(t, s, e)
	require.False(t, s.Intake.MayBeNew(&e))
	require.True(t, pair[1].Intake.MayBeNew(&e), "another server does not know it")
	again := crashEvent(storetest.Shop, "pay", "KeyError", "cents", "ship")
	again.EventID[0]++
	storetest.AddEvents(t, pair[1], again)
	require.Equal(t, e.Features, storetest.ReadCell[[]int32](t, s, `SELECT features FROM issue_features`))
}

func TestIssuesOfOneBatchHaveTheirFeatures(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	var events []intake.NewEvent
	for n := range 5 {
		e := crashEvent(storetest.Shop, fmt.Sprint(n), "KeyError", fmt.Sprint("word", string(rune('a'+n))), fmt.Sprint("f", string(rune('a'+n))))
		if n == 3 {
			e.Features, e.Crash = nil, triage.Crash{}
		}
		events = append(events, e)
	}
	added, err := s.Intake.AddEvents(t.Context(), events)
	require.NoError(t, err)
	for n, a := range added {
		rows := storetest.ReadColumn[[]int32](t, s, `SELECT features FROM issue_features WHERE project_id = $1 AND issue_id = $2`,
			int64(storetest.Shop), a.IssueID)
		if n == 3 {
			require.Empty(t, rows, "it is read later")
			continue
		}
		require.Equal(t, [][]int32{events[n].Features}, rows)
	}
}

// analyseTables makes Postgres collect its statistics of features, like its autovacuum.
func analyseTables(t testing.TB, s *store.Store) {
	t.Helper()
	rows, err := storetest.QuerySQL(t.Context(), s, `ANALYZE issue_features`)
	require.NoError(t, err)
	rows.Close()
	require.NoError(t, rows.Err())
}
