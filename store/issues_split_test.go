package store_test

import (
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/grouping"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

func splitIssue(t testing.TB, s *store.Store, id int64, events ...int64) core.Issue {
	t.Helper()
	made, err := s.SplitIssue(t.Context(), storetest.MakeActor(1), id, events, grouping.FindStoredType)
	require.NoError(t, err)
	return made
}

// makeTitledEvent makes an event with a title in its stored form.
func makeTitledEvent(group string, n int, at core.Time) intake.NewEvent {
	e := storetest.MakeShopEvent(group, n, at)
	e.Level = "warning"
	e.Payload = intake.PackPlain(fmt.Appendf(nil,
		`{"title": "OtherError: %d", "culprit": "cart in load", "level": "warning", "platform": "python",
		"exceptions": [{"type": "OtherError"}, {"type": "Cause"}]}`, n))
	return e
}

func TestSplitMovesTheEvents(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	var added []intake.Added
	for n := range 5 { // one an hour, the later ones at earlier times
		e := makeTitledEvent("pay", n, c.At(-time.Duration(n)*time.Hour))
		e.ReceivedAt, e.User = c.At(time.Duration(n)*time.Second), storetest.HashUser(n)
		e.Release, e.Environment = fmt.Sprint("1.", n), fmt.Sprint("place ", n)
		added = append(added, storetest.AddEvents(t, s, e))
	}
	id := added[0].IssueID
	_, err := s.SetIssueStatus(t.Context(), storetest.MakeActor(1), id, core.Ignored)
	require.NoError(t, err)
	_, err = s.ClaimIssue(t.Context(), storetest.MakeActor(2), id, 60)
	require.NoError(t, err)
	c.Forward(time.Minute)

	got := splitIssue(t, s, id, added[4].ID, added[1].ID)
	made := storetest.ReadIssue(t, s, got.ID)
	require.Equal(t, made.Issue, got)
	got.Triage = core.Triage{} // it has its own tests
	require.Equal(t, core.Issue{
		ID: got.ID, ProjectID: storetest.Shop, Project: "shop",
		Title: "OtherError: 1", Culprit: "cart in load", Type: "OtherError", Level: "warning",
		Platform: "python",
		Status:   core.Unresolved, TimesSeen: 2, StoredEvents: 2, Events24h: 2, Events7d: 2, Priority: got.Priority,
		FirstSeen: c.At(-4*time.Hour - time.Minute), LastSeen: c.At(-time.Hour - time.Minute), FirstRelease: "1.4", LastRelease: "1.1",
		Fingerprint: got.Fingerprint, Trust: got.Trust, SourceTrust: got.Trust, Source: got.Source,
	}, got)
	require.EqualValues(t, added[4].ID, made.LatestEventID, "the event that arrived last")
	require.Equal(t, []int64{added[4].ID, added[1].ID}, storetest.ListStoredIDs(t, s, got.ID))
	fingerprint, err := hex.DecodeString(got.Fingerprint)
	require.NoError(t, err)
	require.Len(t, fingerprint, 32)
	require.Zero(t, got.FingerprintVersion, "grouping has no such version")

	requireKeptByOriginal(t, s, c, id, added[3].ID)
	for environment, want := range map[string][]int64{"place 1": {got.ID}, "place 4": {got.ID}, "place 0": {id}} {
		page, err := s.ListIssues(t.Context(), store.IssueFilter{Environment: environment, Paging: core.Paging{Limit: 10}})
		require.NoError(t, err)
		var ids []int64
		for _, i := range page.Data {
			ids = append(ids, i.ID)
		}
		require.Subset(t, ids, want, environment)
	}
	requireSplitRecorded(t, s, c, id, got.ID, added[4].ID, added[1].ID)
}

// requireKeptByOriginal requires that the original kept its own data and three of the five events.
func requireKeptByOriginal(t *testing.T, s *store.Store, c *storetest.Clock, id, latest int64) {
	t.Helper()
	original := storetest.ReadIssue(t, s, id)
	require.Equal(t, core.Ignored, original.Status)
	require.Equal(t, "agent-2", original.Claim.Holder)
	require.EqualValues(t, 3, original.TimesSeen)
	require.EqualValues(t, 3, original.StoredEvents)
	require.EqualValues(t, 3, original.Events24h)
	require.EqualValues(t, 5, original.UsersAffected, "users stay")
	require.Equal(t, c.At(-3*time.Hour-time.Minute), original.FirstSeen, "from the remaining events")
	require.EqualValues(t, "1.3", original.FirstRelease)
	require.Equal(t, c.At(-time.Minute), original.LastSeen)
	require.EqualValues(t, latest, original.LatestEventID)
}

// requireSplitRecorded requires that the stories of the original and of the new issue name the split.
func requireSplitRecorded(t *testing.T, s *store.Store, c *storetest.Clock, id, newID int64, events ...int64) {
	t.Helper()
	rows := storetest.ReadActivity(t, s, id)
	require.Equal(t, core.ActionIssueSplit, rows[len(rows)-1].Action)
	require.JSONEq(t, fmt.Sprintf(`{"new_issue_id": %d, "event_ids": [%d, %d]}`, newID, events[0], events[1]),
		string(rows[len(rows)-1].Data))
	rows = storetest.ReadActivity(t, s, newID)
	require.Len(t, rows, 1)
	require.JSONEq(t, fmt.Sprintf(`{"issue_id": %d}`, id), string(rows[0].Data))
	rows[0].Data = nil
	require.Equal(t, core.Activity{
		At: c.At(0), ActorType: core.ActorToken, ActorID: 1, ActorName: "agent-1", Action: core.ActionIssueSplitFrom,
		TargetType: core.TargetIssue, TargetID: newID,
	}, rows[0])
}

func TestNewEventsGoToTheOriginalAfterASplit(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	first := storetest.AddEvents(t, pair[0], storetest.MakeShopEvent("pay", 1, c.At(0)))
	moved := storetest.AddEvents(t, pair[0], storetest.MakeShopEvent("pay", 2, c.At(0)))
	storetest.AddEvents(t, pair[1], storetest.MakeShopEvent("pay", 3, c.At(0)))
	made := splitIssue(t, pair[0], first.IssueID, moved.ID)
	for n, s := range pair {
		require.Equal(t, first.IssueID, storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 10+n, c.At(0))).IssueID)
		again := storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 2, c.At(0)))
		require.Equal(t, intake.Added{ID: moved.ID, IssueID: made.ID, Duplicate: true}, again, "the answer names its new issue")
	}
	require.EqualValues(t, 4, storetest.ReadIssue(t, pair[0], first.IssueID).TimesSeen)
	require.EqualValues(t, 1, storetest.ReadIssue(t, pair[0], made.ID).TimesSeen)
}

func TestSplitOfAllEventsLeavesOne(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	one, two := storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 1, c.At(0))),
		storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 2, c.At(time.Hour)))
	before := storetest.ReadIssue(t, s, one.IssueID)
	made := splitIssue(t, s, one.IssueID, one.ID, two.ID)
	require.EqualValues(t, 2, made.TimesSeen)
	i := storetest.ReadIssue(t, s, one.IssueID)
	require.EqualValues(t, 1, i.TimesSeen)
	require.Zero(t, i.StoredEvents)
	require.Zero(t, i.LatestEventID)
	require.Zero(t, i.Events24h)
	require.Equal(t, before.FirstSeen, i.FirstSeen)
	require.Equal(t, before.LastSeen, i.LastSeen)
	require.Equal(t, one.IssueID, storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 3, c.At(0))).IssueID)

	merged := storetest.MergeIssues(t, s, one.IssueID, made.ID)
	require.EqualValues(t, 4, merged.TimesSeen)
	require.EqualValues(t, 3, merged.StoredEvents)
}

// TestSplitOfAnIssueThatCountedMore moves one of times_seen for each event, regardless of events that are not stored.
func TestSplitOfAnIssueThatCountedMore(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	added := storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 1, c.At(0)))
	storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 2, c.At(0)))
	storetest.ChangeRows(t, s, `UPDATE issues SET times_seen = 1000, first_seen = $1, first_release_at = $1, first_release = '0.1'`,
		c.At(-9000*time.Hour))
	storetest.ChangeRows(t, s, `UPDATE issue_hours SET events = 990`)
	made := splitIssue(t, s, added.IssueID, added.ID)
	require.EqualValues(t, 1, made.TimesSeen)
	i := storetest.ReadIssue(t, s, added.IssueID)
	require.EqualValues(t, 999, i.TimesSeen)
	require.EqualValues(t, 989, i.Events24h)
	require.Equal(t, c.At(-9000*time.Hour), i.FirstSeen, "it came from another event")
	require.EqualValues(t, "0.1", i.FirstRelease)
}

func TestSplitRefuses(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "Office")
	mine, other := storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 1, c.At(0))),
		storetest.AddEvents(t, s, storetest.MakeShopEvent("other", 1, c.At(0)))
	foreign := storetest.AddEvents(t, s, storetest.MakeEvent(storetest.Shop+1, "pay", 1, c.At(0)))
	before := storetest.ReadColumn[string](t, s, `SELECT to_jsonb(i)::text FROM issues i ORDER BY id`)
	for _, wrong := range []struct {
		events   []int64
		messages []string
	}{
		{[]int64{mine.ID, 12345}, []string{"must name stored events, by their id; unknown: 12345"}},
		{[]int64{12345}, []string{"must name stored events, by their id; unknown: 12345"}},
		{[]int64{other.ID, mine.ID, foreign.ID}, []string{fmt.Sprintf("must name events of this issue; of another: %d, %d", other.ID,
			foreign.ID)}},
		{[]int64{99, other.ID}, []string{"must name stored events, by their id; unknown: 99",
			fmt.Sprint("must name events of this issue; of another: ", other.ID)}},
	} {
		_, err := s.SplitIssue(t.Context(), storetest.MakeActor(1), mine.IssueID, wrong.events, grouping.FindStoredType)
		requireRefused(t, err, "event_ids", wrong.messages...)
	}
	_, err := s.SplitIssue(t.Context(), storetest.MakeActor(1), 12345, []int64{mine.ID}, grouping.FindStoredType)
	storetest.RequireCode(t, core.NotFound, err)
	require.Equal(t, before, storetest.ReadColumn[string](t, s, `SELECT to_jsonb(i)::text FROM issues i ORDER BY id`))
	require.Empty(t, storetest.ReadActivity(t, s, mine.IssueID))

	storetest.MergeIssues(t, s, other.IssueID, mine.IssueID)
	_, err = s.SplitIssue(t.Context(), storetest.MakeActor(1), mine.IssueID, []int64{mine.ID}, grouping.FindStoredType)
	storetest.RequireCode(t, core.NotFound, err)
	storetest.HideProject(t, s, storetest.Shop+1)
	_, err = s.SplitIssue(t.Context(), storetest.MakeActor(1), foreign.IssueID, []int64{foreign.ID}, grouping.FindStoredType)
	storetest.RequireCode(t, core.NotFound, err)
}

func TestSplitNamesTheIssueAfterAPackedEvent(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	var ids []int64
	var id int64
	for n := range 100 {
		e := storetest.MakeShopEvent("pay", n, c.At(0))
		s.Intake.PackEvent(t.Context(), &e, fmt.Appendf(nil, `{"title": "Title %d", "level": "fatal", "platform": "go"}`, n))
		added := storetest.AddEvents(t, s, e)
		ids, id = append([]int64{added.ID}, ids...), added.IssueID
	}
	made := splitIssue(t, s, id, ids...)
	require.EqualValues(t, "Title 0", made.Title, "the first that arrived, not the first that was named")
	require.EqualValues(t, 100, made.TimesSeen)
	require.Equal(t, core.Untrusted(""), made.Type)
}

// The type of the new issue belongs to the exception in its title; the first exception is the group around it.
func TestSplitTakesTheTypeOfTheTitle(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	for title, want := range map[string]string{"ValueError: bad row": "ValueError", "ExceptionGroup: all": "ExceptionGroup",
		"crash_here": "ExceptionGroup"} {
		var ids []int64
		var id int64
		for n := range 2 {
			e := storetest.MakeShopEvent(title, n, c.At(0))
			s.Intake.PackEvent(t.Context(), &e, fmt.Appendf(nil, `{"title": %q, "level": "fatal", "platform": "go",
				"exceptions": [{"type": "ExceptionGroup", "value": "all"}, {"type": "ValueError", "value": "bad row"}]}`, title))
			added := storetest.AddEvents(t, s, e)
			ids, id = append(ids, added.ID), added.IssueID
		}
		require.EqualValues(t, want, splitIssue(t, s, id, ids[0]).Type, title)
	}
}
