package intake_test

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

func TestAddEventsMakesAnIssueOfAFirstEvent(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	e := storetest.MakeShopEvent("pay", 1, c.At(-time.Minute))
	e.ReceivedAt = c.At(0)
	added := storetest.AddEvents(t, s, e)
	require.Positive(t, added.ID)
	require.Positive(t, added.IssueID)
	require.False(t, added.Duplicate)

	server := core.SourceServer
	require.Equal(t, core.IssueDetail{
		Issue: core.Issue{
			ID: added.IssueID, ProjectID: storetest.Shop, Project: "shop",
			Title: "Error: pay", Culprit: "shop in pay", Type: "Error", Level: "error", Platform: "go",
			Status: core.Unresolved, TimesSeen: 1, StoredEvents: 1, Events24h: 1, Events7d: 1, Priority: 3.997,
			FirstSeen: c.At(-time.Minute), LastSeen: c.At(-time.Minute), FirstRelease: "1.0", LastRelease: "1.0",
			Fingerprint: fmt.Sprintf("%x", e.Fingerprint), FingerprintVersion: 1,
			Trust: core.TrustHigh, SourceTrust: core.TrustHigh, Source: &server,
			Triage: core.Triage{
				Category: core.Bug, Severity: core.SeverityHigh, AgentFixable: true, Confidence: 0.35, Model: "rules-v1",
				Reasons: core.List[string]{"It is an exception of a kind that the rules do not know."},
			},
		},
		LatestEventID: core.OptInt(added.ID),
	}, storetest.ReadIssue(t, s, added.IssueID))
	require.Empty(t, storetest.ReadActivity(t, s, added.IssueID), "nobody changed a new issue")
}

func TestAddEventsWithoutEvents(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	added, err := s.Intake.AddEvents(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, added)
}

func TestAddEventsSumsUp(t *testing.T) {
	t.Parallel()
	for name, sizes := range map[string][]int{"one batch": {12}, "many batches": {1, 2, 3, 1, 5},
		"one by one": {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := storetest.OpenShop(t)
			var events []intake.NewEvent
			for n := range 12 { // one every 20 minutes, the last one now
				e := storetest.MakeShopEvent("pay", n, c.At(time.Duration(n-11)*20*time.Minute))
				e.ReceivedAt, e.User, e.Release = c.At(0), storetest.HashUser(n%3), fmt.Sprint("r", n)
				events = append(events, e)
			}
			var last intake.Added
			for _, size := range sizes {
				last = storetest.AddEvents(t, s, events[:size]...)
				events = events[size:]
			}
			i := storetest.ReadIssue(t, s, last.IssueID)
			require.EqualValues(t, 12, i.TimesSeen)
			require.EqualValues(t, 12, i.StoredEvents)
			require.EqualValues(t, 3, i.UsersAffected)
			require.EqualValues(t, last.ID, i.LatestEventID)
			require.Equal(t, c.At(-220*time.Minute), i.FirstSeen)
			require.Equal(t, c.At(0), i.LastSeen)
			require.EqualValues(t, "r0", i.FirstRelease)
			require.EqualValues(t, "r11", i.LastRelease)
			// 08:50; 09:10, 09:30, 09:50; 10:10, 10:30, 10:50; 11:10, 11:30, 11:50; 12:10, 12:30.
			require.Equal(t, []string{"08=1", "09=3", "10=3", "11=3", "12=2"}, storetest.ReadColumn[string](t, s,
				`SELECT to_char(hour AT TIME ZONE 'UTC', 'HH24') || '=' || events FROM issue_hours WHERE issue_id = $1 ORDER BY hour`, i.ID))
			require.Equal(t, []string{"12=12"}, storetest.ReadColumn[string](t, s,
				`SELECT to_char(hour AT TIME ZONE 'UTC', 'HH24') || '=' || events FROM project_hours WHERE project_id = $1`, storetest.Shop),
				"a project's hours are those of arrival")
		})
	}
}

// hoursOf returns a project's hours by arrival.
func hoursOf(t *testing.T, s *store.Store, project int64) []string {
	return storetest.ReadColumn[string](t, s, `SELECT to_char(hour AT TIME ZONE 'UTC', 'DD HH24:MI') || '=' || events
		FROM project_hours WHERE project_id = $1 ORDER BY hour`, project)
}

func TestAddEventsAcrossHoursAndDays(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	last := c.At(11*time.Hour + 30*time.Minute - time.Millisecond) // 23:59:59.999
	midnight := core.At(last.Add(time.Millisecond))
	added := storetest.AddEvents(t, s, storetest.MakeShopEvent("pay", 1, last), storetest.MakeShopEvent("pay", 2, midnight),
		storetest.MakeShopEvent("pay", 3, midnight))
	require.Equal(t, []string{"14 23:00=1", "15 00:00=2"}, hoursOf(t, s, storetest.Shop))
	require.Equal(t, []string{"14 23:00=1", "15 00:00=2"}, storetest.ReadColumn[string](t, s,
		`SELECT to_char(hour AT TIME ZONE 'UTC', 'DD HH24:MI') || '=' || events FROM issue_hours WHERE issue_id = $1 ORDER BY hour`,
		added.IssueID))
	require.Equal(t, []string{"events_20260314=1", "events_20260315=2"}, storetest.ReadColumn[string](t, s,
		`SELECT tableoid::regclass || '=' || count(*) FROM events GROUP BY tableoid ORDER BY 1`))
}

func TestAddEventsKeepsFirstAndLast(t *testing.T) {
	t.Parallel()
	at := func(c *storetest.Clock, minutes int, release string, n int) intake.NewEvent {
		e := storetest.MakeShopEvent("pay", n, c.At(time.Duration(minutes)*time.Minute))
		e.ReceivedAt, e.Release = c.At(0), release
		return e
	}
	for name, test := range map[string]struct {
		minutes             []int // of the events a, b, c, ...; each is a batch of its own, or all are one
		first, last         string
		firstTime, lastTime int
	}{
		"in order":         {[]int{-30, -20, -10}, "a", "c", -30, -10},
		"late":             {[]int{-10, -30, -20}, "b", "a", -30, -10},
		"late between":     {[]int{-30, -10, -20}, "a", "b", -30, -10},
		"at the same time": {[]int{-10, -10, -10}, "a", "c", -10, -10},
		"one":              {[]int{-10}, "a", "a", -10, -10},
	} {
		for _, batches := range []string{"one batch", "a batch each"} {
			t.Run(name+" in "+batches, func(t *testing.T) {
				t.Parallel()
				s, c := storetest.OpenShop(t)
				var events []intake.NewEvent
				for n, m := range test.minutes {
					events = append(events, at(c, m, string(rune('a'+n)), n))
				}
				var added intake.Added
				if batches == "one batch" {
					added = storetest.AddEvents(t, s, events...)
				} else {
					for _, e := range events {
						added = storetest.AddEvents(t, s, e)
					}
				}
				i := storetest.ReadIssue(t, s, added.IssueID)
				require.EqualValues(t, test.first, i.FirstRelease)
				require.EqualValues(t, test.last, i.LastRelease)
				require.Equal(t, c.At(time.Duration(test.firstTime)*time.Minute), i.FirstSeen)
				require.Equal(t, c.At(time.Duration(test.lastTime)*time.Minute), i.LastSeen)
				require.EqualValues(t, added.ID, i.LatestEventID, "the most recent event is the last to arrive, even if it is late")
			})
		}
	}
}

func TestAddEventsGroupsByProjectVersionAndFingerprint(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	const office = storetest.Shop + 1
	storetest.MakeProject(t, s, office, "Office")
	version2 := storetest.MakeShopEvent("pay", 4, c.At(0))
	version2.Version = 2
	elsewhere := storetest.MakeEvent(office, "pay", 1, c.At(0)) // the same event id and fingerprint as the first of the shop
	events := []intake.NewEvent{
		storetest.MakeShopEvent("pay", 1, c.At(0)), storetest.MakeShopEvent("log in", 2, c.At(0)), storetest.MakeShopEvent("pay", 3, c.At(0)),
		version2, elsewhere,
	}
	added, err := s.Intake.AddEvents(t.Context(), events)
	require.NoError(t, err)
	ids := map[int64][]int{}
	for i, a := range added {
		require.False(t, a.Duplicate)
		ids[a.IssueID] = append(ids[a.IssueID], i)
	}
	require.Len(t, ids, 4)
	require.Equal(t, []int{0, 2}, ids[added[0].IssueID])
	require.EqualValues(t, office, storetest.ReadIssue(t, s, added[4].IssueID).ProjectID)
	require.EqualValues(t, 2, storetest.ReadIssue(t, s, added[3].IssueID).FingerprintVersion)
	require.Equal(t, []string{"14 12:00=4"}, hoursOf(t, s, storetest.Shop))
	require.Equal(t, []string{"14 12:00=1"}, hoursOf(t, s, office))
}

func TestAddEventsOfManyProjectsInOneBatch(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	for round := range 3 { // the first makes the issues, the others only count
		var events []intake.NewEvent
		for n := range 60 {
			project := int64(storetest.Shop + n%20)
			events = append(events, storetest.MakeEvent(project, "pay", 100*round+n, c.At(0)))
		}
		storetest.AddEvents(t, s, events...)
	}
	require.EqualValues(t, 20, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM issues WHERE times_seen = 9 AND stored_events = 9`))
	require.EqualValues(t, 20, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM project_hours WHERE events = 9`))
	require.EqualValues(t, 180, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM events e
		JOIN issues i ON i.project_id = e.project_id AND i.id = e.issue_id`))
	require.EqualValues(t, 180, storetest.ReadCell[int64](t, s, `SELECT count(*) FROM event_ids d JOIN events e ON e.project_id = d.project_id
		AND e.id = d.id AND e.event_id = d.event_id AND e.issue_id = d.issue_id AND e.received_at = d.received_at`))
}

func TestAddEventsRemembersWhenAProjectWasSeen(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	send := func(n int, by time.Duration, source core.Source) {
		e := storetest.MakeShopEvent("pay", n, c.At(by))
		e.OccurredAt, e.Source = c.At(-time.Hour), source // the SDK's clock does not matter here
		storetest.AddEvents(t, s, e)
	}
	seen := func() [3]core.Time {
		p, err := s.ReadProject(t.Context(), storetest.Shop)
		require.NoError(t, err)
		return [3]core.Time{p.LastEventAt, p.ServerSeenAt, p.ClientSeenAt}
	}
	never := core.Time{}
	require.Equal(t, [3]core.Time{}, seen())
	send(1, 0, core.SourceServer)
	require.Equal(t, [3]core.Time{c.At(0), c.At(0), never}, seen())
	send(2, time.Minute, core.SourceBrowser)
	require.Equal(t, [3]core.Time{c.At(time.Minute), c.At(0), c.At(time.Minute)}, seen())
	send(3, 2*time.Minute, core.SourceMobile)
	require.Equal(t, [3]core.Time{c.At(2 * time.Minute), c.At(0), c.At(time.Minute)}, seen(), "client_seen_at is written at most once an hour")
	send(4, 61*time.Minute, core.SourceUnknown)
	require.Equal(t, [3]core.Time{c.At(61 * time.Minute), c.At(0), c.At(61 * time.Minute)}, seen())
	send(5, 30*time.Minute, core.SourceServer)
	require.Equal(t, [3]core.Time{c.At(61 * time.Minute), c.At(30 * time.Minute), c.At(61 * time.Minute)}, seen(), "nothing goes back in time")
}

func TestAddEventsStoresPlaces(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	var events []intake.NewEvent
	for n, place := range [][2]string{{"production", "1.0"}, {"staging", "1.1"}, {"production", "1.1"}, {"", ""}} {
		e := storetest.MakeShopEvent("pay", n, c.At(0))
		e.Environment, e.Release = place[0], place[1]
		events = append(events, e)
	}
	added := storetest.AddEvents(t, s, events[:2]...)
	storetest.AddEvents(t, s, events[2:]...)
	require.Equal(t, []string{"production", "staging"}, storetest.ReadColumn[string](t, s, `SELECT environment FROM issue_environments
		WHERE issue_id = $1 ORDER BY 1`, added.IssueID))
	require.Equal(t, []string{"1.0", "1.1"}, storetest.ReadColumn[string](t, s, `SELECT release FROM issue_releases WHERE issue_id = $1
		ORDER BY 1`, added.IssueID))
}

func TestAddEventsCountsUsersUpToAThousand(t *testing.T) {
	t.Parallel()
	pair, c := storetest.OpenPair(t)
	n := 0
	send := func(s *store.Store, from, to int) core.IssueDetail {
		var events []intake.NewEvent
		for u := from; u < to; u++ {
			e := storetest.MakeShopEvent("pay", n, c.At(0))
			e.User = storetest.HashUser(u)
			events = append(events, e)
			n++
		}
		return storetest.ReadIssue(t, s, storetest.AddEvents(t, s, events...).IssueID)
	}
	require.EqualValues(t, 600, send(pair[0], 0, 600).UsersAffected)
	require.EqualValues(t, 600, send(pair[1], 300, 600).UsersAffected, "the other server's users are the same people")
	require.EqualValues(t, 990, send(pair[1], 500, 990).UsersAffected)
	require.EqualValues(t, 1000, send(pair[0], 980, 1200).UsersAffected)
	require.EqualValues(t, 1000, send(pair[0], 1200, 1300).UsersAffected) // now the store knows that it is full
	kept := storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM issue_users`)
	require.EqualValues(t, 1000, send(pair[0], 1300, 1400).UsersAffected)
	require.Equal(t, kept, storetest.ReadCell[int64](t, pair[0], `SELECT count(*) FROM issue_users`), "only counted users are kept")
	last := send(pair[0], 0, 1)
	require.EqualValues(t, 1000, last.UsersAffected)
	require.EqualValues(t, n, last.TimesSeen)
}

func TestAddEventsCountsMoreThanAThousandUsersOfOneBatchAsAThousand(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	var events []intake.NewEvent
	for n := range 1100 {
		e := storetest.MakeShopEvent("pay", n, c.At(0))
		e.User = storetest.HashUser(n)
		events = append(events, e)
	}
	require.EqualValues(t, 1000, storetest.ReadIssue(t, s, storetest.AddEvents(t, s, events...).IssueID).UsersAffected)
}

func TestAddEventsWithoutUserCountsNobody(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	anonymous, known, other := storetest.MakeShopEvent("pay", 1, c.At(0)), storetest.MakeShopEvent("pay", 2, c.At(0)),
		storetest.MakeShopEvent("log in", 3, c.At(0))
	known.User, other.User = storetest.HashUser(1), storetest.HashUser(1)
	added, err := s.Intake.AddEvents(t.Context(), []intake.NewEvent{anonymous, known, other})
	require.NoError(t, err)
	require.EqualValues(t, 1, storetest.ReadIssue(t, s, added[0].IssueID).UsersAffected)
	require.EqualValues(t, 1, storetest.ReadIssue(t, s, added[2].IssueID).UsersAffected, "a user is counted on each issue")
}

func TestAddEventsMakesTheTestIssueOfASetup(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	e := storetest.MakeShopEvent("pay", 1, c.At(0))
	e.Test = true
	require.True(t, storetest.ReadIssue(t, s, storetest.AddEvents(t, s, e).IssueID).Test)
}

// TestIssueKnowsItsFirstAndLastRelease adds events in any order, alone and together. An event without a release changes
// neither release, and level comes from the latest event.
func TestIssueKnowsItsFirstAndLastRelease(t *testing.T) {
	t.Parallel()
	type sent struct {
		minute         int
		release, level string
	}
	for name, test := range map[string]struct {
		events             []sent
		first, last, level string
	}{
		"without one":              {[]sent{{1, "", "error"}, {2, "", "info"}}, "", "", "info"},
		"the last is without":      {[]sent{{1, "1", "error"}, {2, "", "fatal"}}, "1", "1", "fatal"},
		"the first is without":     {[]sent{{1, "", "error"}, {2, "1", "error"}, {3, "2", "error"}}, "1", "2", "error"},
		"an earlier one, late":     {[]sent{{1, "", "error"}, {9, "2", "warning"}, {5, "1", "error"}, {0, "", "fatal"}}, "1", "2", "warning"},
		"between known ones":       {[]sent{{1, "1", "error"}, {9, "3", "warning"}, {5, "2", "fatal"}}, "1", "3", "warning"},
		"at the same time":         {[]sent{{1, "1", "error"}, {1, "2", "warning"}}, "1", "2", "warning"},
		"known only in the middle": {[]sent{{5, "1", "error"}, {1, "", "info"}, {9, "", "debug"}}, "1", "1", "debug"},
	} {
		for _, together := range []bool{true, false} {
			s, c := storetest.OpenShop(t)
			var events []intake.NewEvent
			for n, sent := range test.events {
				e := storetest.MakeShopEvent("pay", n, c.At(0))
				e.OccurredAt, e.Release, e.Level = c.At(time.Duration(sent.minute-60)*time.Minute), sent.release, sent.level
				events = append(events, e)
				if !together {
					storetest.AddEvents(t, s, e)
				}
			}
			if together {
				storetest.AddEvents(t, s, events...)
			}
			i := storetest.ReadIssue(t, s, storetest.ReadCell[int64](t, s, `SELECT id FROM issues`))
			require.Equal(t, []string{test.first, test.last, test.level}, []string{string(i.FirstRelease), string(i.LastRelease), i.Level},
				"%s, together %t", name, together)
		}
	}
}
