package ingest_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// noonToday is noon of the current day: the database is ready for it and the days after it.
func noonToday() time.Time { return time.Now().UTC().Truncate(24 * time.Hour).Add(12 * time.Hour) }

// setQuota sets the daily quota of the shop; 0 is none. Servers that remember the project may
// notice later.
func (s *server) setQuota(quota int64) {
	s.t.Helper()
	s.execSQL(`UPDATE projects SET daily_quota = nullif($2, 0) WHERE id = $1`, shop, quota)
}

// startWithQuota returns a server at noon.
func startWithQuota(t *testing.T, quota int64) (*server, *movingClock) {
	clock := clockAt(noonToday())
	s := startServerWith(t, config{clock: clock.currentTime})
	s.setQuota(quota)
	return s, clock
}

func requireQuota(t *testing.T, a answer) {
	t.Helper()
	require.Equal(t, http.StatusTooManyRequests, a.status, a.text)
	require.Equal(t, "quota", a.body["error"])
}

func requireTaken(t *testing.T, a answer) {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status, a.text)
}

func TestQuotaIsExact(t *testing.T) {
	t.Parallel()
	s, _ := startWithQuota(t, 10)
	var taken, refused atomic.Int64

	runTogether(25, func(n int) {
		switch a := s.postEvents(eventItem(n)); a.status {
		case http.StatusOK:
			taken.Add(1)
		case http.StatusTooManyRequests:
			refused.Add(1)
		}
	})

	require.EqualValues(t, 10, taken.Load())
	require.EqualValues(t, 15, refused.Load())
	require.EqualValues(t, 10, s.eventsCounted())
}

func TestAnswerOverQuota(t *testing.T) {
	t.Parallel()
	s, clock := startWithQuota(t, 1)
	requireTaken(t, s.postEvents(eventItem(1)))
	const sentence = "The project has used up its daily quota."
	for name, a := range map[string]answer{
		"envelope": s.postEvents(eventItem(2)), "store": s.postBody(events, []byte(eventText(2)), byKey),
		"an envelope with other items": s.postEvents(itemOf("session", "{}"), eventItem(2)),
	} {
		requireQuota(t, a)
		require.Equal(t, object{"error": "quota", "daily_quota": 1.0, "detail": sentence}, a.body, name)
		require.Equal(t, sentence, a.header.Get("X-Sentry-Error"), name)
		require.Equal(t, "60", a.header.Get("Retry-After"), name)
		require.Equal(t, "60:default;error;security:project:daily_quota", a.header.Get("X-Sentry-Rate-Limits"), name)
	}
	a := s.postBody(native, []byte(eventText(2)), nativeByKey)
	require.Equal(t, object{"error": "quota", "daily_quota": 1.0}, a.body)
	require.Equal(t, "60", a.header.Get("Retry-After"))

	for left, seconds := range map[time.Duration]string{
		61 * time.Second: "60", 60 * time.Second: "60", 59 * time.Second: "59",
		1500 * time.Millisecond: "2", time.Second: "1", time.Millisecond: "1",
	} {
		t.Run(left.String(), func(t *testing.T) {
			clock.nanos.Store(noonToday().Add(12*time.Hour - left).UnixNano())
			a := s.postEvents(eventItem(2))

			requireQuota(t, a)
			require.Equal(t, seconds, a.header.Get("Retry-After"), left)
			require.Equal(t, seconds+":default;error;security:project:daily_quota", a.header.Get("X-Sentry-Rate-Limits"))
		})
	}
	require.EqualValues(t, 1, s.eventsCounted())
}

func TestOnlyEventsCount(t *testing.T) {
	t.Parallel()
	s, _ := startWithQuota(t, 2)
	for range 5 {
		requireTaken(t, s.postEvents(itemOf("transaction", "{}"), itemOf("session", "{}"), itemOf("attachment", "x")))
	}
	requireTaken(t, s.postEvents(eventItem(1)))

	for range 5 {
		requireTaken(t, s.postEvents(eventItem(1))) // a duplicate
		require.Equal(t, http.StatusBadRequest, s.postEvents(itemOf("event", "[]")).status)
		requireUnauthorized(t, s.postBody(native, []byte(eventText(3))), "no key")
	}
	requireTaken(t, s.postEvents(eventItem(2)))
	requireQuota(t, s.postEvents(eventItem(3)))
	requireQuota(t, s.postEvents(eventItem(1)))

	a := s.postEvents(itemOf("client_report", "{}"))
	require.Equal(t, http.StatusOK, a.status, "an envelope without events is taken over the quota too")
	require.Empty(t, a.header.Get("X-Sentry-Rate-Limits"))
	require.EqualValues(t, 2, s.eventsCounted())
}

func TestDuplicatesInOneBatchDoNotCount(t *testing.T) {
	t.Parallel()
	s, _ := startWithQuota(t, 4)
	unlock := s.lockEvents(t)
	var answers sync.WaitGroup
	for n := range 30 {
		answers.Go(func() { requireTaken(t, s.postEvents(eventItem(n%3), eventItem((n+1)%3))) })
	}
	s.untilBlocked(t) // the others queue behind the first
	unlock()

	answers.Wait()

	require.EqualValues(t, 3, s.eventsCounted())
	requireTaken(t, s.postEvents(eventItem(4)))
	requireQuota(t, s.postEvents(eventItem(5)))
}

func TestEnvelopeThatFitsInPart(t *testing.T) {
	t.Parallel()
	s, _ := startWithQuota(t, 3)
	requireTaken(t, s.postEvents(eventItem(1)))

	a := s.postEvents(eventItem(2), eventItem(1), eventItem(3), eventItem(4), eventItem(5))
	requireTaken(t, a)
	require.Equal(t, object{"id": eventIDOf(2)}, a.body)
	require.Equal(t, 2, strings.Count(a.header.Get("X-Sentry-Error"), "event: The project has used up its daily quota."), "4 and 5")
	require.Equal(t, "60:default;error;security:project:daily_quota", a.header.Get("X-Sentry-Rate-Limits"))
	require.EqualValues(t, 3, s.eventsCounted())
	require.EqualValues(t, 3, s.queryNumber(`SELECT count(*) FROM event_ids WHERE event_id IN ($1, $2, $3)`, eventIDOf(1), eventIDOf(2),
		eventIDOf(3)))
	requireQuota(t, s.postEvents(eventItem(4), eventItem(5)))
}

func TestQuotaBeginsAnewWithTheDay(t *testing.T) {
	t.Parallel()
	s, clock := startWithQuota(t, 2)
	clock.nanos.Store(noonToday().Add(12*time.Hour - time.Millisecond).UnixNano())
	requireTaken(t, s.postEvents(eventItem(1), eventItem(2)))
	requireQuota(t, s.postEvents(eventItem(3)))

	clock.moveForward(time.Millisecond)
	requireTaken(t, s.postEvents(eventItem(3)))
	requireTaken(t, s.postEvents(eventItem(4)))
	requireQuota(t, s.postEvents(eventItem(5)))

	clock.moveForward(24 * time.Hour)
	requireTaken(t, s.postEvents(eventItem(5)))
}

func TestChangeOfTheQuotaActsWithinAMinute(t *testing.T) {
	t.Parallel()
	s, clock := startWithQuota(t, 1)
	requireTaken(t, s.postEvents(eventItem(1)))
	requireQuota(t, s.postEvents(eventItem(2)))

	s.setQuota(2)
	clock.moveForward(time.Minute)
	requireTaken(t, s.postEvents(eventItem(2)))
	requireQuota(t, s.postEvents(eventItem(3)))

	s.setQuota(0)
	clock.moveForward(time.Minute)
	requireTaken(t, s.postEvents(eventItem(3), eventItem(4)))

	s.setQuota(3)
	clock.moveForward(time.Minute)
	requireQuota(t, s.postEvents(eventItem(5)))

	s.setQuota(5)
	clock.moveForward(time.Minute)
	requireTaken(t, s.postEvents(eventItem(5)))
	requireQuota(t, s.postEvents(eventItem(6)))
	require.EqualValues(t, 5, s.eventsCounted())
}

func TestQuotaOfSeveralServers(t *testing.T) {
	t.Parallel()
	first, clock := startWithQuota(t, 6)
	second := startServerWith(t, config{database: first.database, clock: clock.currentTime})
	for n := range 3 {
		requireTaken(t, first.postEvents(eventItem(2*n)))
		requireTaken(t, second.postEvents(eventItem(2*n+1)))
	}
	requireQuota(t, first.postEvents(eventItem(6)))
	requireQuota(t, second.postEvents(eventItem(7)))

	third := startServerWith(t, config{database: first.database, clock: clock.currentTime})
	requireQuota(t, third.postEvents(eventItem(8)))
	require.EqualValues(t, 6, first.eventsCounted())
}

// Two servers that accept events at the same time fill a quota and never pass it, however their
// requests interleave.
func TestQuotaIsExactOnTwoServersAtOnce(t *testing.T) {
	t.Parallel()
	const quota, senders, each = 100, 16, 20
	first, clock := startWithQuota(t, quota)
	pair := [2]*server{first, startServerWith(t, config{database: first.database, clock: clock.currentTime})}
	var taken, refused atomic.Int64

	runTogether(senders, func(i int) {
		for n := range each {
			switch a := pair[i%2].postEvents(eventItem(i*each + n)); a.status {
			case http.StatusOK:
				taken.Add(1)
			case http.StatusTooManyRequests:
				require.EqualValues(t, quota, a.body["daily_quota"])
				refused.Add(1)
			}
		}
	})

	require.EqualValues(t, quota, taken.Load())
	require.EqualValues(t, senders*each-quota, refused.Load())
	require.EqualValues(t, quota, first.eventsCounted())
}

// A server that asked a moment ago does not know how many events the other has accepted since.
func TestQuotaIsExactWhenOthersWereFaster(t *testing.T) {
	t.Parallel()
	first, clock := startWithQuota(t, 100_000)
	second := startServerWith(t, config{database: first.database, clock: clock.currentTime})
	requireTaken(t, second.postEvents(eventItem(1)))

	first.execSQL(`UPDATE project_hours SET events = 99998 WHERE project_id = $1`, shop)
	a := second.postEvents(eventItem(1), eventItem(2), eventItem(3), eventItem(4))
	requireTaken(t, a)
	require.Equal(t, 1, strings.Count(a.header.Get("X-Sentry-Error"), "event: The project has used up its daily quota."))
	requireQuota(t, second.postEvents(eventItem(5)))
	require.EqualValues(t, 100_000, first.eventsCounted())
	require.EqualValues(t, 3, first.eventsStored())
}

func TestQuotaSeesWhatOtherServersTake(t *testing.T) {
	t.Parallel()
	s, clock := startWithQuota(t, 100_000)
	requireTaken(t, s.postEvents(eventItem(1)))

	s.execSQL(`UPDATE project_hours SET events = 99999 WHERE project_id = $1`, shop)
	clock.moveForward(5 * time.Second)
	requireTaken(t, s.postEvents(eventItem(2)))
	requireQuota(t, s.postEvents(eventItem(3)))
	require.EqualValues(t, 100_000, s.eventsCounted())
}

func TestQuotasOfProjectsAreTheirOwn(t *testing.T) {
	t.Parallel()
	s, _ := startWithQuota(t, 1)
	const officeKey = "0ff1ce00000000000000000000000000"

	s.makeProject(shop+1, officeKey)

	requireTaken(t, s.postEvents(eventItem(1)))
	requireQuota(t, s.postEvents(eventItem(2)))
	for n := range 3 {
		requireTaken(t, s.postBody(native, []byte(eventText(n)), "X-Service-Key: "+officeKey))
	}
}

func TestQuotaIsExactWhenConnectionsBreak(t *testing.T) {
	t.Parallel()
	s, _ := startWithQuota(t, 50)
	requireTaken(t, s.postEvents(eventItem(160)))

	var taken atomic.Int64
	s.killBetween(t, 8, 20, 3, func(n int) {
		if a := s.postEvents(eventItem(n)); a.status == http.StatusOK {
			taken.Add(1)
		}
	})
	require.EqualValues(t, 49, taken.Load())
	require.EqualValues(t, 50, s.eventsCounted())
}
