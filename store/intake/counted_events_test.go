package intake_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
)

// TestServersCountTheSameEventOnce sends the same events to two servers at the same moment. Some are stored by one and only counted by
// the other, and some look different the second time, so that they are of another issue.
func TestServersCountTheSameEventOnce(t *testing.T) {
	t.Parallel()
	const rounds, size, groups = 25, 20, 3
	pair, c := storetest.OpenPair(t)
	var seen int64
	for _, s := range pair { // both remember the issues
		for g := range groups {
			storetest.AddEvents(t, s, storetest.MakeShopEvent(fmt.Sprint("group ", g), int(seen), c.At(0)))
			seen++
		}
	}
	for round := range rounds {
		storetest.RequireNoErrors(t, storetest.RunTogether(2, func(i int) error {
			random := rand.New(rand.NewPCG(uint64(round), uint64(i)))
			var batch []intake.NewEvent
			for _, n := range random.Perm(size) {
				e := storetest.MakeShopEvent("same", 1000+round*size+n, c.At(0)) // this group makes the event id
				e.Fingerprint = storetest.MakeShopEvent(fmt.Sprint("group ", random.IntN(groups)), 0, c.At(0)).Fingerprint
				e.CountOnly = random.IntN(3) > 0
				batch = append(batch, e)
			}
			_, err := pair[i].Intake.AddEvents(t.Context(), batch)
			return err
		}))
		seen += size
		require.Equal(t, seen, storetest.ReadCell[int64](t, pair[0], `SELECT sum(times_seen)::bigint FROM issues`), "round %d", round)
		c.Forward(time.Second)
	}
	require.Equal(t, seen, storetest.ReadCell[int64](t, pair[0], `SELECT sum(events)::bigint FROM project_hours`))
	require.Positive(t, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM counted_events`))
}

// TestServerThatExpectsNoCountedEvents checks that an event which another server has counted alone is a duplicate for a server that knows
// of no such events, and that the server looks for them from then on.
func TestServerThatExpectsNoCountedEvents(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	var id int64
	for n, s := range pair {
		id = storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", n, c.At(0))).IssueID
	}
	counted := storetest.MakeShopEvent("pay", 10, c.At(0))
	counted.CountOnly = true
	require.Zero(t, storetest.AddEvents(t, pair[0], counted).ID)
	resend := func(s *store.Store, why string) {
		t.Helper()
		added := storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 10, c.At(0)))
		require.True(t, added.Duplicate, why)
		require.Equal(t, id, added.IssueID, why)
		require.EqualValues(t, 3, storetest.ReadIssue(t, pair[0], id).TimesSeen, why)
	}
	resend(pair[1], "it learns of it")
	resend(pair[1], "it looks")
	pair[1].Intake.Forget()
	resend(pair[1], "it learns of it again")
	pair[1].Intake.Forget()
	require.NoError(t, pair[1].Intake.RecallCounted(t.Context()))
	resend(pair[1], "it has recalled it")
	resend(pair[0], "by the server that counted it")
}

// TestCountedEventsGoByTheDay checks that days of counted events are dropped whole, once all of their events are a day old.
func TestCountedEventsGoByTheDay(t *testing.T) {
	t.Parallel()
	s, c, id := storetest.OpenHot(t) // at noon
	days := func() int64 {
		return storetest.ReadCell[int64](t, s, `SELECT count(*) FROM pg_inherits WHERE inhparent = 'counted_events'::regclass`)
	}
	made := days()
	storetest.AddEvents(t, s, storetest.MakeShopEvent("hot", 1000, c.At(0)), storetest.MakeShopEvent("hot", 1001, c.At(0)))
	c.Forward(36 * time.Hour)
	require.NoError(t, s.Intake.ForgetCounted(t.Context()))
	require.Equal(t, made-1, days())
	require.Zero(t, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM counted_events`))
	seen := storetest.ReadIssue(t, s, id).TimesSeen
	require.False(t, storetest.AddEvents(t, s, storetest.MakeShopEvent("hot", 1000, c.At(0))).Duplicate)
	require.Equal(t, seen+1, storetest.ReadIssue(t, s, id).TimesSeen)
}

// TestFloodStoresItsNewestNowAndThen sends many batches in a second: a few of them store their newest event immediately, and the last event
// is stored once the issue is quiet.
func TestFloodStoresItsNewestNowAndThen(t *testing.T) {
	t.Parallel()
	s, c, id := storetest.OpenHot(t)
	storetest.AddEvents(t, s, storetest.MakeShopEvent("hot", 1000, c.At(0))) // more than the issue keeps
	var stored int
	for n := range 20 {
		c.Forward(50 * time.Millisecond)
		if storetest.AddEvents(t, s, storetest.MakeShopEvent("hot", 2000+n, c.At(0))).ID != 0 {
			stored++
		}
	}
	require.InDelta(t, 4, stored, 1, "of a second")
	c.Forward(3 * time.Second)
	require.NoError(t, s.Intake.TrimIssues(t.Context()))
	issue := storetest.ReadIssue(t, s, id)
	require.EqualValues(t, intake.MinKeep, issue.StoredEvents)
	require.EqualValues(t, intake.MinKeep+21, issue.TimesSeen)
	last := storetest.MakeShopEvent("hot", 2019, c.At(0)).EventID
	require.EqualValues(t, issue.LatestEventID, storetest.ReadCell[int64](t, s, `SELECT id FROM events WHERE event_id = $1`, last))
}

// TestRaisedStatesDiffer checks that no error of a batch is taken for another one.
func TestRaisedStatesDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, state := range intake.RaisedStates {
		require.False(t, seen[state], state)
		seen[state] = true
	}
}

// TestEventThatWaitedWhenADayEnds adds an event that arrived less than a day after another one was counted, and is written later.
func TestEventThatWaitedWhenADayEnds(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	id := storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 0, c.At(0))).IssueID
	counted := storetest.MakeShopEvent("pay", 1, c.At(0))
	counted.CountOnly = true
	storetest.AddEvents(t, s, counted)
	c.Forward(24*time.Hour - time.Millisecond)
	waited := storetest.MakeShopEvent("pay", 2, c.At(0))
	c.Forward(2 * time.Millisecond)
	require.False(t, storetest.AddEvents(t, s, waited).Duplicate)
	require.EqualValues(t, 3, storetest.ReadIssue(t, s, id).TimesSeen)
}
