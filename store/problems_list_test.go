package store_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// listed is a problem with the data that the test gave it.
type listed struct {
	id, stored int64
	seen       time.Time
	status     core.Status
	title      string
	tags       []string
}

const insertListed = `
WITH l AS (
	INSERT INTO issue_tags (project_id, issue_id, tag_id) SELECT $1, $2, id FROM tags WHERE name = ANY ($8)
)
INSERT INTO issues (project_id, id, fingerprint, fingerprint_version, title, culprit, type, level, platform, status, status_at,
	times_seen, stored_events, users_affected, first_seen, last_seen, first_release, last_release, has_grams, test)
VALUES ($1, $2, '', 1, $3, 'pay', 'Error', 'error', 'go', $4, $5, $6, $6, 0, $5, $5, '', '', false, $7)`

// makeListed makes issues that often have equal times, exactly or to the step of the index, and equal counts.
func makeListed(t *testing.T, s *store.Store, n int) []listed {
	t.Helper()
	random := rand.New(rand.NewPCG(17, 0))
	storetest.ChangeRows(t, s, `INSERT INTO tags (id, name) VALUES (1, 'critical'), (2, 'billing')`)
	statuses := []core.Status{core.Unresolved, core.Regressed, core.FixPending, core.Resolved, core.Verified, core.Ignored}
	var list []listed
	for id := range int64(n) {
		p := listed{
			id: id + 1, stored: random.Int64N(1 << random.IntN(11)), status: statuses[random.IntN(len(statuses))],
			seen:  storetest.Noon.AddDate(0, 0, -random.IntN(4)).Add(-time.Duration(random.IntN(9)) * 2 * time.Minute),
			title: fmt.Sprintf("Error: cart_%d is 5%% off", id%37),
			tags:  [][]string{nil, nil, {"critical"}, {"billing", "critical"}}[random.IntN(4)],
		}
		storetest.ChangeRows(t, s, insertListed, storetest.Shop, p.id, p.title, p.status, p.seen, p.stored, false, p.tags)
		list = append(list, p)
	}
	storetest.ChangeRows(t, s, insertListed, storetest.Shop, n+1, "merged", core.Merged, storetest.Noon, 0, false, nil)
	storetest.ChangeRows(t, s, insertListed, storetest.Shop, n+2, "of a test", core.Unresolved, storetest.Noon, 5, true, nil)
	storetest.ChangeRows(t, s, insertListed, storetest.Shop+1, n+3, "of another", core.Unresolved, storetest.Noon, 5, false, nil)
	return list
}

func (p listed) matches(f store.ProblemFilter) bool {
	resolved := (store.Problem{Status: p.status}).IsResolved()
	return (f.Resolved == nil || *f.Resolved == resolved) &&
		(f.Since.IsZero() || !p.seen.Before(f.Since.Time)) && (f.Before.IsZero() || p.seen.Before(f.Before.Time)) &&
		p.stored >= f.MinNotices &&
		(f.Search == "" || strings.Contains(strings.ToLower(p.title), strings.ToLower(strings.ReplaceAll(f.Search, "C%t_", "cart_")))) &&
		(len(f.Tags) == 0 || slices.ContainsFunc(f.Tags, func(tag string) bool { return slices.Contains(p.tags, tag) }))
}

func comparePositions(order store.ProblemOrder) func(a, b listed) int {
	return func(a, b listed) int {
		switch order {
		case store.ByOldest:
			return cmp.Or(a.seen.Compare(b.seen), cmp.Compare(a.id, b.id))
		case store.ByNotices:
			return cmp.Or(cmp.Compare(b.stored, a.stored), cmp.Compare(b.id, a.id))
		}
		return cmp.Or(b.seen.Compare(a.seen), cmp.Compare(b.id, a.id))
	}
}

// The classes of notices are settled for no issue, for all but the newest, and for all.
func TestProblemsAreThoseOfASimpleModel(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	list := makeListed(t, s, 700)
	storetest.ChangeRows(t, s, `INSERT INTO project_seen (project_id, last_event_at) VALUES ($1, $2)`, storetest.Shop, storetest.Noon)
	requireProblems(t, s, list)
	for range 2 {
		require.NoError(t, s.Intake.SettleNotices(t.Context()))
		requireProblems(t, s, list)
		c.Forward(time.Hour)
	}
	require.Zero(t, storetest.ReadCell[int](t, s, `
SELECT count(*)::int FROM issues
WHERE project_id = $1 AND notices_class <> width_bucket(stored_events, `+intake.NoticeBounds+`)`, storetest.Shop))
}

func requireProblems(t *testing.T, s *store.Store, list []listed) {
	t.Helper()
	yes, no := true, false
	day := storetest.Noon.Truncate(24 * time.Hour)
	filters := []store.ProblemFilter{
		{}, {Resolved: &yes}, {Resolved: &no}, {Search: "CART_1"}, {Search: "C%t_1"}, {Search: "ar"}, {Search: "none such"},
		{Tags: []string{"critical"}}, {Tags: []string{"billing", "other"}}, {MinNotices: 1}, {MinNotices: 3}, {MinNotices: 5}, {MinNotices: 700},
		{MinNotices: 5000}, {Since: core.At(day)}, {Before: core.At(day)}, {Since: core.At(day.AddDate(0, 0, -2)), Before: core.At(day)},
		{Resolved: &no, Search: "off", Tags: []string{"critical"}, MinNotices: 2, Since: core.At(day.AddDate(0, 0, -2))},
	}
	for _, filter := range filters {
		for _, order := range []store.ProblemOrder{store.ByNotices, store.ByOldest, ""} {
			filter.ProjectID, filter.Order, filter.Limit = storetest.Shop, order, 25
			var want []int64
			for _, p := range slices.SortedFunc(slices.Values(list), comparePositions(order)) {
				if p.matches(filter) {
					want = append(want, p.id)
				}
			}
			var got []int64
			for filter.Offset = 0; filter.Offset == 0 || filter.Offset < int64(len(want)); filter.Offset += filter.Limit {
				page, total, err := s.ListProblems(t.Context(), filter)
				require.NoError(t, err)
				require.EqualValues(t, len(want), total, "%+v", filter)
				for _, p := range page {
					got = append(got, p.ID)
				}
			}
			require.Equal(t, want, got, "%+v", filter)
			filter.Offset = 10_000
			page, _, err := s.ListProblems(t.Context(), filter)
			require.NoError(t, err)
			require.Empty(t, page)
		}
	}
}

func TestTotalsOfManyAreKeptForSeconds(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	makeListed(t, s, 600)
	unresolved := false
	filter := store.ProblemFilter{ProjectID: storetest.Shop, Resolved: &unresolved, Limit: 25}
	count := func() [2]int64 {
		_, total, err := s.ListProblems(t.Context(), filter)
		require.NoError(t, err)
		app, err := s.ReadManagedProject(t.Context(), storetest.Shop)
		require.NoError(t, err)
		return [2]int64{total, app.Unresolved}
	}
	before := count()
	require.Equal(t, before[0], before[1])
	require.Greater(t, before[0], int64(200))

	storetest.ChangeRows(t, s, `UPDATE issues SET status = 'resolved' WHERE status = 'fix_pending'`) // like another server
	filter.Offset = before[0] - 1
	page, total, err := s.ListProblems(t.Context(), filter)
	require.NoError(t, err)
	require.Empty(t, page, "a page that existed when it was counted")
	require.Equal(t, before[0], total)
	c.Forward(10 * time.Second)
	after := count()
	require.Less(t, after[0], before[0])
	require.Equal(t, after[0], after[1])

	id := storetest.ReadCell[int64](t, s, `SELECT min(id) FROM issues WHERE status = 'unresolved' AND NOT test`)
	_, err = s.ResolveProblems(t.Context(), core.NewBootstrapActor(), storetest.Shop, []int64{id})
	require.NoError(t, err)
	require.Equal(t, [2]int64{after[0] - 1, after[1] - 1}, count(), "this server's own change")
}

func TestPagesInsideOfLongSteps(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.ChangeRows(t, s, `
INSERT INTO issues (project_id, id, fingerprint, fingerprint_version, title, culprit, type, level, platform, status, status_at,
	times_seen, stored_events, users_affected, first_seen, last_seen, first_release, last_release)
SELECT $1, n, '', 1, 'Error', 'pay', 'Error', 'error', 'go', 'unresolved', $2, 20,
	CASE WHEN n <= 30 THEN 300 WHEN n <= 1300 THEN 8 + n % 5 ELSE 0 END,
	0, $2, $2::timestamptz - CASE WHEN n <= 30 THEN interval '1 day' ELSE n % 7 * interval '1 second' END, '', ''
FROM generate_series(1, 2000) n`, storetest.Shop, storetest.Noon.Add(time.Minute))
	for order, sql := range map[store.ProblemOrder]string{
		store.ByNotices: `SELECT array_agg(id ORDER BY stored_events DESC, id DESC) FROM issues`,
		store.ByOldest:  `SELECT array_agg(id ORDER BY last_seen, id) FROM issues`,
		"":              `SELECT array_agg(id ORDER BY last_seen DESC, id DESC) FROM issues`,
	} {
		want := storetest.ReadCell[[]int64](t, s, sql)
		for _, offset := range []int64{0, 20, 29, 30, 498, 499, 500, 501, 529, 530, 900, 1280, 1299, 1300, 1700, 1829, 1830, 1990, 1999} {
			page, _, err := s.ListProblems(t.Context(), store.ProblemFilter{
				ProjectID: storetest.Shop, Order: order, Limit: 25, Offset: offset,
			})
			require.NoError(t, err)
			var got []int64
			for _, p := range page {
				got = append(got, p.ID)
			}
			require.Equal(t, want[offset:min(offset+25, 2000)], got, "%s from %d", order, offset)
		}
	}
}
