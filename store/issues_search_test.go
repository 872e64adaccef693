package store_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/core"
	"errand/grouping"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// indexAll adds all issues to the index of the search and returns their number.
func indexAll(t pager, s *store.Store) (all int) {
	for {
		n, err := s.IndexIssues(t.Context())
		require.NoError(t, err)
		if all += n; n == 0 {
			return all
		}
	}
}

// searchWays opens stores on one database that answer a search in different ways: one always uses the index, one never
// does, and two use it when few issues have the text.
func searchWays(t testing.TB, c *storetest.Clock) []*store.Store {
	t.Helper()
	url := storetest.NewURL(t)
	var ways []*store.Store
	for _, bounds := range [][3]int{{0, 1, 1_000_000}, {0, 0, 0}, {0, 1, 1}, {5, 3, 4}} {
		s := storetest.Open(t, url, c.Tell)
		s.SearchBounds(bounds[0], bounds[1], bounds[2])
		ways = append(ways, s)
	}
	return ways
}

// searched is an issue as the search should see it.
type searched struct {
	id, project    int64
	title, culprit string
	last           core.Time
	merged         bool
}

// containsFolded reports, independently of the store, whether a text contains part. If part is ASCII, only ASCII letters of
// the text are the same in both cases.
func containsFolded(text, part string) bool {
	if strings.IndexFunc(part, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		lower := func(r rune) rune {
			if r <= unicode.MaxASCII {
				return unicode.ToLower(r)
			}
			return r
		}
		return strings.Contains(strings.Map(lower, text), strings.Map(lower, part))
	}
	runes, length := []rune(text), len([]rune(part))
	for i := range len(runes) - length + 1 {
		if strings.EqualFold(string(runes[i:i+length]), part) {
			return true
		}
	}
	return false
}

var searchLetters = []rune("aAbBkKsS%_\\ .*[^$'\"üÜßẞſ\u212aİıσΣςж日本語😀é\u0301\u200d")

// searchParts are parts that many texts have.
var searchParts = []string{"Error", "eRRor", "100%", "a_b", "Müller", "MÜLLER", "日本語", "😀😀", "KKk"}

// TestSearchIsLikeAModel compares every way to answer a search, on pages that they all read in turns, with a check of all issues.
func TestSearchIsLikeAModel(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	ways := searchWays(t, c)
	project := int64(storetest.Shop)
	rapid.Check(t, func(r *rapid.T) {
		storetest.ReadColumn[int64](t, ways[0], `DELETE FROM issue_grams RETURNING issue_id`)
		storetest.ReadColumn[int64](t, ways[0], `DELETE FROM issues RETURNING id`)
		project += 2
		storetest.MakeProject(t, ways[0], project, fmt.Sprint(project))
		storetest.MakeProject(t, ways[0], project+1, fmt.Sprint(project+1))
		text := rapid.OneOf(rapid.StringOfN(rapid.SampledFrom(searchLetters), 0, 9, -1),
			rapid.Map(rapid.SliceOfN(rapid.SampledFrom(searchParts), 1, 3),
				func(parts []string) string { return strings.Join(parts, "") }))
		var issues []searched
		for _, count := range []int{rapid.IntRange(6, 15).Draw(r, "indexed"), rapid.IntRange(0, 5).Draw(r, "not indexed")} {
			indexAll(r, ways[0])
			issues = append(issues, addSearched(t, r, ways[0], c, project, text, count)...)
		}
		if rapid.IntRange(0, 2).Draw(r, "deleted") == 0 {
			storetest.HideProject(t, ways[0], project+1)
			issues = slices.DeleteFunc(issues, func(i searched) bool { return i.project == project+1 })
		}
		slices.SortFunc(issues, func(a, b searched) int {
			return cmp.Or(b.last.Compare(a.last.Time), cmp.Compare(b.id, a.id))
		})
		for range 3 {
			f := store.IssueFilter{Search: drawSearch(r, issues, text), ProjectID: rapid.SampledFrom([]int64{0, project}).Draw(r, "of project")}
			if rapid.IntRange(0, 4).Draw(r, "merged ones") == 0 {
				f.Status = core.Merged
			}
			requireSearch(r, ways, f, issues)
		}
	})
}

// addSearched adds issues of two projects.
func addSearched(t *testing.T, r *rapid.T, s *store.Store, c *storetest.Clock, project int64, text *rapid.Generator[string],
	count int) []searched {
	issues, events := make([]searched, count), make([]intake.NewEvent, count)
	for n := range issues {
		i := &issues[n]
		i.project, i.title, i.culprit = project+rapid.Int64Range(0, 1).Draw(r, "project"), text.Draw(r, "title"), text.Draw(r, "culprit")
		i.last = c.At(-time.Duration(rapid.IntRange(0, 50).Draw(r, "hours ago")) * time.Hour)
		i.merged = rapid.IntRange(0, 5).Draw(r, "merged") == 0
		events[n] = storetest.MakeEvent(i.project, fmt.Sprint(count, " ", n), 1, i.last)
		events[n].Title, events[n].Culprit = i.title, i.culprit
	}
	added, err := s.Intake.AddEvents(r.Context(), events)
	require.NoError(r, err)
	for n := range issues {
		if issues[n].id = added[n].IssueID; issues[n].merged {
			storetest.ChangeRows(t, s, `UPDATE issues SET status = 'merged' WHERE id = $1`, issues[n].id)
		}
	}
	return issues
}

// drawSearch returns a part of an issue's text in other cases, or random text.
func drawSearch(r *rapid.T, issues []searched, text *rapid.Generator[string]) string {
	search := rapid.OneOf(text, rapid.SampledFrom(searchParts)).Draw(r, "search")
	if len(issues) > 0 && rapid.Bool().Draw(r, "a part") {
		i := rapid.SampledFrom(issues).Draw(r, "issue")
		runes := []rune(i.title + i.culprit)
		start := rapid.IntRange(0, len(runes)).Draw(r, "start")
		search = string(runes[start:min(len(runes), start+rapid.IntRange(1, 6).Draw(r, "length"))])
	}
	return rapid.SampledFrom([]func(string) string{strings.ToUpper, strings.ToLower, strings.Clone}).Draw(r, "case")(search)
}

func requireSearch(r *rapid.T, ways []*store.Store, f store.IssueFilter, issues []searched) {
	var want []int64
	for _, i := range issues {
		ofProject := f.ProjectID == 0 || f.ProjectID == i.project
		if ofProject && i.merged == (f.Status == core.Merged) && (containsFolded(i.title, f.Search) || containsFolded(i.culprit, f.Search)) {
			want = append(want, i.id)
		}
	}
	turns := rapid.Permutation(ways).Draw(r, "turns")
	f.Limit = rapid.SampledFrom([]int{1, 2, 50}).Draw(r, "limit")
	require.Equal(r, want, inTurns(r, turns, f), "%+v", f)
	f.Sort = core.ByPriority
	ranked := inTurns(r, ways[1:2], f)
	require.ElementsMatch(r, want, ranked, "%+v", f)
	require.Equal(r, ranked, inTurns(r, turns, f), "%+v", f)
	require.Equal(r, ranked, inTurns(r, ways[:1], f), "%+v", f)
}

// inTurns reads a list to its end, each page from the next store.
func inTurns(t pager, stores []*store.Store, f store.IssueFilter) (ids []int64) {
	for n := 0; n == 0 || f.Cursor != ""; n++ {
		page, err := stores[n%len(stores)].ListIssues(t.Context(), f)
		require.NoError(t, err)
		for _, i := range page.Data {
			ids = append(ids, i.ID)
		}
		f.Cursor = page.NextCursor
		require.Less(t, n, 50, "the pages never end")
	}
	return ids
}

func TestSearchPagesPassOverDeletedProjects(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	s.SearchBounds(0, 1, 1000)
	storetest.MakeProject(t, s, office, "Office")
	var want []int64
	for n := range 3 {
		addTitled(t, s, fmt.Sprint("no answer ", n), 2*n, nil)
		want = append(want, addTitled(t, s, fmt.Sprint("no answer ", n), 2*n+1,
			func(e *intake.NewEvent) { e.ProjectID, e.EventID[0] = office, e.EventID[0]+1 }))
	}
	indexAll(t, s)
	storetest.HideProject(t, s, storetest.Shop)
	for _, sort := range []core.IssueSort{core.ByLastSeen, core.ByPriority} {
		f := store.IssueFilter{Search: "answer", Sort: sort, Paging: core.Paging{Limit: 1}}
		require.Equal(t, want, inTurns(t, []*store.Store{s}, f))
	}
}

func TestGramsOfSearchAreThoseOfTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringOfN(rapid.OneOf(rapid.SampledFrom(searchLetters), rapid.Rune()), 0, 12, -1)
		around, search := []string{text.Draw(r, "before"), text.Draw(r, "after")}, text.Draw(r, "search")
		title := around[0] + rapid.SampledFrom([]func(string) string{simpleFolds, strings.Clone}).Draw(r, "case")(search) + around[1]
		grams := store.HashGrams(7, title, "")
		require.Equal(r, grams, store.HashGrams(7, "", title))
		require.Subset(r, grams, store.GramsOfSearch(7, search))
		require.Subset(r, grams, store.GramsOfSearch(0, search))
	})
}

// simpleFolds replaces each letter with the next one that differs only in case.
func simpleFolds(text string) string { return strings.Map(unicode.SimpleFold, text) }

func TestGrams(t *testing.T) {
	t.Parallel()
	for search, count := range map[string]int{
		"": 0, "a": 0, "ab": 0, "abc": 1, "abcd": 2, "abcdef": 2, "é": 0, "éa": 1, "日本": 1, "日本語": 1, "😀😀": 1, "%_\\": 1,
	} {
		require.Len(t, store.GramsOfSearch(0, search), count, search)
		if count > 0 {
			count++
		}
		require.Len(t, store.GramsOfSearch(7, search), count, search)
	}
	require.Equal(t, store.HashGrams(7, "Straße", ""), store.HashGrams(7, "STRAẞE", ""))
	require.Len(t, store.HashGrams(7, "abcd", "cdef"), 1+2+2, "no gram spans title and culprit")
	require.NotEqual(t, store.HashGrams(7, "", ""), store.HashGrams(7<<32, "", ""))
	long := func(first rune) string {
		runes := make([]rune, 200)
		for i := range runes {
			runes[i] = first + rune(i)
		}
		return string(runes)
	}
	require.Len(t, store.HashGrams(7, long('一'), long('가')), 1+2*(198+199), "the largest possible number")
	require.LessOrEqual(t, len(store.GramsOfSearch(7, long('一'))), 68)
}

func TestIndexIssues(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	s := pair[0]
	for _, server := range pair {
		server.SearchBounds(0, 1, 1000)
	}
	var events []intake.NewEvent
	for n := range 250 {
		events = append(events, storetest.MakeShopEvent(fmt.Sprint("n", n), 1, c.At(0)))
	}
	_, err := s.Intake.AddEvents(t.Context(), events)
	require.NoError(t, err)
	search := store.IssueFilter{Search: "ERROR: N77"}
	require.Equal(t, []string{"Error: n77"}, listTitles(t, s, search), "before")
	storetest.RequireNoErrors(t, storetest.RunTogether(4, func(i int) error { _, err := pair[i%2].IndexIssues(t.Context()); return err }))
	indexAll(t, s)
	require.EqualValues(t, 250, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM issue_grams g JOIN issues i USING (project_id)
		WHERE i.id = g.issue_id AND i.has_grams`))
	require.Equal(t, []string{"Error: n77"}, listTitles(t, s, search), "after")
	storetest.ChangeRows(t, s, `UPDATE issue_grams SET grams = '{}'`)
	require.Empty(t, listTitles(t, s, search), "only the index can find it")
	n, err := s.IndexIssues(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "each is only added once")
}

func TestIndexIssuesDoesNotWaitForAnIssue(t *testing.T) {
	t.Parallel()
	url := storetest.NewURL(t)
	s := storetest.Open(t, url, (storetest.NewClock()).Tell)
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	busy, idle := storetest.MakeIssue(t, s, "busy"), storetest.MakeIssue(t, s, "idle")
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT FROM issues WHERE id = $1 FOR UPDATE`, busy)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n, err := s.IndexIssues(ctx)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, []int64{idle}, storetest.ReadColumn[int64](t, s, `SELECT issue_id FROM issue_grams`))
	require.NoError(t, tx.Rollback(t.Context()))
	require.Equal(t, 1, indexAll(t, s))
}

func TestSearchFindsWhatASplitMakes(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	s.SearchBounds(0, 1, 1000)
	first, second := storetest.MakeShopEvent("pay", 1, c.At(0)), storetest.MakeShopEvent("pay", 2, c.At(0))
	first.Title = "the shop is closed"
	second.Payload = intake.PackPlain([]byte(`{"title": "the office is closed", "culprit": "there", "level": "error", "platform": "go"}`))
	original := storetest.AddEvents(t, s, first).IssueID
	moved := storetest.AddEvents(t, s, second)
	require.Equal(t, original, moved.IssueID)
	indexAll(t, s)
	split, err := s.SplitIssue(t.Context(), storetest.MakeActor(1), original, []int64{moved.ID}, grouping.FindStoredType)
	require.NoError(t, err)
	for range 2 {
		require.Equal(t, []string{"the office is closed"}, listTitles(t, s, store.IssueFilter{Search: "office"}))
		require.Len(t, listTitles(t, s, store.IssueFilter{Search: "closed"}), 2)
		indexAll(t, s)
	}
	storetest.MergeIssues(t, s, original, split.ID)
	require.Equal(t, []string{"the shop is closed"}, listTitles(t, s, store.IssueFilter{Search: "closed"}))
	require.Equal(t, []string{"the office is closed"}, listTitles(t, s, store.IssueFilter{Search: "closed", Status: core.Merged}))
	storetest.HideProject(t, s, storetest.Shop)
	for _, sort := range []core.IssueSort{core.ByLastSeen, core.ByPriority} {
		require.Empty(t, listTitles(t, s, store.IssueFilter{Search: "closed", Sort: sort}))
	}
}
