package ingest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/ingest"
)

// startHasty starts a server that gives up on the database quickly.
func startHasty(t *testing.T, clock *movingClock, database string) *server {
	t.Helper()
	return startServerWith(t, config{database: database, clock: clock.currentTime, before: func(i *ingest.Ingest) {
		i.WaitAtMost(50 * time.Millisecond)
		i.HoldAtMost(50 * time.Millisecond)
	}})
}

// ingestState returns the state of ingest for the project shop, on a database that may have ended its connections before.
func (s *server) ingestState() string {
	s.t.Helper()
	var state core.IngestState
	var err error
	require.Eventually(s.t, func() bool {
		state, err = s.db.ReadIngestState(s.t.Context(), shop)
		return !core.HasCode(err, core.Unavailable)
	}, 10*time.Second, time.Millisecond)
	require.NoError(s.t, err)
	return state.State
}

// TestRefusalsAreSeenOnEveryServer: a 503 because the database is away can only be written when the database is back. Then every
// server of the installation says degraded, until 5 minutes after that 503.
func TestRefusalsAreSeenOnEveryServer(t *testing.T) {
	t.Parallel()
	clock := clockAt(time.Now())
	other := startServerWith(t, config{clock: clock.currentTime})
	s := startHasty(t, clock, other.database)
	require.Equal(t, http.StatusOK, other.postEvents(eventItem(1)).status)
	require.NoError(t, s.WriteReports(t.Context()))
	require.Equal(t, "ok", other.ingestState())

	comeBack := s.takeDatabaseAway(t)
	require.Equal(t, http.StatusServiceUnavailable, s.postEvents(eventItem(2)).status)
	require.True(t, core.HasCode(s.WriteReports(t.Context()), core.Unavailable))
	clock.moveForward(time.Minute)
	comeBack()
	require.Eventually(t, func() bool { return s.WriteReports(t.Context()) == nil }, 10*time.Second, time.Millisecond)
	require.Equal(t, "degraded", s.ingestState())
	require.Equal(t, "degraded", other.ingestState())
	require.Equal(t, int64(1), s.queryNumber(`SELECT count(*) FROM install_times`))

	clock.moveForward(4*time.Minute - time.Millisecond)
	require.Equal(t, "degraded", other.ingestState())
	clock.moveForward(time.Millisecond)
	require.Equal(t, "ok", other.ingestState(), "5 minutes after the 503, not after it was written")
	s.execSQL(`DELETE FROM install_times`)
	require.NoError(t, s.WriteReports(t.Context()))
	require.Zero(t, s.queryNumber(`SELECT count(*) FROM install_times`), "nothing is written without a new 503")
}

func TestRefusalIsWrittenAtTheEnd(t *testing.T) {
	t.Parallel()
	clock := clockAt(time.Now())
	s := startServerWith(t, config{clock: clock.currentTime})
	passing := startHasty(t, clock, s.database)
	comeBack := s.takeDatabaseAway(t)
	require.Equal(t, http.StatusServiceUnavailable, passing.postEvents(eventItem(1)).status)

	comeBack()
	require.Eventually(t, func() bool { return passing.db.CheckServer(t.Context()) == nil }, 10*time.Second, time.Millisecond)
	passing.end()
	require.Equal(t, "degraded", s.ingestState())
}

// aliveAt is when the project shop last gave a sign of life, zero for never.
func (s *server) aliveAt() int64 {
	s.t.Helper()
	require.NoError(s.t, s.WriteReports(s.t.Context()))
	return s.queryNumber(`SELECT coalesce(max((extract(epoch FROM alive_at) * 1000)::bigint), 0) FROM project_seen WHERE project_id = $1`,
		shop)
}

func TestSignsOfLife(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		alive bool
		send  func(s *server) answer
	}{
		"a session":         {true, func(s *server) answer { return s.postEvents(itemOf("session", "{}")) }},
		"sessions":          {true, func(s *server) answer { return s.postEvents(itemOf("sessions", "{}")) }},
		"a transaction":     {true, func(s *server) answer { return s.postEvents(itemOf("transaction", "{}")) }},
		"among others":      {true, func(s *server) answer { return s.postEvents(itemOf("log", "{}"), itemOf("transaction", "{}")) }},
		"an event":          {true, func(s *server) answer { return s.postEvents(eventItem(1)) }},
		"a native event":    {true, func(s *server) answer { return s.postBody(native, []byte(eventText(1)), nativeByKey) }},
		"a stored event":    {true, func(s *server) answer { return s.postBody(events, []byte(eventText(1)), byKey) }},
		"a client's report": {false, func(s *server) answer { return s.postEvents(itemOf("client_report", "{}")) }},
		"an unknown item":   {false, func(s *server) answer { return s.postEvents(itemOf("novelty", "{}")) }},
		"nothing":           {false, func(s *server) answer { return s.postEvents() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := clockAt(time.Now().Truncate(time.Second))
			s := startServerWith(t, config{clock: clock.currentTime})
			got := c.send(s)
			require.Equal(t, http.StatusOK, got.status, got.text)

			want := int64(0)
			if c.alive {
				want = clock.currentTime().UnixMilli()
			}
			require.Equal(t, want, s.aliveAt())
		})
	}
}

func TestSignsOfLifeOverQuota(t *testing.T) {
	t.Parallel()
	clock := clockAt(time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC))
	s := startServerWith(t, config{clock: clock.currentTime})
	s.execSQL(`UPDATE projects SET daily_quota = 1 WHERE id = $1`, shop)
	require.Equal(t, http.StatusOK, s.postEvents(eventItem(1)).status)
	require.Equal(t, http.StatusTooManyRequests, s.postEvents(eventItem(2)).status)

	clock.moveForward(time.Minute)
	got := s.postEvents(itemOf("session", "{}"), itemOf("transaction", "{}"))
	require.Equal(t, http.StatusOK, got.status, "%s", got.text)
	require.Equal(t, clock.currentTime().UnixMilli(), s.aliveAt())
	require.EqualValues(t, 1, s.eventsCounted(), "it does not count")
	require.Zero(t, s.queryNumber(`SELECT count(*) FROM project_seen WHERE client_seen_at IS NOT NULL`), "nor for trust")

	clock.moveForward(time.Minute)
	require.Equal(t, http.StatusTooManyRequests, s.postEvents(eventItem(3)).status)
	require.Equal(t, clock.currentTime().UnixMilli(), s.aliveAt(), "an event that is refused shows life too")
}

// TestSignsOfLifeAreKept: they survive an outage of the database at the time when they should be written.
func TestSignsOfLifeAreKept(t *testing.T) {
	t.Parallel()
	clock := clockAt(time.Now().Truncate(time.Second))
	s := startServerWith(t, config{clock: clock.currentTime})
	require.Equal(t, http.StatusOK, s.postEvents(itemOf("client_report", "{}")).status, "the project is known")

	comeBack := s.takeDatabaseAway(t)
	require.Equal(t, http.StatusOK, s.postEvents(itemOf("session", "{}")).status)
	require.True(t, core.HasCode(s.WriteReports(t.Context()), core.Unavailable))

	comeBack()
	require.Eventually(t, func() bool { return s.WriteReports(t.Context()) == nil }, 10*time.Second, time.Millisecond)
	require.Equal(t, clock.currentTime().UnixMilli(), s.aliveAt())
}

// TestStrangersShowNoLife: requests without a key of the project give no sign of life.
func TestStrangersShowNoLife(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	body := envelopeOf("{}", itemOf("session", "{}"))
	requireUnauthorized(t, s.postBody(envelopes, body, "X-Sentry-Auth: Sentry sentry_key=ffffffffffffffffffffffffffffffff"), "an unknown key")
	requireUnauthorized(t, s.postBody("/api/1000000002/envelope/", body, byKey), "another project")
	require.NoError(t, s.WriteReports(t.Context()))
	require.Zero(t, s.queryNumber(`SELECT count(*) FROM project_seen`))
}
