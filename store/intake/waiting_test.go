package intake_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// TestHotIssueKeepsExactlyTheFirstAndTheNewest sends batches of all sizes and trims between them at random times.
func TestHotIssueKeepsExactlyTheFirstAndTheNewest(t *testing.T) {
	t.Parallel()
	const keep = intake.MinKeep
	c := storetest.NewClock()
	options := store.Options{URL: storetest.NewURL(t), Clock: c.Tell, Settings: storetest.KeepFew}
	pair := [2]*store.Store{storetest.OpenWith(t, options), storetest.OpenWith(t, options)}
	project := int64(storetest.Shop)
	rapid.Check(t, func(r *rapid.T) {
		project++
		storetest.MakeProject(t, pair[0], project, "Shop")
		var sent [][16]byte
		for range rapid.IntRange(4, 9).Draw(r, "batches") {
			s := pair[rapid.IntRange(0, 1).Draw(r, "server")]
			var batch []intake.NewEvent
			for range rapid.IntRange(1, 200).Draw(r, "size") {
				batch = append(batch, storetest.MakeEvent(project, "hot", len(sent)+len(batch), c.At(0)))
			}
			added, err := s.Intake.AddEvents(r.Context(), slices.Clone(batch))
			require.NoError(r, err)
			require.NotZero(r, added[len(added)-1].ID, "the newest is stored immediately")
			for _, e := range batch {
				sent = append(sent, e.EventID)
			}
			c.Forward(time.Second)
			if rapid.Bool().Draw(r, "trim") {
				require.NoError(r, s.Intake.TrimIssues(r.Context()))
			}
		}
		c.Forward(time.Minute)
		for _, s := range pair {
			require.NoError(r, s.Intake.TrimIssues(r.Context()))
		}
		want := sent
		if len(sent) > keep {
			want = slices.Concat(sent[:100], sent[len(sent)-(keep-100):])
		}
		got := storetest.ReadColumn[[16]byte](t, pair[0], `SELECT event_id FROM events WHERE project_id = $1 ORDER BY received_at, id`, project)
		require.Equal(r, want, got)
		issue := storetest.ReadIssue(t, pair[0], storetest.ReadCell[int64](t, pair[0], `SELECT id FROM issues WHERE project_id = $1`, project))
		require.EqualValues(r, len(sent), issue.TimesSeen)
		require.EqualValues(r, len(want), issue.StoredEvents)
		newest := storetest.ReadCell[int64](t, pair[0],
			`SELECT id FROM events WHERE project_id = $1 ORDER BY received_at DESC, id DESC LIMIT 1`, project)
		require.EqualValues(r, newest, issue.LatestEventID)
		event, err := pair[0].ReadEvent(r.Context(), newest)
		require.NoError(r, err)
		require.NotEmpty(r, event.Event.Message)
		again, err := pair[1].Intake.AddEvents(r.Context(), []intake.NewEvent{makeResentEvent(project, sent, 0, c),
			makeResentEvent(project, sent, len(sent)/2, c), makeResentEvent(project, sent, len(sent)-1, c)})
		require.NoError(r, err)
		for _, a := range again {
			require.True(r, a.Duplicate)
		}
	})
}

// makeResentEvent returns an event that was sent before, a moment later.
func makeResentEvent(project int64, sent [][16]byte, n int, c *storetest.Clock) intake.NewEvent {
	e := storetest.MakeEvent(project, "hot", n, c.At(0))
	e.EventID = sent[n]
	return e
}

func TestCountedEventsCountOnceWithinADay(t *testing.T) {
	t.Parallel()
	url := storetest.NewURL(t)
	s, c, id := storetest.OpenHotAt(t, url)
	batch := func() []intake.NewEvent {
		var events []intake.NewEvent
		for n := range 50 {
			events = append(events, storetest.MakeShopEvent("hot", 1000+n, c.At(0)))
		}
		return events
	}
	count := func() []int64 {
		return []int64{storetest.ReadIssue(t, s, id).TimesSeen, storetest.ReadCell[int64](t, s, `SELECT sum(events)::bigint FROM project_hours`)}
	}
	storetest.AddEvents(t, s, batch()...)
	counted := count()
	require.Equal(t, []int64{intake.MinKeep + 50, intake.MinKeep + 50}, counted)
	sendAgain := func(why string, servers ...*store.Store) {
		t.Helper()
		for _, server := range servers {
			added, err := server.Intake.AddEvents(t.Context(), batch())
			require.NoError(t, err)
			for _, a := range added {
				require.True(t, a.Duplicate, why)
				require.Equal(t, id, a.IssueID, why)
			}
			stored, err := server.Intake.FindStored(t.Context(), batch())
			require.NoError(t, err)
			require.NotContains(t, stored, false, why)
			require.Equal(t, counted, count(), why)
		}
	}
	other := storetest.OpenWith(t, store.Options{URL: url, Clock: c.Tell, Settings: storetest.KeepFew})
	sendAgain("while they wait", s, other)
	c.Forward(time.Hour)
	var more []intake.NewEvent
	for n := range 300 {
		more = append(more, storetest.MakeShopEvent("hot", 5000+n, c.At(0)))
	}
	storetest.AddEvents(t, s, more...)
	counted[0], counted[1] = counted[0]+300, counted[1]+300
	require.NoError(t, s.Intake.TrimAllIssues(t.Context()))
	require.Zero(t, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM events WHERE event_id = $1`, batch()[7].EventID), "it is trimmed")
	sendAgain("after they were trimmed", s, other)
	require.NoError(t, s.Intake.ForgetCounted(t.Context()))
	sendAgain("within the day", other)

	c.Forward(24 * time.Hour)
	require.NoError(t, s.Intake.ForgetCounted(t.Context()))
	require.Zero(t, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM event_ids WHERE not_stored`))
	require.EqualValues(t, intake.MinKeep, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM event_ids`))
	require.False(t, storetest.AddEvents(t, s, batch()...).Duplicate)
}

// TestEventsWaitUntilTheirIssueIsQuiet checks that events wait while more arrive, up to a bound.
func TestEventsWaitUntilTheirIssueIsQuiet(t *testing.T) {
	t.Parallel()
	s, c, id := storetest.OpenHot(t)
	n := 1000
	sendPair := func() {
		storetest.AddEvents(t, s, storetest.MakeShopEvent("hot", n, c.At(0)), storetest.MakeShopEvent("hot", n+1, c.At(0)))
		n += 2
		require.NoError(t, s.Intake.TrimIssues(t.Context()))
	}
	for range 15 {
		sendPair()
		require.Positive(t, s.Intake.WaitingBytes())
		c.Forward(time.Second)
	}
	sendPair()
	require.Zero(t, s.Intake.WaitingBytes(), "the first has waited for the longest time allowed")
	sendPair()
	c.Forward(2 * time.Second)
	require.NoError(t, s.Intake.TrimIssues(t.Context()))
	require.Zero(t, s.Intake.WaitingBytes())
	require.EqualValues(t, intake.MinKeep, storetest.ReadIssue(t, s, id).StoredEvents)
}

// TestWaitingEventsFollowAMerge checks that waiting events of the source are stored with the target.
func TestWaitingEventsFollowAMerge(t *testing.T) {
	t.Parallel()
	s, c, source := storetest.OpenHot(t)
	target := storetest.MakeIssue(t, s, "target")
	var events []intake.NewEvent
	for n := range 30 {
		events = append(events, storetest.MakeShopEvent("hot", 1000+n, c.At(0)))
	}
	storetest.AddEvents(t, s, events...)
	c.Forward(time.Second)
	storetest.MergeIssues(t, s, target, source)
	require.NoError(t, s.Intake.TrimAllIssues(t.Context()))
	i := storetest.ReadIssue(t, s, target)
	require.EqualValues(t, intake.MinKeep+30+1, i.TimesSeen)
	require.EqualValues(t, intake.MinKeep, i.StoredEvents)
	require.Zero(t, storetest.ReadIssue(t, s, source).StoredEvents)
	require.EqualValues(t, 30, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM events e JOIN event_ids d USING (id, event_id, issue_id)
		WHERE e.issue_id = $1 AND d.not_stored IS NULL AND e.event_id = ANY ($2)`, target, idsOf(events)))
	added, err := s.Intake.AddEvents(t.Context(), events[:1])
	require.NoError(t, err)
	require.Equal(t, target, added[0].IssueID)
}

// TestWaitingEventsOfADeletedProject checks that they are not stored and do not hold up other events.
func TestWaitingEventsOfADeletedProject(t *testing.T) {
	t.Parallel()
	s, c, _ := storetest.OpenHot(t)
	storetest.MakeProject(t, s, storetest.Shop+1, "Office")
	var events []intake.NewEvent
	for n := range 250 {
		events = append(events, storetest.MakeEvent(storetest.Shop+1, "office", n, c.At(0)))
	}
	other := storetest.AddEvents(t, s, events[:200]...).IssueID
	storetest.AddEvents(t, s, append(events[200:], storetest.MakeShopEvent("hot", 1000, c.At(0)),
		storetest.MakeShopEvent("hot", 1001, c.At(0)))...)
	require.NoError(t, storetest.DeleteProject(t.Context(), s, core.NewBootstrapActor(), storetest.Shop))
	require.NoError(t, s.Intake.TrimAllIssues(t.Context()))
	require.EqualValues(t, intake.MinKeep, storetest.ReadIssue(t, s, other).StoredEvents)
	require.EqualValues(t, 1, storetest.ReadCell[int64](t, s, `SELECT sum(cardinality(keys)) FROM counted_events WHERE project_id = $1`,
		storetest.Shop))
}

// TestWaitingEventsOutliveAFailure checks that the next attempt stores them.
func TestWaitingEventsOutliveAFailure(t *testing.T) {
	t.Parallel()
	s, c, id := storetest.OpenHot(t)
	var events []intake.NewEvent
	for n := range 40 {
		events = append(events, storetest.MakeShopEvent("hot", 1000+n, c.At(0)))
	}
	storetest.AddEvents(t, s, events...)
	cut, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, s.Intake.TrimAllIssues(cut))
	require.NoError(t, s.Intake.TrimAllIssues(t.Context()))
	require.EqualValues(t, intake.MinKeep, storetest.ReadIssue(t, s, id).StoredEvents)
	require.EqualValues(t, 40, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM events WHERE event_id = ANY ($1)`, idsOf(events)))
}

func idsOf(events []intake.NewEvent) [][16]byte {
	ids := make([][16]byte, len(events))
	for i, e := range events {
		ids[i] = e.EventID
	}
	return ids
}

// TestEventsAreStoredAtOnceWhenTooManyWait checks the bound on the memory of waiting events.
func TestEventsAreStoredAtOnceWhenTooManyWait(t *testing.T) {
	t.Parallel()
	s, c, id := storetest.OpenHot(t)
	large := make([]byte, 1<<20)
	for n := range 20 {
		var events []intake.NewEvent
		for k := range 4 {
			e := storetest.MakeShopEvent("hot", 1000+4*n+k, c.At(0))
			e.Payload = intake.Payload{Bytes: large}
			events = append(events, e)
		}
		storetest.AddEvents(t, s, events...)
	}
	require.LessOrEqual(t, s.Intake.WaitingBytes(), 32<<20)
	require.EqualValues(t, intake.MinKeep+20+60-32, storetest.ReadIssue(t, s, id).StoredEvents,
		"of each batch the newest, and what there is no room for")
	require.NoError(t, s.Intake.TrimAllIssues(t.Context()))
	require.Zero(t, s.Intake.WaitingBytes())
	require.EqualValues(t, intake.MinKeep, storetest.ReadIssue(t, s, id).StoredEvents)
}
