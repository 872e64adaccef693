package ingest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/ingest"
	"errand/store/storetest"
)

// connectBeside returns a connection to the database's server that survives when the database goes away, and the database's name.
func (s *server) connectBeside(t *testing.T) (conn *pgx.Conn, name string) {
	t.Helper()
	u, err := url.Parse(s.database)
	require.NoError(t, err)
	name = strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	conn, err = pgx.Connect(t.Context(), u.String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn, name
}

// takeDatabaseAway makes the database refuse all connections until the returned function is called.
func (s *server) takeDatabaseAway(t *testing.T) (comeBack func()) {
	t.Helper()
	conn, name := s.connectBeside(t)
	_, err := conn.Exec(t.Context(), `ALTER DATABASE `+name+` ALLOW_CONNECTIONS false`)
	require.NoError(t, err)
	comeBack = sync.OnceFunc(func() {
		_, err := conn.Exec(context.Background(), `ALTER DATABASE `+name+` ALLOW_CONNECTIONS true`)
		require.NoError(t, err)
	})
	t.Cleanup(comeBack)
	killConnections(t, conn, name)
	return comeBack
}

// killConnections ends all connections of the database.
func killConnections(t *testing.T, conn *pgx.Conn, name string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, name)
	require.NoError(t, err)
}

func TestEventsAreHeldWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	require.Equal(t, http.StatusOK, s.postEvents(eventItem(99)).status, "the project is known")

	comeBack := s.takeDatabaseAway(t)
	var answers sync.WaitGroup
	for n := range 16 {
		answers.Go(func() {
			a := s.postEvents(eventItem(n))
			require.Equal(t, http.StatusOK, a.status, a.text)
		})
	}
	require.Eventually(t, func() bool {
		return strings.Contains(s.log.String(), "the database is away or takes no writes: holding events")
	}, 10*time.Second, time.Millisecond)
	comeBack()
	answers.Wait()
	require.EqualValues(t, 17, s.eventsCounted())
	require.EqualValues(t, 17, s.eventsStored())
}

func TestNothingIsHeldWhenTheServerIsAboutToEnd(t *testing.T) {
	t.Parallel()
	s := startServerWith(t, config{before: func(i *ingest.Ingest) {
		i.WaitAtMost(time.Hour)
		i.HoldAtMost(time.Hour)
	}})
	require.Equal(t, http.StatusOK, s.postEvents(eventItem(99)).status, "the project is known")

	s.takeDatabaseAway(t)
	var answers sync.WaitGroup
	for n := range 4 {
		answers.Go(func() {
			a := s.postEvents(eventItem(n))
			require.Equal(t, http.StatusServiceUnavailable, a.status, a.text)
		})
	}
	require.Eventually(t, func() bool { return strings.Contains(s.log.String(), "holding events") }, 10*time.Second, time.Millisecond)
	s.StopHolding()
	answers.Wait()
}

func TestKeysAreLookedUpAgainWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	comeBack := s.takeDatabaseAway(t)
	var answers sync.WaitGroup
	answers.Go(func() {
		a := s.postEvents(eventItem(1))
		require.Equal(t, http.StatusOK, a.status, a.text)
	})
	comeBack()

	answers.Wait()

	require.EqualValues(t, 1, s.eventsCounted())
}

func TestUnavailable(t *testing.T) {
	t.Parallel()
	s := startServerWith(t, config{before: func(i *ingest.Ingest) {
		i.WaitAtMost(time.Second)
		i.HoldAtMost(time.Second)
	}})
	const unknown = "ffffffffffffffffffffffffffffffff"
	s.untilTaken(1)
	comeBack := s.takeDatabaseAway(t)
	for name, a := range map[string]answer{
		"a known project":    s.postBody(native, []byte(eventText(2)), nativeByKey),
		"an unknown project": s.postBody(native, []byte(eventText(3)), "X-Service-Key: "+unknown),
	} {
		require.Equal(t, http.StatusServiceUnavailable, a.status, "%s: %s", name, a.text)
		require.Equal(t, object{"error": "unavailable"}, a.body, name)
		require.Equal(t, "5", a.header.Get("Retry-After"), name)
	}
	a := s.postEvents(eventItem(4))
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.Equal(t, object{"error": "unavailable",
		"detail": "The database is away or takes no writes for the moment, or the server is busy."}, a.body)
	require.Equal(t, "The database is away or takes no writes for the moment, or the server is busy.", a.header.Get("X-Sentry-Error"))
	require.Equal(t, 1, strings.Count(s.log.String(), "events are refused"), "not a line for each request")
	require.Equal(t, http.StatusOK, s.postEvents(itemOf("session", "{}")).status, "what is dropped needs no database")
	requireUnauthorized(t, s.postBody(native, nil, "X-Service-Key: no key"), "what cannot be a key needs no database")

	comeBack()
	s.untilTaken(5)
	require.EqualValues(t, 2, s.eventsCounted(), "what was refused is not stored")
}

// TestKilledConnections keeps ending all connections while 16 senders send. Each answered event counts once, and nothing counts
// twice.
func TestKilledConnections(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	const senders, each = 16, 40
	require.Equal(t, http.StatusOK, s.postEvents(eventItem(senders*each)).status)
	var refused atomic.Int64
	var taken sync.Map
	kills := s.killBetween(t, senders, each, 7, func(n int) {
		switch a := s.postEvents(eventItem(n)); a.status {
		case http.StatusOK:
			taken.Store(eventIDOf(n), true)
		case http.StatusServiceUnavailable:
			refused.Add(1)
		default:
			t.Errorf("status %d: %s", a.status, a.text)
		}
	})
	require.NotContains(t, s.log.String(), `"level":"ERROR"`)

	missing := 0
	taken.Range(func(key, _ any) bool {
		missing += int(1 - s.queryNumber(`SELECT count(*) FROM event_ids WHERE event_id = $1`, key))
		return true
	})
	require.Zero(t, missing, "what was answered is there")
	ids := s.queryNumber(`SELECT count(*) FROM event_ids`)
	require.Equal(t, ids, s.eventsCounted(), "what is there counts once")
	require.Equal(t, ids, s.queryNumber(`SELECT sum(times_seen)::bigint FROM issues`))
	require.Equal(t, ids, s.queryNumber(`SELECT sum(events)::bigint FROM issue_hours`))
	require.LessOrEqual(t, ids, int64(senders*each+1))
	t.Logf("%d kills, %d events, %d refused", kills, ids, refused.Load())
}

// killBetween lets senders send their events, and ends all connections after every few answers. It returns the number of kills.
func (s *server) killBetween(t *testing.T, senders, each, answers int, send func(n int)) (kills int) {
	t.Helper()
	conn, name := s.connectBeside(t)
	answered := make(chan struct{}, senders*each)
	go func() {
		defer close(answered)
		runTogether(senders, func(sender int) {
			for n := range each {
				send(sender*each + n)
				answered <- struct{}{}
			}
		})
	}()
	for {
		killConnections(t, conn, name)
		kills++
		for range answers {
			if _, more := <-answered; !more {
				return kills
			}
		}
	}
}

func TestEventThatCannotBeStoredDoesNotTakeOthersWithIt(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.execSQL(`ALTER TABLE events ADD CONSTRAINT no_poison CHECK (release <> 'poison')`)
	t.Cleanup(func() { // the database is used by later tests
		rows, err := storetest.QuerySQL(context.Background(), s.db, `ALTER TABLE events DROP CONSTRAINT no_poison`)
		require.NoError(t, err)
		rows.Close()
	})
	poison := itemOf("event", fmt.Sprintf(`{"event_id":%q,"message":"boom","release":"poison"}`, eventIDOf(1000)))
	unlock := s.lockEvents(t)
	var answers sync.WaitGroup
	for n := range 30 {
		answers.Go(func() {
			if n%10 != 0 {
				a := s.postEvents(eventItem(n))
				require.Equal(t, http.StatusOK, a.status, a.text)
				return
			}
			a := s.postEvents(poison)
			require.Equal(t, http.StatusInternalServerError, a.status, a.text)
			require.Equal(t, "the-request", a.body["request_id"])
		})
	}
	s.untilBlocked(t) // the others queue behind the first
	unlock()
	answers.Wait()
	require.EqualValues(t, 27, s.eventsCounted())

	a := s.postEvents(poison, eventItem(2000), poison)
	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Equal(t, object{"id": eventIDOf(2000)}, a.body)
	require.Contains(t, a.header.Get("X-Sentry-Error"), "Something went wrong inside")
	require.NotContains(t, a.header.Get("X-Sentry-Error"), "no_poison")
	require.EqualValues(t, 28, s.eventsCounted())
}

func TestPanicOfTheWriterIsOfItsBatchOnly(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	s := startServerWith(t, config{dbClock: func() time.Time {
		if broken.Load() {
			panic("the clock is broken")
		}
		return time.Now()
	}})
	broken.Store(true)
	a := s.postEvents(eventItem(1))
	require.Equal(t, http.StatusInternalServerError, a.status, a.text)
	require.Contains(t, s.log.String(), "the clock is broken")

	broken.Store(false)
	require.Equal(t, http.StatusOK, s.postEvents(eventItem(1)).status, "the writer goes on")
	require.EqualValues(t, 1, s.eventsCounted())
}
