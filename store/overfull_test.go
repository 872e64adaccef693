package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"errand/core"
	"errand/store"
	"errand/store/storetest"
)

// TestHotIssueKeepsExactlyTheFirstAndTheNewest sends batches of any sizes and trims between them at any time.
func TestHotIssueKeepsExactlyTheFirstAndTheNewest(t *testing.T) {
	t.Parallel()
	const keep = store.MinKeep
	c := &clock{noon}
	options := store.Options{URL: storetest.URL(t), Clock: c.tell, Settings: keepFew}
	pair := [2]*store.Store{storetest.OpenWith(t, options), storetest.OpenWith(t, options)}
	project := int64(shop)
	rapid.Check(t, func(r *rapid.T) {
		project++
		makeProject(t, pair[0], project, "Shop")
		var sent [][16]byte
		for range rapid.IntRange(4, 9).Draw(r, "batches") {
			s := pair[rapid.IntRange(0, 1).Draw(r, "server")]
			var batch []store.NewEvent
			for range rapid.IntRange(1, 200).Draw(r, "size") {
				batch = append(batch, event(project, "hot", len(sent)+len(batch), c.at(0)))
			}
			added, err := s.AddEvents(r.Context(), slices.Clone(batch))
			require.NoError(r, err)
			require.NotZero(r, added[len(added)-1].ID, "the newest is there at once")
			for _, e := range batch {
				sent = append(sent, e.EventID)
			}
			c.forward(time.Second)
			if rapid.Bool().Draw(r, "trim") {
				require.NoError(r, s.TrimIssues(r.Context()))
			}
		}
		c.forward(time.Minute)
		for _, s := range pair {
			require.NoError(r, s.TrimIssues(r.Context()))
		}
		want := sent
		if len(sent) > keep {
			want = slices.Concat(sent[:100], sent[len(sent)-(keep-100):])
		}
		got := column[[16]byte](t, pair[0], `SELECT event_id FROM events WHERE project_id = $1 ORDER BY received_at, id`, project)
		require.Equal(r, want, got)
		issue := issue(t, pair[0], cell[int64](t, pair[0], `SELECT id FROM issues WHERE project_id = $1`, project))
		require.EqualValues(r, len(sent), issue.TimesSeen)
		require.EqualValues(r, len(want), issue.StoredEvents)
		newest := cell[int64](t, pair[0], `SELECT id FROM events WHERE project_id = $1 ORDER BY received_at DESC, id DESC LIMIT 1`, project)
		require.EqualValues(r, newest, issue.LatestEventID)
		event, err := pair[0].Event(r.Context(), newest)
		require.NoError(r, err)
		require.NotEmpty(r, event.Event.Message)
		again, err := pair[1].AddEvents(r.Context(), []store.NewEvent{resent(project, sent, 0, c), resent(project, sent, len(sent)/2, c), resent(project, sent, len(sent)-1, c)})
		require.NoError(r, err)
		for _, a := range again {
			require.True(r, a.Duplicate)
		}
	})
}

// resent is an event that was sent before, a moment later.
func resent(project int64, sent [][16]byte, n int, c *clock) store.NewEvent {
	e := event(project, "hot", n, c.at(0))
	e.EventID = sent[n]
	return e
}

func TestCountedEventsCountOnceWithinADay(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	s, c, id := openHotAt(t, url)
	batch := func() []store.NewEvent {
		var events []store.NewEvent
		for n := range 50 {
			events = append(events, event(shop, "hot", 1000+n, c.at(0)))
		}
		return events
	}
	count := func() []int64 {
		return []int64{issue(t, s, id).TimesSeen, cell[int64](t, s, `SELECT sum(events)::bigint FROM project_hours`)}
	}
	add(t, s, batch()...)
	counted := count()
	require.Equal(t, []int64{store.MinKeep + 50, store.MinKeep + 50}, counted)
	sendAgain := func(why string, servers ...*store.Store) {
		t.Helper()
		for _, server := range servers {
			added, err := server.AddEvents(t.Context(), batch())
			require.NoError(t, err)
			for _, a := range added {
				require.True(t, a.Duplicate, why)
				require.Equal(t, id, a.IssueID, why)
			}
			stored, err := server.FindStored(t.Context(), batch())
			require.NoError(t, err)
			require.NotContains(t, stored, false, why)
			require.Equal(t, counted, count(), why)
		}
	}
	other := storetest.OpenWith(t, store.Options{URL: url, Clock: c.tell, Settings: keepFew})
	sendAgain("while they wait", s, other)
	c.forward(time.Hour)
	var more []store.NewEvent
	for n := range 300 {
		more = append(more, event(shop, "hot", 5000+n, c.at(0)))
	}
	add(t, s, more...)
	counted[0], counted[1] = counted[0]+300, counted[1]+300
	require.NoError(t, s.TrimAllIssues(t.Context()))
	require.Zero(t, cell[int64](t, s, `SELECT count(*) FROM events WHERE event_id = $1`, batch()[7].EventID), "it is trimmed")
	sendAgain("after they were trimmed", s, other)
	require.NoError(t, s.ForgetCounted(t.Context()))
	sendAgain("within the day", other)

	c.forward(24 * time.Hour)
	require.NoError(t, s.ForgetCounted(t.Context()))
	require.Zero(t, cell[int64](t, s, `SELECT count(*) FROM event_ids WHERE not_stored`))
	require.EqualValues(t, store.MinKeep, cell[int64](t, s, `SELECT count(*) FROM event_ids`))
	require.False(t, add(t, s, batch()...).Duplicate)
}

// TestEventsWaitUntilTheirIssueIsQuiet has them wait for as long as more arrive, up to a bound.
func TestEventsWaitUntilTheirIssueIsQuiet(t *testing.T) {
	t.Parallel()
	s, c, id := openHot(t)
	n := 1000
	sendPair := func() {
		add(t, s, event(shop, "hot", n, c.at(0)), event(shop, "hot", n+1, c.at(0)))
		n += 2
		require.NoError(t, s.TrimIssues(t.Context()))
	}
	for range 15 {
		sendPair()
		require.Positive(t, s.WaitingBytes())
		c.forward(time.Second)
	}
	sendPair()
	require.Zero(t, s.WaitingBytes(), "the first has waited for as long as any may")
	sendPair()
	c.forward(2 * time.Second)
	require.NoError(t, s.TrimIssues(t.Context()))
	require.Zero(t, s.WaitingBytes())
	require.EqualValues(t, store.MinKeep, issue(t, s, id).StoredEvents)
}

// TestWaitingEventsFollowAMerge stores what was counted for the source with the target.
func TestWaitingEventsFollowAMerge(t *testing.T) {
	t.Parallel()
	s, c, source := openHot(t)
	target := makeIssue(t, s, "target")
	var events []store.NewEvent
	for n := range 30 {
		events = append(events, event(shop, "hot", 1000+n, c.at(0)))
	}
	add(t, s, events...)
	c.forward(time.Second)
	merge(t, s, target, source)
	require.NoError(t, s.TrimAllIssues(t.Context()))
	i := issue(t, s, target)
	require.EqualValues(t, store.MinKeep+30+1, i.TimesSeen)
	require.EqualValues(t, store.MinKeep, i.StoredEvents)
	require.Zero(t, issue(t, s, source).StoredEvents)
	require.EqualValues(t, 30, cell[int64](t, s, `SELECT count(*) FROM events e JOIN event_ids d USING (id, event_id, issue_id)
		WHERE e.issue_id = $1 AND d.not_stored IS NULL AND e.event_id = ANY ($2)`, target, idsOf(events)))
	added, err := s.AddEvents(t.Context(), events[:1])
	require.NoError(t, err)
	require.Equal(t, target, added[0].IssueID)
}

// TestWaitingEventsOfADeletedProject are not stored, and keep nobody else's from being.
func TestWaitingEventsOfADeletedProject(t *testing.T) {
	t.Parallel()
	s, c, _ := openHot(t)
	makeProject(t, s, shop+1, "Office")
	var events []store.NewEvent
	for n := range 250 {
		events = append(events, event(shop+1, "office", n, c.at(0)))
	}
	other := add(t, s, events[:200]...).IssueID
	add(t, s, append(events[200:], event(shop, "hot", 1000, c.at(0)), event(shop, "hot", 1001, c.at(0)))...)
	require.NoError(t, doDeleteProject(t.Context(), s, core.Bootstrap(), shop))
	require.NoError(t, s.TrimAllIssues(t.Context()))
	require.EqualValues(t, store.MinKeep, issue(t, s, other).StoredEvents)
	require.EqualValues(t, 1, cell[int64](t, s, `SELECT count(*) FROM event_ids WHERE not_stored AND project_id = $1`, shop))
}

// TestWaitingEventsOutliveAFailure are stored by the next attempt.
func TestWaitingEventsOutliveAFailure(t *testing.T) {
	t.Parallel()
	s, c, id := openHot(t)
	var events []store.NewEvent
	for n := range 40 {
		events = append(events, event(shop, "hot", 1000+n, c.at(0)))
	}
	add(t, s, events...)
	cut, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, s.TrimAllIssues(cut))
	require.NoError(t, s.TrimAllIssues(t.Context()))
	require.EqualValues(t, store.MinKeep, issue(t, s, id).StoredEvents)
	require.EqualValues(t, 40, cell[int64](t, s, `SELECT count(*) FROM events WHERE event_id = ANY ($1)`, idsOf(events)))
}

func idsOf(events []store.NewEvent) [][16]byte {
	ids := make([][16]byte, len(events))
	for i, e := range events {
		ids[i] = e.EventID
	}
	return ids
}

// TestEventsAreStoredAtOnceWhenTooManyWait holds the memory that events wait in to its bound.
func TestEventsAreStoredAtOnceWhenTooManyWait(t *testing.T) {
	t.Parallel()
	s, c, id := openHot(t)
	large := make([]byte, 1<<20)
	for n := range 20 {
		var events []store.NewEvent
		for k := range 4 {
			e := event(shop, "hot", 1000+4*n+k, c.at(0))
			e.Payload = store.Payload{Bytes: large}
			events = append(events, e)
		}
		add(t, s, events...)
	}
	require.LessOrEqual(t, s.WaitingBytes(), 32<<20)
	require.EqualValues(t, store.MinKeep+20+60-32, issue(t, s, id).StoredEvents, "of each batch the newest, and what there is no room for")
	require.NoError(t, s.TrimAllIssues(t.Context()))
	require.Zero(t, s.WaitingBytes())
	require.EqualValues(t, store.MinKeep, issue(t, s, id).StoredEvents)
}
