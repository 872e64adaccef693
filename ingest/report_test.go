package ingest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/ingest"
)

// startHasty starts a server that soon gives up on the database.
func startHasty(t *testing.T, clock *moving, database string) *server {
	t.Helper()
	return startWith(t, config{database: database, clock: clock.tell, before: func(i *ingest.Ingest) {
		i.WaitAtMost(50 * time.Millisecond)
		i.HoldAtMost(50 * time.Millisecond)
	}})
}

// state is that of the ingest of the project shop, on a database that may have ended its connections before.
func (s *server) state() string {
	s.t.Helper()
	var state core.IngestState
	var err error
	require.Eventually(s.t, func() bool {
		state, err = s.db.IngestState(s.t.Context(), shop)
		return !core.HasCode(err, core.Unavailable)
	}, 10*time.Second, time.Millisecond)
	require.NoError(s.t, err)
	return state.State
}

// TestRefusalsAreSeenOnEveryServer: a 503 because the database is away can only be written when it is back, and then
// every server of the installation says degraded, until 5 minutes after that 503.
func TestRefusalsAreSeenOnEveryServer(t *testing.T) {
	t.Parallel()
	clock := clockAt(time.Now())
	other := startWith(t, config{clock: clock.tell})
	s := startHasty(t, clock, other.database)
	require.Equal(t, http.StatusOK, other.postEvents(eventItem(1)).status)
	require.NoError(t, s.Report(t.Context()))
	require.Equal(t, "ok", other.state())

	comeBack := s.goAway(t)
	require.Equal(t, http.StatusServiceUnavailable, s.postEvents(eventItem(2)).status)
	require.True(t, core.HasCode(s.Report(t.Context()), core.Unavailable))
	clock.forward(time.Minute)
	comeBack()
	require.Eventually(t, func() bool { return s.Report(t.Context()) == nil }, 10*time.Second, time.Millisecond)
	require.Equal(t, "degraded", s.state())
	require.Equal(t, "degraded", other.state())
	require.Equal(t, int64(1), s.number(`SELECT count(*) FROM install_times`))

	clock.forward(4*time.Minute - time.Millisecond)
	require.Equal(t, "degraded", other.state())
	clock.forward(time.Millisecond)
	require.Equal(t, "ok", other.state(), "5 minutes after the 503, not after it was written")
	s.exec(`DELETE FROM install_times`)
	require.NoError(t, s.Report(t.Context()))
	require.Zero(t, s.number(`SELECT count(*) FROM install_times`), "nothing is written without a new 503")
}

func TestRefusalIsWrittenAtTheEnd(t *testing.T) {
	t.Parallel()
	clock := clockAt(time.Now())
	s := startWith(t, config{clock: clock.tell})
	passing := startHasty(t, clock, s.database)
	comeBack := s.goAway(t)
	require.Equal(t, http.StatusServiceUnavailable, passing.postEvents(eventItem(1)).status)
	comeBack()
	require.Eventually(t, func() bool { return passing.db.CheckServer(t.Context()) == nil }, 10*time.Second, time.Millisecond)
	passing.end()
	require.Equal(t, "degraded", s.state())
}

// aliveAt is when the project shop gave its last sign of life, zero for never.
func (s *server) aliveAt() int64 {
	s.t.Helper()
	require.NoError(s.t, s.Report(s.t.Context()))
	return s.number(`SELECT coalesce(max((extract(epoch FROM alive_at) * 1000)::bigint), 0) FROM project_seen WHERE project_id = $1`, shop)
}

func TestSignsOfLife(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		alive bool
		send  func(s *server) answer
	}{
		"a session":         {true, func(s *server) answer { return s.postEvents(item("session", "{}")) }},
		"sessions":          {true, func(s *server) answer { return s.postEvents(item("sessions", "{}")) }},
		"a transaction":     {true, func(s *server) answer { return s.postEvents(item("transaction", "{}")) }},
		"among others":      {true, func(s *server) answer { return s.postEvents(item("log", "{}"), item("transaction", "{}")) }},
		"an event":          {true, func(s *server) answer { return s.postEvents(eventItem(1)) }},
		"a native event":    {true, func(s *server) answer { return s.post(native, []byte(eventText(1)), nativeByKey) }},
		"a stored event":    {true, func(s *server) answer { return s.post(events, []byte(eventText(1)), byKey) }},
		"a client's report": {false, func(s *server) answer { return s.postEvents(item("client_report", "{}")) }},
		"an unknown item":   {false, func(s *server) answer { return s.postEvents(item("novelty", "{}")) }},
		"nothing":           {false, func(s *server) answer { return s.postEvents() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := clockAt(time.Now().Truncate(time.Second))
			s := startWith(t, config{clock: clock.tell})
			got := c.send(s)
			require.Equal(t, http.StatusOK, got.status, got.text)
			want := int64(0)
			if c.alive {
				want = clock.tell().UnixMilli()
			}
			require.Equal(t, want, s.aliveAt())
		})
	}
}

func TestSignsOfLifeOverQuota(t *testing.T) {
	t.Parallel()
	clock := clockAt(time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC))
	s := startWith(t, config{clock: clock.tell})
	s.exec(`UPDATE projects SET daily_quota = 1 WHERE id = $1`, shop)
	require.Equal(t, http.StatusOK, s.postEvents(eventItem(1)).status)
	require.Equal(t, http.StatusTooManyRequests, s.postEvents(eventItem(2)).status)

	clock.forward(time.Minute)
	got := s.postEvents(item("session", "{}"), item("transaction", "{}"))
	require.Equal(t, http.StatusOK, got.status, "%s", got.text)
	require.Equal(t, clock.tell().UnixMilli(), s.aliveAt())
	require.EqualValues(t, 1, s.counted(), "it does not count")
	require.Zero(t, s.number(`SELECT count(*) FROM project_seen WHERE client_seen_at IS NOT NULL`), "nor for trust")

	clock.forward(time.Minute)
	require.Equal(t, http.StatusTooManyRequests, s.postEvents(eventItem(3)).status)
	require.Equal(t, clock.tell().UnixMilli(), s.aliveAt(), "an event that is refused shows life too")
}

// TestSignsOfLifeAreKept has the database away when they are to be written.
func TestSignsOfLifeAreKept(t *testing.T) {
	t.Parallel()
	clock := clockAt(time.Now().Truncate(time.Second))
	s := startWith(t, config{clock: clock.tell})
	require.Equal(t, http.StatusOK, s.postEvents(item("client_report", "{}")).status, "the project is known")
	comeBack := s.goAway(t)
	require.Equal(t, http.StatusOK, s.postEvents(item("session", "{}")).status)
	require.True(t, core.HasCode(s.Report(t.Context()), core.Unavailable))
	comeBack()
	require.Eventually(t, func() bool { return s.Report(t.Context()) == nil }, 10*time.Second, time.Millisecond)
	require.Equal(t, clock.tell().UnixMilli(), s.aliveAt())
}

// TestStrangersShowNoLife: what has no key of a project marks none.
func TestStrangersShowNoLife(t *testing.T) {
	t.Parallel()
	s := start(t)
	body := envelopeOf("{}", item("session", "{}"))
	requireUnauthorized(t, s.post(envelopes, body, "X-Sentry-Auth: Sentry sentry_key=ffffffffffffffffffffffffffffffff"), "an unknown key")
	requireUnauthorized(t, s.post("/api/1000000002/envelope/", body, byKey), "another project")
	require.NoError(t, s.Report(t.Context()))
	require.Zero(t, s.number(`SELECT count(*) FROM project_seen`))
}
