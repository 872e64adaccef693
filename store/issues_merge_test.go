package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// requireRefused requires invalid_request with these messages, all of them about the field.
func requireRefused(t testing.TB, err error, field string, messages ...string) {
	t.Helper()
	storetest.RequireCode(t, core.InvalidRequest, err)
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
	s, c := storetest.OpenShop(t)
	early, late := storetest.MakeShopEvent("early", 1, c.At(-3*time.Hour)), storetest.MakeShopEvent("late", 1, c.At(time.Hour))
	early.Release, early.Environment, early.User = "0.9", "staging", storetest.HashUser(1)
	late.Release, late.User = "1.1", storetest.HashUser(2)
	again := storetest.MakeShopEvent("late", 2, c.At(0))
	again.User = storetest.HashUser(1)
	mine := storetest.MakeShopEvent("pay", 1, c.At(0))
	mine.User = storetest.HashUser(2)
	first, last := storetest.AddEvents(t, s, early), storetest.AddEvents(t, s, late, again)
	target := storetest.AddEvents(t, s, mine)
	newest := storetest.ReadCell[int64](t, s, `SELECT id FROM events WHERE event_id = $1`, late.EventID)
	_, err := s.ClaimIssue(t.Context(), storetest.MakeActor(2), first.IssueID, 60)
	require.NoError(t, err)
	_, err = s.ClaimIssue(t.Context(), storetest.MakeActor(3), target.IssueID, 60)
	require.NoError(t, err)
	_, err = s.SetIssueStatus(t.Context(), storetest.MakeActor(1), target.IssueID, core.Ignored)
	require.NoError(t, err)
	before := storetest.ReadActivity(t, s, first.IssueID)
	c.Forward(time.Minute)

	got := storetest.MergeIssues(t, s, target.IssueID, last.IssueID, first.IssueID, last.IssueID)
	i := storetest.ReadIssue(t, s, target.IssueID)
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
	require.Len(t, storetest.ListStoredIDs(t, s, target.IssueID), 4)
	requireListedByItsEvents(t, s, target.IssueID)
	requireMergedAway(t, s, c, first.IssueID, target.IssueID, before)
	requireMergeRecorded(t, s, c, target.IssueID, first.IssueID, last.IssueID)
}

// requireListedByItsEvents requires that environments and releases of the sources find the target of the merge.
func requireListedByItsEvents(t *testing.T, s *store.Store, target int64) {
	t.Helper()
	for _, filter := range []store.IssueFilter{{Environment: "staging"}, {Release: "0.9"}, {Release: "1.1"}} {
		filter.Limit = 10
		page, err := s.ListIssues(t.Context(), filter)
		require.NoError(t, err)
		require.Len(t, page.Data, 1)
		require.Equal(t, target, page.Data[0].ID)
		filter.Status = core.Merged
		page, err = s.ListIssues(t.Context(), filter)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Data), 1, "it matches only by its own first or last release")
	}
}

// requireMergedAway requires that the source has nothing left but its story, which continues after before.
func requireMergedAway(t *testing.T, s *store.Store, c *storetest.Clock, id, target int64, before []core.Activity) {
	t.Helper()
	source := storetest.ReadIssue(t, s, id)
	require.Equal(t, core.Merged, source.Status)
	require.EqualValues(t, target, source.MergedInto)
	require.Nil(t, source.Claim)
	require.Zero(t, source.TimesSeen+source.StoredEvents+source.UsersAffected+source.Events24h)
	require.Zero(t, source.LatestEventID)
	story := storetest.ReadActivity(t, s, id)
	require.Equal(t, before, story[:len(before)], "the source keeps its story")
	for i, want := range []core.Activity{
		{Action: core.ActionIssueRelease},
		{Action: core.ActionIssueMerge, Data: fmt.Appendf(nil, `{"target_id": %d}`, target)},
	} {
		want.At, want.ActorType, want.ActorID, want.ActorName = c.At(0), core.ActorToken, 1, "agent-1"
		want.TargetType, want.TargetID = core.TargetIssue, id
		require.Equal(t, want, story[len(before)+i])
	}
	require.Len(t, story, len(before)+2)
	require.Equal(t, []string{"ignored", "merged"}, listLabels(t, s, ""), "one label for one decision")
	for _, table := range []string{"events", "event_ids", "issue_hours", "issue_users", "issue_environments", "issue_releases",
		"issue_fingerprints"} {
		require.Equal(t, []int64{target}, storetest.ReadColumn[int64](t, s, `SELECT DISTINCT issue_id FROM `+table), table)
	}
}

// requireMergeRecorded requires that the target's story ends with the merge.
func requireMergeRecorded(t *testing.T, s *store.Store, c *storetest.Clock, target, first, last int64) {
	t.Helper()
	rows := storetest.ReadActivity(t, s, target)
	row := rows[len(rows)-1]
	require.JSONEq(t, fmt.Sprintf(`{"source_ids": [%d, %d]}`, first, last), string(row.Data))
	row.Data = nil
	require.Equal(t, core.Activity{
		At: c.At(0), ActorType: core.ActorToken, ActorID: 1, ActorName: "agent-1", Action: core.ActionIssueMerge,
		TargetType: core.TargetIssue, TargetID: target,
	}, row)
}

func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "Office")
	target, source, other := storetest.MakeIssue(t, s, "target"), storetest.MakeIssue(t, s, "source"), storetest.MakeIssue(t, s, "other")
	merged := storetest.MakeIssue(t, s, "merged")
	foreign := storetest.AddEvents(t, s, storetest.MakeEvent(storetest.Shop+1, "foreign", 1, s.Now())).IssueID
	storetest.MergeIssues(t, s, other, merged)
	before := storetest.ReadColumn[string](t, s, `SELECT to_jsonb(i)::text FROM issues i ORDER BY id`)
	for _, wrong := range []struct {
		target   int64
		sources  []int64
		messages []string
	}{
		{target, []int64{target}, []string{fmt.Sprint("must not name the target: ", target)}},
		{target, []int64{source, 12345, 99, 12345}, []string{"must name issues that exist; unknown: 99, 12345"}},
		{target, []int64{foreign, source}, []string{fmt.Sprint("must name issues of the target's project; of another: ", foreign)}},
		{target, []int64{merged}, []string{fmt.Sprintf("must name issues that are not merged; already merged: %d (into %d)", merged, other)}},
		{merged, []int64{source}, []string{fmt.Sprint("cannot be merged into an issue that is itself merged; the issue that has its events: ",
			other)}},
		{target, []int64{merged, foreign, 99, target, source}, []string{
			fmt.Sprint("must not name the target: ", target), "must name issues that exist; unknown: 99",
			fmt.Sprint("must name issues of the target's project; of another: ", foreign),
			fmt.Sprintf("must name issues that are not merged; already merged: %d (into %d)", merged, other),
		}},
	} {
		_, err := s.CarryOut(t.Context(), storetest.MakeActor(1), store.MergeIssues{Target: wrong.target, Sources: wrong.sources})
		requireRefused(t, err, "source_ids", wrong.messages...)
	}
	_, err := s.CarryOut(t.Context(), storetest.MakeActor(1), store.MergeIssues{Target: 12345, Sources: []int64{source}})
	storetest.RequireCode(t, core.NotFound, err)
	require.Equal(t, before, storetest.ReadColumn[string](t, s, `SELECT to_jsonb(i)::text FROM issues i ORDER BY id`))
	require.Empty(t, storetest.ReadActivity(t, s, target))

	storetest.HideProject(t, s, storetest.Shop+1)
	_, err = s.CarryOut(t.Context(), storetest.MakeActor(1), store.MergeIssues{Target: foreign, Sources: []int64{source}})
	storetest.RequireCode(t, core.NotFound, err)
	_, err = s.CarryOut(t.Context(), storetest.MakeActor(1), store.MergeIssues{Target: target, Sources: []int64{foreign}})
	requireRefused(t, err, "source_ids", fmt.Sprint("must name issues that exist; unknown: ", foreign))
}

func TestMergeFlattensChains(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	a, b, d := storetest.MakeIssue(t, s, "a"), storetest.MakeIssue(t, s, "b"), storetest.MakeIssue(t, s, "d")
	storetest.MergeIssues(t, s, b, a)
	storetest.MergeIssues(t, s, d, b)
	for _, id := range []int64{a, b} {
		require.EqualValues(t, d, storetest.ReadIssue(t, s, id).MergedInto)
	}
	for n, group := range []string{"a", "b", "d"} {
		require.Equal(t, d, storetest.AddEvents(t, s, storetest.MakeShopEvent(group, 10+n, c.At(0))).IssueID)
	}
	require.EqualValues(t, 6, storetest.ReadIssue(t, s, d).TimesSeen)
}

func TestMergeCountsUsersUpToAThousand(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	var events []intake.NewEvent
	for n := range 700 {
		mine, theirs := storetest.MakeShopEvent("a", n, c.At(0)), storetest.MakeShopEvent("b", n, c.At(0))
		mine.User, theirs.User = storetest.HashUser(n), storetest.HashUser(n+500)
		events = append(events, mine, theirs)
	}
	b := storetest.AddEvents(t, s, events...).IssueID
	a := storetest.ReadCell[int64](t, s, `SELECT id FROM issues WHERE id <> $1`, b)
	require.EqualValues(t, 1000, storetest.MergeIssues(t, s, a, b).UsersAffected, "of 1,200")
	require.EqualValues(t, 1000, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM issue_users`))
	more := storetest.MakeShopEvent("b", 5000, c.At(0))
	more.User = storetest.HashUser(5000)
	storetest.AddEvents(t, s, more)
	require.EqualValues(t, 1000, storetest.ReadIssue(t, s, a).UsersAffected)
}

// TestLaterEventsOfASourceGoToTheTarget covers a server that remembers the source, the server that merged it, and one that
// remembers nothing, and also an event that was stored before.
func TestLaterEventsOfASourceGoToTheTarget(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	source, target := storetest.MakeIssue(t, pair[1], "old"), storetest.MakeIssue(t, pair[0], "new")
	stored := storetest.AddEvents(t, pair[0], storetest.MakeShopEvent("old", 2, c.At(0)))
	storetest.MergeIssues(t, pair[0], target, source)
	for n, s := range pair {
		batch := []intake.NewEvent{storetest.MakeShopEvent("old", 10+n, c.At(0)), storetest.MakeShopEvent("new", 10+n, c.At(0)),
			storetest.MakeShopEvent("old", 2, c.At(0))}
		added, err := s.Intake.AddEvents(t.Context(), batch)
		require.NoError(t, err)
		require.Equal(t, []int64{target, target, target}, []int64{added[0].IssueID, added[1].IssueID, added[2].IssueID})
		require.Equal(t, intake.Added{ID: stored.ID, IssueID: target, Duplicate: true}, added[2])
	}
	require.EqualValues(t, 3+4, storetest.ReadIssue(t, pair[0], target).TimesSeen)
	require.Zero(t, storetest.ReadIssue(t, pair[0], source).TimesSeen)
}

func TestNewerEventOfASourceReopensTheTarget(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	source, target := storetest.MakeIssue(t, s, "old"), storetest.MakeIssue(t, s, "new")
	for _, id := range []int64{source, target} {
		_, err := s.SetIssueStatus(t.Context(), storetest.MakeActor(1), id, core.Resolved)
		require.NoError(t, err)
	}
	c.Forward(time.Minute)
	require.Equal(t, core.Resolved, storetest.MergeIssues(t, s, target, source).Status)
	storetest.AddEvents(t, s, storetest.MakeShopEvent("old", 2, c.At(0)))
	require.Equal(t, core.Unresolved, storetest.ReadIssue(t, s, target).Status)
}

func TestMergedIssueKeepsTheFirstAndTheNewest(t *testing.T) {
	t.Parallel()
	c := storetest.NewClock()
	s := storetest.OpenWith(t, store.Options{URL: storetest.NewURL(t), Clock: c.Tell, Settings: storetest.KeepFew})
	storetest.MakeProject(t, s, storetest.Shop, "Shop")
	groups, all := []string{"a", "b", "c"}, []int64{}
	ids := map[string]int64{}
	for n := range 150 {
		for _, group := range groups {
			c.Forward(time.Second)
			added := storetest.AddEvents(t, s, storetest.MakeShopEvent(group, n, c.At(0)))
			ids[group], all = added.IssueID, append(all, added.ID)
		}
	}
	gone := storetest.MakeShopEvent(groups[100%3], 100/3, c.At(0))
	merged := storetest.MergeIssues(t, s, ids["a"], ids["b"], ids["c"])
	require.EqualValues(t, 450, merged.TimesSeen)
	require.EqualValues(t, intake.MinKeep, merged.StoredEvents)
	kept := append(all[:100:100], all[350:]...)
	require.ElementsMatch(t, kept, storetest.ListStoredIDs(t, s, ids["a"]))
	require.ElementsMatch(t, kept, storetest.ReadColumn[int64](t, s, `SELECT id FROM event_ids WHERE not_stored IS NULL`))
	require.EqualValues(t, all[449], storetest.ReadIssue(t, s, ids["a"]).LatestEventID)
	require.Equal(t, intake.Added{IssueID: ids["a"], Duplicate: true}, storetest.AddEvents(t, s, gone),
		"it is not stored any more, but was counted today")
}

// TestExpiredDaysOfAMergedIssue checks that the retention takes moved events off the issue that has them.
func TestExpiredDaysOfAMergedIssue(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	source := storetest.AddEvents(t, s, storetest.MakeShopEvent("old", 1, c.At(0)), storetest.MakeShopEvent("old", 2, c.At(0))).IssueID
	c.Forward(48 * time.Hour)
	kept := storetest.AddEvents(t, s, storetest.MakeShopEvent("new", 1, c.At(0)))
	storetest.MergeIssues(t, s, kept.IssueID, source)
	storetest.DropExpired(t, s, 1)
	i := storetest.ReadIssue(t, s, kept.IssueID)
	require.EqualValues(t, 3, i.TimesSeen)
	require.EqualValues(t, 1, i.StoredEvents)
	require.EqualValues(t, kept.ID, i.LatestEventID)
	require.Zero(t, storetest.ReadIssue(t, s, source).StoredEvents)
}

// TestMergeIntoAResolvedTarget checks that open work stays open.
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
		s, c := storetest.OpenShop(t)
		target, source, resolved := storetest.MakeIssue(t, s, "target"), storetest.MakeIssue(t, s, "source"),
			storetest.MakeIssue(t, s, "resolved")
		for id, status := range map[int64]core.Status{target: test.target, source: test.source, resolved: core.Resolved} {
			storetest.ChangeRows(t, s, `UPDATE issues SET status = $2, status_at = $3 WHERE id = $1`, id, string(status), storetest.Noon)
		}
		c.Forward(time.Minute)
		require.Equal(t, test.want, storetest.MergeIssues(t, s, target, resolved, source).Status, "%+v", test)
		rows := storetest.ReadActivity(t, s, target)
		last := rows[len(rows)-1]
		if test.want == test.target {
			require.Equal(t, core.ActionIssueMerge, last.Action, "%+v", test)
			continue
		}
		require.Equal(t, core.Activity{
			At: c.At(0), ActorType: core.ActorSystem, ActorName: "ingest", Action: core.ActionIssueRegress,
			TargetType: core.TargetIssue, TargetID: target, Data: []byte(`{"to": "unresolved", "from": "resolved"}`),
		}, last, "%+v", test)
		require.Equal(t, c.At(0).Time, storetest.ReadCell[time.Time](t, s, `SELECT status_at FROM issues WHERE id = $1`, target).UTC())
	}
}
