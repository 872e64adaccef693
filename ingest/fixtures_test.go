package ingest_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/ingest"
	"errand/store"
	"errand/store/storetest"
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
	log      *logBook
	end      func() // before the test's end
	metrics  *prometheus.Registry
}

// config is what a test may choose.
type config struct {
	database string // of another server, to share it
	clock    core.Clock
	dbClock  core.Clock // of the store; clock when it is nil
	random   io.Reader
	before   func(*ingest.Ingest) // before the first request
}

// start gives a server that has the project shop.
func start(t testing.TB) *server { return startWith(t, config{}) }

func startWith(t testing.TB, c config) *server {
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
	s := &server{t: t, database: c.database, db: storetest.Open(t, c.database, c.dbClock), log: &logBook{}, metrics: prometheus.NewRegistry()}
	if !shared {
		s.makeProject(shop, shopKey)
	}
	s.Ingest = ingest.New(ingest.Options{
		Store: s.db, Clock: c.clock, Random: c.random, InstallKey: []byte("install"), Metrics: s.metrics,
		Log: slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
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
		require.Equal(t, int64(ingest.MaxHeld), s.Free(), "all memory is given back")
	})
	t.Cleanup(s.end)
	return s
}

func (s *server) makeProject(id int64, key string) {
	s.t.Helper()
	_, err := s.db.CreateProject(s.t.Context(), core.Bootstrap(), store.NewProject{ID: id, Name: fmt.Sprint("App ", id), PublicKey: key})
	require.NoError(s.t, err)
}

// exec changes the database behind the store's back.
func (s *server) exec(sql string, args ...any) {
	s.t.Helper()
	rows, err := storetest.QuerySQL(s.t.Context(), s.db, sql, args...)
	require.NoError(s.t, err)
	rows.Close()
	require.NoError(s.t, rows.Err())
}

// number gives the one number of a query. Connections that have been ended meanwhile are passed over.
func (s *server) number(sql string, args ...any) (n int64) {
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

// counted is how many events count for the project shop.
func (s *server) counted() int64 {
	s.t.Helper()
	return s.number(`SELECT coalesce(sum(events), 0)::bigint FROM project_hours WHERE project_id = $1`, shop)
}

// stored is how many events are stored.
func (s *server) stored() int64 {
	s.t.Helper()
	return s.number(`SELECT count(*) FROM events`)
}

// event gives the one stored event in its normalised form.
func (s *server) event() core.Event {
	s.t.Helper()
	detail, err := s.db.ReadEvent(s.t.Context(), s.number(`SELECT id FROM events`))
	require.NoError(s.t, err)
	return detail.Event
}

// logBook is a log that tests read.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBook) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	text   string
	body   object
	closed bool // the server ends the connection
}

// post sends a body; headers are written "Name: value".
func (s *server) post(path string, body []byte, headers ...string) answer {
	s.t.Helper()
	return s.send(http.MethodPost, path, bytes.NewReader(body), headers...)
}

// send sends a request.
func (s *server) send(method, path string, body io.Reader, headers ...string) answer {
	s.t.Helper()
	a, err := s.try(method, path, body, headers...)
	require.NoError(s.t, err)
	require.NotContains(s.t, a.text+a.header.Get("X-Sentry-Error"), shopKey, "no key may stand in an answer")
	require.NotContains(s.t, a.header, "Cache-Control", "browsers count such an answer against what a page may send")
	return a
}

// try is send without its checks.
func (s *server) try(method, path string, body io.Reader, headers ...string) (answer, error) {
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, body)
	if err != nil {
		return answer{}, err
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{status: response.StatusCode, header: response.Header, text: string(text), closed: response.Close}
	if len(text) > 0 && response.Header.Get("Content-Type") != "application/x-protobuf" {
		err = json.Unmarshal(text, &a.body)
	}
	return a, err
}

// chunked is a body that goes out in chunks, without a Content-Length.
func chunked(text string) io.Reader { return io.MultiReader(strings.NewReader(text)) }

// byKey is a header that authenticates at the Sentry endpoints, nativeByKey one at the native endpoint.
const (
	byKey       = "X-Sentry-Auth: Sentry sentry_version=7, sentry_key=" + shopKey
	nativeByKey = "X-Service-Key: " + shopKey
)

// postEvents sends an envelope with the items to the project shop.
func (s *server) postEvents(items ...string) answer {
	s.t.Helper()
	return s.post(envelopes, envelopeOf("{}", items...), byKey)
}

// untilTaken sends the n-th event to a server that gives up soon, or whose database comes back, until it is taken.
func (s *server) untilTaken(n int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.postEvents(eventItem(n)).status == http.StatusOK }, 10*time.Second, time.Millisecond)
}

// envelopeOf makes an envelope of its header and items.
func envelopeOf(header string, items ...string) []byte {
	return []byte(header + "\n" + strings.Join(items, "\n") + "\n")
}

// item makes an item of a type.
func item(kind, payload string) string {
	return fmt.Sprintf("{\"type\":%q,\"length\":%d}\n%s", kind, len(payload), payload)
}

// eventItem makes the n-th event as an item.
func eventItem(n int) string { return item("event", eventText(n)) }

// eventText makes the n-th event.
func eventText(n int) string {
	return fmt.Sprintf(`{"event_id":"%032x","message":"boom","platform":"go","level":"error"}`, n)
}

// moving is a clock that a test moves while a server looks at it.
type moving struct{ nanos atomic.Int64 }

func clockAt(t time.Time) *moving {
	c := new(moving)
	c.nanos.Store(t.UnixNano())
	return c
}

func (c *moving) tell() time.Time          { return time.Unix(0, c.nanos.Load()).UTC() }
func (c *moving) forward(by time.Duration) { c.nanos.Add(int64(by)) }

// together runs fn n times at once, numbered from 0.
func together(n int, fn func(i int)) {
	var done sync.WaitGroup
	for i := range n {
		done.Go(func() { fn(i) })
	}
	done.Wait()
}

// lockEvents keeps every commit of events waiting until the given function is called.
func (s *server) lockEvents(t testing.TB) (unlock func()) {
	t.Helper()
	return s.lock(t, "event_ids, issues, project_hours")
}

// lock keeps everybody else from tables until the given function is called.
func (s *server) lock(t testing.TB, tables string) (unlock func()) {
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

// untilBlocked waits until a commit waits for lockEvents.
func (s *server) untilBlocked(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		return s.number(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
	}, 10*time.Second, time.Millisecond)
}

func base64Of(data []byte) string { return base64.StdEncoding.EncodeToString(data) }
