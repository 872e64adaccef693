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

func merge(t testing.TB, s *store.Store, target int64, sources ...int64) core.Issue {
	t.Helper()
	merged, err := s.CarryOut(t.Context(), person(1), store.MergeIssues{Target: target, Sources: sources})
	require.NoError(t, err)
	return merged.Issue
}

// requireRefused wants invalid_request with these messages, all of them about the field.
func requireRefused(t testing.TB, err error, field string, messages ...string) {
	t.Helper()
	requireCode(t, core.InvalidRequest, err)
	details := core.AsError(err).Details
	got := make([]string, len(details))
	for i, d := range details {
		require.Equal(t, field, d.Path)
		got[i] = d.Message
	}
	require.Equal(t, messages, got)
}

func TestMergeMovesEverything(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	early, late := event(shop, "early", 1, c.at(-3*time.Hour)), event(shop, "late", 1, c.at(time.Hour))
	early.Release, early.Environment, early.User = "0.9", "staging", user(1)
	late.Release, late.User = "1.1", user(2)
	again := event(shop, "late", 2, c.at(0))
	again.User = user(1)
	mine := event(shop, "pay", 1, c.at(0))
	mine.User = user(2)
	first, last := add(t, s, early), add(t, s, late, again)
	target := add(t, s, mine)
	newest := cell[int64](t, s, `SELECT id FROM events WHERE event_id = $1`, late.EventID)
	_, err := s.Claim(t.Context(), person(2), first.IssueID, 60)
	require.NoError(t, err)
	_, err = s.Claim(t.Context(), person(3), target.IssueID, 60)
	require.NoError(t, err)
	_, err = s.SetStatus(t.Context(), person(1), target.IssueID, core.Ignored)
	require.NoError(t, err)
	before := activity(t, s, first.IssueID)
	c.forward(time.Minute)

	got := merge(t, s, target.IssueID, last.IssueID, first.IssueID, last.IssueID)
	i := issue(t, s, target.IssueID)
	require.Equal(t, i.Issue, got)
	require.Equal(t, core.Ignored, i.Status, "the target's own")
	require.Equal(t, "agent-3", i.Claim.Holder)
	require.Equal(t, "Error: pay", string(i.Title))
	require.EqualValues(t, 4, i.TimesSeen)
	require.EqualValues(t, 4, i.StoredEvents)
	require.EqualValues(t, 2, i.UsersAffected, "each user once")
	require.EqualValues(t, 4, i.Events24h)
	require.Equal(t, early.OccurredAt, i.FirstSeen)
	require.EqualValues(t, "0.9", i.FirstRelease)
	require.Equal(t, late.OccurredAt, i.LastSeen)
	require.EqualValues(t, "1.1", i.LastRelease)
	require.EqualValues(t, newest, i.LatestEventID)
	require.Len(t, storedIDs(t, s, target.IssueID), 4)
	for _, filter := range []store.IssueFilter{{Environment: "staging"}, {Release: "0.9"}, {Release: "1.1"}} {
		filter.Limit = 10
		page, err := s.Issues(t.Context(), filter)
		require.NoError(t, err)
		require.Len(t, page.Data, 1)
		require.Equal(t, target.IssueID, page.Data[0].ID)
		filter.Status = core.Merged
		page, err = s.Issues(t.Context(), filter)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Data), 1, "only by its own first or last release")
	}

	source := issue(t, s, first.IssueID)
	require.Equal(t, core.Merged, source.Status)
	require.EqualValues(t, target.IssueID, source.MergedInto)
	require.Nil(t, source.Claim)
	require.Zero(t, source.TimesSeen+source.StoredEvents+source.UsersAffected+source.Events24h)
	require.Zero(t, source.LatestEventID)
	story := activity(t, s, first.IssueID)
	require.Equal(t, before, story[:len(before)], "its story stays its own")
	for i, want := range []core.Activity{
		{Action: core.ActionIssueRelease},
		{Action: core.ActionIssueMerge, Data: fmt.Appendf(nil, `{"target_id": %d}`, target.IssueID)},
	} {
		want.At, want.ActorType, want.ActorID, want.ActorName = c.at(0), core.ActorToken, 1, "agent-1"
		want.TargetType, want.TargetID = core.TargetIssue, first.IssueID
		require.Equal(t, want, story[len(before)+i])
	}
	require.Len(t, story, len(before)+2)
	require.Equal(t, []string{"ignored", "merged"}, labels(t, s, ""), "one label for one decision")
	for _, table := range []string{"events", "event_ids", "issue_hours", "issue_users", "issue_environments", "issue_releases", "issue_fingerprints"} {
		require.Equal(t, []int64{target.IssueID}, column[int64](t, s, `SELECT DISTINCT issue_id FROM `+table), table)
	}

	rows := activity(t, s, target.IssueID)
	row := rows[len(rows)-1]
	require.JSONEq(t, fmt.Sprintf(`{"source_ids": [%d, %d]}`, first.IssueID, last.IssueID), string(row.Data))
	row.Data = nil
	require.Equal(t, core.Activity{
		At: c.at(0), ActorType: core.ActorToken, ActorID: 1, ActorName: "agent-1", Action: core.ActionIssueMerge,
		TargetType: core.TargetIssue, TargetID: target.IssueID,
	}, row)
}

func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	s, _ := openShop(t)
	makeProject(t, s, shop+1, "Office")
	target, source, other := makeIssue(t, s, "target"), makeIssue(t, s, "source"), makeIssue(t, s, "other")
	merged := makeIssue(t, s, "merged")
	foreign := add(t, s, event(shop+1, "foreign", 1, s.Now())).IssueID
	merge(t, s, other, merged)
	before := column[string](t, s, `SELECT to_jsonb(i)::text FROM issues i ORDER BY id`)
	for _, wrong := range []struct {
		target   int64
		sources  []int64
		messages []string
	}{
		{target, []int64{target}, []string{fmt.Sprint("must not name the target: ", target)}},
		{target, []int64{source, 12345, 99, 12345}, []string{"must name issues that exist; unknown: 99, 12345"}},
		{target, []int64{foreign, source}, []string{fmt.Sprint("must name issues of the target's project; of another: ", foreign)}},
		{target, []int64{merged}, []string{fmt.Sprintf("must name issues that are not merged; already merged: %d (into %d)", merged, other)}},
		{merged, []int64{source}, []string{fmt.Sprint("cannot be merged into an issue that is itself merged; the issue that has its events: ", other)}},
		{target, []int64{merged, foreign, 99, target, source}, []string{
			fmt.Sprint("must not name the target: ", target), "must name issues that exist; unknown: 99",
			fmt.Sprint("must name issues of the target's project; of another: ", foreign),
			fmt.Sprintf("must name issues that are not merged; already merged: %d (into %d)", merged, other),
		}},
	} {
		_, err := s.CarryOut(t.Context(), person(1), store.MergeIssues{Target: wrong.target, Sources: wrong.sources})
		requireRefused(t, err, "source_ids", wrong.messages...)
	}
	_, err := s.CarryOut(t.Context(), person(1), store.MergeIssues{Target: 12345, Sources: []int64{source}})
	requireCode(t, core.NotFound, err)
	require.Equal(t, before, column[string](t, s, `SELECT to_jsonb(i)::text FROM issues i ORDER BY id`))
	require.Empty(t, activity(t, s, target))

	deleteProject(t, s, shop+1)
	_, err = s.CarryOut(t.Context(), person(1), store.MergeIssues{Target: foreign, Sources: []int64{source}})
	requireCode(t, core.NotFound, err)
	_, err = s.CarryOut(t.Context(), person(1), store.MergeIssues{Target: target, Sources: []int64{foreign}})
	requireRefused(t, err, "source_ids", fmt.Sprint("must name issues that exist; unknown: ", foreign))
}

func TestMergeFlattensChains(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	a, b, d := makeIssue(t, s, "a"), makeIssue(t, s, "b"), makeIssue(t, s, "d")
	merge(t, s, b, a)
	merge(t, s, d, b)
	for _, id := range []int64{a, b} {
		require.EqualValues(t, d, issue(t, s, id).MergedInto)
	}
	for n, group := range []string{"a", "b", "d"} {
		require.Equal(t, d, add(t, s, event(shop, group, 10+n, c.at(0))).IssueID)
	}
	require.EqualValues(t, 6, issue(t, s, d).TimesSeen)
}

func TestMergeCountsUsersUpToAThousand(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	var events []store.NewEvent
	for n := range 700 {
		mine, theirs := event(shop, "a", n, c.at(0)), event(shop, "b", n, c.at(0))
		mine.User, theirs.User = user(n), user(n+500)
		events = append(events, mine, theirs)
	}
	b := add(t, s, events...).IssueID
	a := cell[int64](t, s, `SELECT id FROM issues WHERE id <> $1`, b)
	require.EqualValues(t, 1000, merge(t, s, a, b).UsersAffected, "of 1,200")
	require.EqualValues(t, 1000, cell[int64](t, s, `SELECT count(*) FROM issue_users`))
	more := event(shop, "b", 5000, c.at(0))
	more.User = user(5000)
	add(t, s, more)
	require.EqualValues(t, 1000, issue(t, s, a).UsersAffected)
}

// TestLaterEventsOfASourceGoToTheTarget holds for a server that remembers the source, the one that merged it, and one
// that remembers nothing; and for an event that was stored before.
func TestLaterEventsOfASourceGoToTheTarget(t *testing.T) {
	t.Parallel()
	pair, c := openPair(t)
	source, target := makeIssue(t, pair[1], "old"), makeIssue(t, pair[0], "new")
	stored := add(t, pair[0], event(shop, "old", 2, c.at(0)))
	merge(t, pair[0], target, source)
	for n, s := range pair {
		batch := []store.NewEvent{event(shop, "old", 10+n, c.at(0)), event(shop, "new", 10+n, c.at(0)), event(shop, "old", 2, c.at(0))}
		added, err := s.AddEvents(t.Context(), batch)
		require.NoError(t, err)
		require.Equal(t, []int64{target, target, target}, []int64{added[0].IssueID, added[1].IssueID, added[2].IssueID})
		require.Equal(t, store.Added{ID: stored.ID, IssueID: target, Duplicate: true}, added[2])
	}
	require.EqualValues(t, 3+4, issue(t, pair[0], target).TimesSeen)
	require.Zero(t, issue(t, pair[0], source).TimesSeen)
}

func TestNewerEventOfASourceReopensTheTarget(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	source, target := makeIssue(t, s, "old"), makeIssue(t, s, "new")
	for _, id := range []int64{source, target} {
		_, err := s.SetStatus(t.Context(), person(1), id, core.Resolved)
		require.NoError(t, err)
	}
	c.forward(time.Minute)
	require.Equal(t, core.Resolved, merge(t, s, target, source).Status)
	add(t, s, event(shop, "old", 2, c.at(0)))
	require.Equal(t, core.Unresolved, issue(t, s, target).Status)
}

func TestMergedIssueKeepsTheFirstAndTheNewest(t *testing.T) {
	t.Parallel()
	c := &clock{noon}
	s := storetest.OpenWith(t, store.Options{URL: storetest.URL(t), Clock: c.tell, Settings: keepFew})
	makeProject(t, s, shop, "Shop")
	groups, all := []string{"a", "b", "c"}, []int64{}
	ids := map[string]int64{}
	for n := range 150 {
		for _, group := range groups {
			c.forward(time.Second)
			added := add(t, s, event(shop, group, n, c.at(0)))
			ids[group], all = added.IssueID, append(all, added.ID)
		}
	}
	gone := event(shop, groups[100%3], 100/3, c.at(0))
	merged := merge(t, s, ids["a"], ids["b"], ids["c"])
	require.EqualValues(t, 450, merged.TimesSeen)
	require.EqualValues(t, store.MinKeep, merged.StoredEvents)
	kept := append(all[:100:100], all[350:]...)
	require.ElementsMatch(t, kept, storedIDs(t, s, ids["a"]))
	require.ElementsMatch(t, kept, column[int64](t, s, `SELECT id FROM event_ids WHERE not_stored IS NULL`))
	require.EqualValues(t, all[449], issue(t, s, ids["a"]).LatestEventID)
	require.Equal(t, store.Added{IssueID: ids["a"], Duplicate: true}, add(t, s, gone), "it is not stored any more, but was counted today")
}

// TestExpiredDaysOfAMergedIssue holds that the retention takes moved events off the issue that has them.
func TestExpiredDaysOfAMergedIssue(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	source := add(t, s, event(shop, "old", 1, c.at(0)), event(shop, "old", 2, c.at(0))).IssueID
	c.forward(48 * time.Hour)
	kept := add(t, s, event(shop, "new", 1, c.at(0)))
	merge(t, s, kept.IssueID, source)
	dropExpired(t, s, 1)
	i := issue(t, s, kept.IssueID)
	require.EqualValues(t, 3, i.TimesSeen)
	require.EqualValues(t, 1, i.StoredEvents)
	require.EqualValues(t, kept.ID, i.LatestEventID)
	require.Zero(t, issue(t, s, source).StoredEvents)
}

// TestMergeIntoAResolvedTarget holds that what is open stays open.
func TestMergeIntoAResolvedTarget(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ source, target, want core.Status }{
		{core.Unresolved, core.Resolved, core.Unresolved},
		{core.Regressed, core.Resolved, core.Unresolved},
		{core.Resolved, core.Resolved, core.Resolved},
		{core.Ignored, core.Resolved, core.Resolved},
		{core.Unresolved, core.Ignored, core.Ignored},
		{core.Regressed, core.Unresolved, core.Unresolved},
		{core.Resolved, core.Unresolved, core.Unresolved},
	} {
		s, c := openShop(t)
		target, source, resolved := makeIssue(t, s, "target"), makeIssue(t, s, "source"), makeIssue(t, s, "resolved")
		for id, status := range map[int64]core.Status{target: test.target, source: test.source, resolved: core.Resolved} {
			change(t, s, `UPDATE issues SET status = $2, status_at = $3 WHERE id = $1`, id, string(status), noon)
		}
		c.forward(time.Minute)
		require.Equal(t, test.want, merge(t, s, target, resolved, source).Status, "%+v", test)
		rows := activity(t, s, target)
		last := rows[len(rows)-1]
		if test.want == test.target {
			require.Equal(t, core.ActionIssueMerge, last.Action, "%+v", test)
			continue
		}
		require.Equal(t, core.Activity{
			At: c.at(0), ActorType: core.ActorSystem, ActorName: "ingest", Action: core.ActionIssueRegress,
			TargetType: core.TargetIssue, TargetID: target, Data: []byte(`{"to": "unresolved", "from": "resolved"}`),
		}, last, "%+v", test)
		require.Equal(t, c.at(0).Time, cell[time.Time](t, s, `SELECT status_at FROM issues WHERE id = $1`, target).UTC())
	}
}
