package ingest_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"errand/blob"
	"errand/core"
	"errand/ingest"
	"errand/store"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// The project that most tests send to.
const (
	shop    = 1_000_000_001
	shopKey = "5h0p0000000000000000000000000000"
)

// The paths of the project.
const (
	envelopes = "/api/1000000001/envelope/"
	events    = "/api/1000000001/store/"
	native    = "/v1/ingest"
)

// object is a JSON object.
type object = map[string]any

// server is an ingest behind real HTTP, on a database of its own.
type server struct {
	*ingest.Ingest
	t        testing.TB
	url      string
	database string
	db       *store.Store
	log      *logtext.Text
	end      func() // before the test ends
	metrics  *prometheus.Registry
}

// patience is how long a server of the tests waits, unless a test is about the usual bounds: the machine may be busy.
const patience = 2 * time.Minute

// config is what a test may choose.
type config struct {
	database string // another server's, to share it
	clock    core.Clock
	dbClock  core.Clock // of the store; clock when it is nil
	random   io.Reader
	before   func(*ingest.Ingest) // before the first request
	blobs    blob.Store           // of source maps; nil for none
}

// startServer returns a server that has the project shop.
func startServer(t testing.TB) *server { return startServerWith(t, config{}) }

func startServerWith(t testing.TB, c config) *server {
	t.Helper()
	shared := c.database != ""
	if !shared {
		c.database = storetest.NewURL(t)
	}
	if c.clock == nil {
		c.clock = time.Now
	}
	if c.dbClock == nil {
		c.dbClock = c.clock
	}
	if c.random == nil {
		c.random = rand.Reader
	}
	s := &server{
		t: t, database: c.database, db: storetest.Open(t, c.database, c.dbClock), log: &logtext.Text{}, metrics: prometheus.NewRegistry(),
	}
	if !shared {
		s.makeProject(shop, shopKey)
	}
	s.Ingest = ingest.New(ingest.Options{
		Store: s.db, Clock: c.clock, Random: c.random, InstallKey: []byte("install"), Metrics: s.metrics, Blobs: c.blobs,
		Log: slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	s.ReadAtMost(patience)
	s.WaitAtMost(patience)
	s.SetMapWithin(patience)
	if c.before != nil {
		c.before(s.Ingest)
	}
	handler := s.Handler()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "the-request") // as the API does before it
		handler.ServeHTTP(w, r)
	}))
	s.url = web.URL
	s.end = sync.OnceFunc(func() {
		web.Close()
		s.Close()
		require.NotContains(t, s.log.String(), shopKey, "no key may stand in the log")
		require.Equal(t, int64(ingest.MaxHeld), s.FreeBytes(), "all memory is given back")
	})
	t.Cleanup(s.end)
	return s
}

func (s *server) makeProject(id int64, key string) {
	s.t.Helper()
	_, err := s.db.CreateProject(s.t.Context(), core.NewBootstrapActor(),
		store.NewProject{ID: id, Name: fmt.Sprint("App ", id), PublicKey: key})
	require.NoError(s.t, err)
}

// execSQL changes the database directly, past the store.
func (s *server) execSQL(sql string, args ...any) {
	s.t.Helper()
	rows, err := storetest.QuerySQL(s.t.Context(), s.db, sql, args...)
	require.NoError(s.t, err)
	rows.Close()
	require.NoError(s.t, rows.Err())
}

// queryNumber returns the single number of a query. It skips connections that have been ended.
func (s *server) queryNumber(sql string, args ...any) (n int64) {
	s.t.Helper()
	var err error
	for range 40 {
		var rows pgx.Rows
		if rows, err = storetest.QuerySQL(s.t.Context(), s.db, sql, args...); err != nil {
			continue
		}
		if n, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[int64]); err == nil {
			return n
		}
	}
	require.NoError(s.t, err)
	return 0
}

// eventsCounted is how many events count for the project shop.
func (s *server) eventsCounted() int64 {
	s.t.Helper()
	return s.queryNumber(`SELECT coalesce(sum(events), 0)::bigint FROM project_hours WHERE project_id = $1`, shop)
}

// eventsStored is how many events are stored.
func (s *server) eventsStored() int64 {
	s.t.Helper()
	return s.queryNumber(`SELECT count(*) FROM events`)
}

// onlyEvent returns the one stored event in its normalised form.
func (s *server) onlyEvent() core.Event {
	s.t.Helper()
	detail, err := s.db.ReadEvent(s.t.Context(), s.queryNumber(`SELECT id FROM events`))
	require.NoError(s.t, err)
	return detail.Event
}

// movingClock is a clock that a test moves while a server reads it.
type movingClock struct{ nanos atomic.Int64 }

func clockAt(t time.Time) *movingClock {
	c := new(movingClock)
	c.nanos.Store(t.UnixNano())
	return c
}

func (c *movingClock) currentTime() time.Time       { return time.Unix(0, c.nanos.Load()).UTC() }
func (c *movingClock) moveForward(by time.Duration) { c.nanos.Add(int64(by)) }

// runTogether runs fn n times concurrently, numbered from 0.
func runTogether(n int, fn func(i int)) {
	var done sync.WaitGroup
	for i := range n {
		done.Go(func() { fn(i) })
	}
	done.Wait()
}

// lockEvents keeps every commit of events waiting until the returned function is called.
func (s *server) lockEvents(t testing.TB) (unlock func()) {
	t.Helper()
	return s.lockTables(t, "event_ids, issues, project_hours")
}

// lockTables keeps all others from the tables until the returned function is called.
func (s *server) lockTables(t testing.TB, tables string) (unlock func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.database)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	_, err = conn.Exec(t.Context(), `BEGIN; LOCK TABLE `+tables)
	require.NoError(t, err)
	return func() {
		_, err := conn.Exec(t.Context(), `COMMIT`)
		require.NoError(t, err)
	}
}

// waitingForLocks counts the connections that wait for a lock in the test's database.
const waitingForLocks = `
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

// untilBlocked waits until a commit waits for lockEvents.
func (s *server) untilBlocked(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		return s.queryNumber(waitingForLocks) > 0
	}, 10*time.Second, time.Millisecond)
}

func base64Of(data []byte) string { return base64.StdEncoding.EncodeToString(data) }
