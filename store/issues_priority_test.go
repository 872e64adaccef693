package store_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// exactPriority is the formula in the specification, not rounded.
func exactPriority(i core.Issue, now time.Time) float64 {
	score := float64(1+i.UsersAffected) * float64(1+i.Events24h) / (1 + max(0, now.Sub(i.LastSeen.Time).Hours()/24))
	if i.FirstSeen.After(now.Add(-24 * time.Hour)) {
		score *= 2
	}
	if i.Status == core.Regressed {
		score *= 2
	}
	return score
}

// pager is a test, with or without rapid.
type pager interface {
	require.TestingT
	Context() context.Context
}

// allPages reads a list to its end and calls between after each page except the last.
func allPages(t pager, s *store.Store, f store.IssueFilter, between func()) []core.Issue {
	var all []core.Issue
	for {
		page, err := s.ListIssues(t.Context(), f)
		require.NoError(t, err)
		all = append(all, page.Data...)
		if f.Cursor = page.NextCursor; f.Cursor == "" {
			return all
		}
		require.Len(t, page.Data, f.Limit)
		require.Less(t, len(all), 2000, "the pages never end")
		between()
	}
}

const addRandomIssue = `
WITH issue AS (
	INSERT INTO issues (project_id, id, fingerprint, fingerprint_version, title, culprit, type, level, platform, status, status_at, times_seen,
		stored_events, users_affected, first_seen, last_seen, first_release, last_release)
	SELECT $1, $2, '', 1, 'Error', '', '', 'error', 'go', $3, $4, (SELECT sum(n) FROM unnest($8::bigint[]) n), 0, $5, $6, $4, '', '')
INSERT INTO issue_hours SELECT $1, $2, hour, events FROM unnest($7::timestamptz[], $8::bigint[]) AS h (hour, events)`

// addRandomIssues adds issues of all ages, weights and statuses, some with the same score.
func addRandomIssues(t *testing.T, s *store.Store, projects []int64, count int, random *rand.Rand) {
	for range count {
		id, err := s.TakeIssueID(t.Context())
		require.NoError(t, err)
		last := storetest.Noon.Add(-time.Duration(random.IntN(48*60)) * time.Minute)
		if random.IntN(4) > 0 {
			last = storetest.Noon.Add(-time.Duration(random.IntN(100)*random.IntN(10)) * 12 * time.Hour)
		}
		status := []core.Status{core.Unresolved, core.Resolved, core.Regressed, core.Merged}[min(3, random.IntN(12)/3)]
		users := []int{0, 0, random.IntN(4), random.IntN(40), random.IntN(1001), 1000}[random.IntN(6)]
		hours, events := []time.Time{}, []int64{}
		for hour := last.Truncate(time.Hour); len(hours) < random.IntN(5); hour = hour.Add(-time.Duration(1+random.IntN(20)) * time.Hour) {
			hours, events = append(hours, hour), append(events, int64(1+random.IntN(50)))
		}
		storetest.ChangeRows(t, s, addRandomIssue, projects[random.IntN(len(projects))], id, status, last, users,
			last.Add(-time.Duration(random.IntN(3)*random.IntN(48))*time.Hour), append(hours, last.Truncate(time.Hour).Add(-30*24*time.Hour)),
			append(events, 1))
	}
}

// TestPriorityIsTheOrderOfTheFormula compares the pages of every list with a sort of all issues.
func TestPriorityIsTheOrderOfTheFormula(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s, _ := storetest.OpenShop(t)
			projects := []int64{storetest.Shop, storetest.Shop + 1, storetest.Shop + 2}
			storetest.MakeProject(t, s, storetest.Shop+1, "Office")
			storetest.MakeProject(t, s, storetest.Shop+2, "Gone")
			addRandomIssues(t, s, projects, 400, rand.New(rand.NewPCG(1, seed)))
			everything := map[core.Status][]core.Issue{}
			for _, id := range storetest.ReadColumn[int64](t, s, `SELECT id FROM issues WHERE project_id <> $1`, storetest.Shop+2) {
				i := storetest.ReadIssue(t, s, id).Issue
				everything[i.Status] = append(everything[i.Status], i)
			}
			storetest.HideProject(t, s, storetest.Shop+2)
			var filters []store.IssueFilter
			for _, status := range []core.Status{"", core.Unresolved, core.Regressed, core.Merged} {
				for _, project := range []int64{0, storetest.Shop} {
					for _, since := range []core.Since{"", "5d", "1h"} {
						f := store.IssueFilter{ProjectID: project, Status: status, Since: since, Sort: core.ByPriority}
						filters = append(filters, f)
					}
				}
			}
			for _, f := range filters {
				requirePriorityOrder(t, s, f, everything)
			}
			require.NoError(t, s.MarkQuiet(t.Context()))
			require.Greater(t, storetest.ReadCell[int](t, s, `SELECT count(*)::int FROM issues WHERE quiet`), 100)
			for _, f := range filters {
				requirePriorityOrder(t, s, f, everything)
			}
		})
	}
}

func requirePriorityOrder(t *testing.T, s *store.Store, f store.IssueFilter, everything map[core.Status][]core.Issue) {
	var want []core.Issue
	since, err := f.Since.Time(storetest.Noon)
	require.NoError(t, err)
	for status, issues := range everything {
		for _, i := range issues {
			shown := status == f.Status || f.Status == "" && status != core.Merged
			if shown && (f.ProjectID == 0 || f.ProjectID == i.ProjectID) && !i.LastSeen.Before(since) {
				want = append(want, i)
			}
		}
	}
	slices.SortFunc(want, func(a, b core.Issue) int {
		return cmp.Or(cmp.Compare(exactPriority(b, storetest.Noon), exactPriority(a, storetest.Noon)), cmp.Compare(b.ID, a.ID))
	})
	for _, limit := range []int{3, 100} {
		f.Limit = limit
		got := allPages(t, s, f, func() {})
		require.Len(t, got, len(want), "%+v", f)
		seen := map[int64]bool{}
		for n, i := range got {
			require.InEpsilon(t, exactPriority(want[n], storetest.Noon), exactPriority(i, storetest.Noon), 1e-12, "%+v: place %d", f, n)
			require.False(t, seen[i.ID], "%+v: an issue comes twice", f)
			seen[i.ID] = true
		}
	}
}

// TestPriorityPagesWhileEventsArrive reads pages while events, even late ones, arrive, and statuses and claims change. Each
// issue appears at most once, and an unchanged issue is not skipped and keeps its place.
func TestPriorityPagesWhileEventsArrive(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	s := storetest.NewAt(t, c.Tell)
	project := int64(storetest.Shop)
	rapid.Check(t, func(r *rapid.T) {
		c.Now = storetest.Noon
		project++
		storetest.MakeProject(t, s, project, "Shop")
		w := &priorityWorld{s: s, c: c, project: project, changed: map[int64]bool{}}
		for range rapid.IntRange(1, 4).Draw(r, "batches") {
			w.addEvents(r)
		}
		w.setStatuses(r)
		c.Forward(time.Duration(rapid.IntRange(1, 60*24).Draw(r, "minutes")) * time.Minute)
		if rapid.Bool().Draw(r, "mark") {
			require.NoError(r, s.MarkQuiet(r.Context()))
		}

		start := c.Now
		clear(w.changed)
		before := w.listIssues()
		slices.SortFunc(before, func(a, b core.Issue) int {
			return cmp.Or(cmp.Compare(exactPriority(b, start), exactPriority(a, start)), cmp.Compare(b.ID, a.ID))
		})
		f := store.IssueFilter{ProjectID: project, Sort: core.ByPriority, Paging: core.Paging{Limit: rapid.IntRange(1, 5).Draw(r, "limit")}}
		seen := []int64{}
		for _, i := range allPages(r, s, f, func() {
			c.Forward(time.Duration(rapid.IntRange(1, 200_000).Draw(r, "seconds")) * time.Second)
			switch rapid.IntRange(0, 5).Draw(r, "action") {
			case 0, 1:
				w.addEvents(r)
			case 2:
				w.setStatuses(r)
			case 3:
				w.claimIssue(r)
			case 4:
				require.NoError(r, s.MarkQuiet(r.Context()))
			}
		}) {
			require.NotContains(r, seen, i.ID, "it appears twice")
			seen = append(seen, i.ID)
		}
		var unchanged, shown []int64
		for _, i := range before {
			if !w.changed[i.ID] {
				unchanged = append(unchanged, i.ID)
			}
		}
		for _, id := range seen {
			if slices.Contains(unchanged, id) {
				shown = append(shown, id)
			}
		}
		require.Equal(r, unchanged, shown)
	})
}

// priorityWorld is one changing project, with the issues that have changed.
type priorityWorld struct {
	s       *store.Store
	c       *storetest.Clock
	project int64
	changed map[int64]bool
}

func (w *priorityWorld) listIDs() []int64 {
	rows, err := storetest.QuerySQL(context.Background(), w.s, `SELECT id FROM issues WHERE project_id = $1 ORDER BY id`, w.project)
	if err != nil {
		panic(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		panic(err)
	}
	return ids
}

func (w *priorityWorld) listIssues() []core.Issue {
	var list []core.Issue
	for _, id := range w.listIDs() {
		i, err := w.s.ReadIssue(context.Background(), id)
		if err != nil {
			panic(err)
		}
		list = append(list, i.Issue)
	}
	return list
}

func (w *priorityWorld) addEvents(r *rapid.T) {
	batch := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) intake.NewEvent {
		e := storetest.MakeEvent(w.project, fmt.Sprint(rapid.IntRange(0, 14).Draw(r, "group")), rapid.IntRange(0, 1<<40).Draw(r, "event"),
			w.c.At(0))
		late := rapid.SampledFrom([]int{0, 0, 1, 30, 600, 1439, 1441, 3000, 30_000}).Draw(r, "late")
		e.OccurredAt = w.c.At(-time.Duration(late) * time.Minute)
		if n := rapid.IntRange(0, 9).Draw(r, "user"); n > 0 {
			e.User = storetest.HashUser(n)
		}
		return e
	}), 1, 12).Draw(r, "batch")
	added, err := w.s.Intake.AddEvents(r.Context(), batch)
	require.NoError(r, err)
	for _, a := range added {
		w.changed[a.IssueID] = true
	}
}

func (w *priorityWorld) setStatuses(r *rapid.T) {
	id := rapid.SampledFrom(w.listIDs()).Draw(r, "issue")
	rows, err := storetest.QuerySQL(r.Context(), w.s, `UPDATE issues SET status = $2, status_at = $3 WHERE id = $1`, id,
		rapid.SampledFrom([]core.Status{core.Regressed, core.Resolved, core.Ignored, core.Unresolved}).Draw(r, "status"), w.c.Now)
	require.NoError(r, err)
	rows.Close()
	w.changed[id] = true
}

// claimIssue changes an issue without moving it.
func (w *priorityWorld) claimIssue(r *rapid.T) {
	_, err := w.s.ClaimIssue(r.Context(), storetest.MakeActor(1), rapid.SampledFrom(w.listIDs()).Draw(r, "issue"), 60)
	require.NoError(r, err)
}

func TestPriorityCursorIsOfItsSortAndFilters(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	for n := range 4 {
		storetest.MakeIssue(t, s, fmt.Sprint(n))
	}
	yes, no := true, false
	filters := []store.IssueFilter{
		{}, {ProjectID: storetest.Shop}, {Status: core.Unresolved}, {Release: "1.0"}, {Environment: "1.0"}, {Environment: "production"},
		{Since: "1h"}, {Search: "Error"},
		{Claimed: &no}, {Claimed: &yes}, {Test: true}, {Search: "1.0"},
	}
	for _, sort := range []core.IssueSort{core.ByLastSeen, core.ByPriority} {
		for a, f := range filters {
			f.Sort, f.Limit = sort, 1
			page, err := s.ListIssues(t.Context(), f)
			require.NoError(t, err)
			if page.NextCursor == "" {
				continue
			}
			for b, g := range filters {
				for _, other := range []core.IssueSort{core.ByLastSeen, core.ByPriority} {
					g.Sort, g.Limit, g.Cursor = other, 2, page.NextCursor
					_, err := s.ListIssues(t.Context(), g)
					if a == b && sort == other {
						require.NoError(t, err)
						continue
					}
					storetest.RequireCode(t, core.InvalidRequest, err)
					require.Equal(t, "cursor", core.AsError(err).Details[0].Path)
				}
			}
		}
	}
}

// TestPriorityTakesAnyCursor checks that a hand-made cursor leads to a page or a refusal, never to an error of the database.
func TestPriorityTakesAnyCursor(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	storetest.MakeIssue(t, s, "pay")
	storetest.MakeIssue(t, s, "ship")
	f := store.IssueFilter{Sort: core.ByPriority, Paging: core.Paging{Limit: 1}}
	page, err := s.ListIssues(t.Context(), f)
	require.NoError(t, err)
	good, err := page.NextCursor.Position("priority", f.Digest(time.Time{}))
	require.NoError(t, err)
	for _, score := range []float64{0, 5e-324, 1e-30, 1, 1e308} {
		for _, start := range []time.Time{{}, time.UnixMicro(1), c.Now.AddDate(-2000, 0, 0), c.Now.AddDate(7000, 0, 0)} {
			place := good
			place.Score, place.Start = score, start
			f.Cursor = place.Cursor()
			_, err := s.ListIssues(t.Context(), f)
			require.NoError(t, err, "%+v", place)
		}
	}
}
