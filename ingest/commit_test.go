package ingest_test

import (
	"bytes"
	"crypto/rand"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/ingest"
)

// breakableWay is a proxy between a server and its database. It can lose the database's answers.
type breakableWay struct {
	url   string
	lost  atomic.Bool // answers of the database are thrown away
	mu    sync.Mutex
	conns []net.Conn
}

// newBreakableWay returns a proxy to the database that can be broken.
func newBreakableWay(t *testing.T, database string) *breakableWay {
	t.Helper()
	u, err := url.Parse(database)
	require.NoError(t, err)
	query := u.Query()
	socket := filepath.Join(query.Get("host"), ".s.PGSQL."+query.Get("port"))
	dir := t.TempDir()
	listener, err := net.Listen("unix", filepath.Join(dir, filepath.Base(socket)))
	require.NoError(t, err)
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	w := &breakableWay{url: u.String()}
	var copying sync.WaitGroup
	copying.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", socket)
			if err != nil {
				_ = client.Close()
				continue
			}
			w.mu.Lock()
			w.conns = append(w.conns, client, server)
			w.mu.Unlock()
			copying.Go(func() { w.copyUntilClosed(server, client, nil) })
			copying.Go(func() { w.copyUntilClosed(client, server, &w.lost) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		w.cutConnections()
		copying.Wait()
	})
	return w
}

// copyUntilClosed forwards bytes until one end is closed.
func (w *breakableWay) copyUntilClosed(to, from net.Conn, lost *atomic.Bool) {
	defer func() { _ = to.Close() }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if lost != nil && lost.Load() {
			continue
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// cutConnections ends all connections.
func (w *breakableWay) cutConnections() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		_ = c.Close()
	}
	w.conns = nil
}

// The connection breaks between a commit and its answer: the event is stored, and the writer cannot know it.
func TestEventCountsOnceWhenTheAnswerOfTheCommitIsLost(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"of a known issue": eventText(1), "of a new issue": `{"message":"of another kind"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct := startServer(t)
			w := newBreakableWay(t, direct.database)
			s := startServerWith(t, config{database: w.url})
			requireTaken(t, s.postBody(native, []byte(first), nativeByKey))

			w.lost.Store(true)
			var answered sync.WaitGroup
			answered.Go(func() {
				a := s.postBody(native, []byte(eventText(2)), nativeByKey)
				requireTaken(t, a)
				require.Equal(t, false, a.body["data"].(object)["duplicate"], "it is not one that was sent twice")
				require.EqualValues(t, direct.queryNumber(`SELECT id FROM events WHERE event_id = $1`, eventIDOf(2)), a.body["data"].(object)["id"])
			})
			if name == "of a known issue" { // the one round trip of its batch
				require.Eventually(t, func() bool { return direct.eventsCounted() == 2 }, 10*time.Second, time.Millisecond)
			}
			w.lost.Store(false)
			w.cutConnections()
			answered.Wait()
			require.EqualValues(t, 2, direct.eventsCounted())
			require.EqualValues(t, 2, direct.eventsStored())
		})
	}
}

// An event that waited too long is refused, and is not stored later without the client's knowledge.
func TestRefusedEventsAreNotStored(t *testing.T) {
	t.Parallel()
	var taking *ingest.Ingest
	s := startServerWith(t, config{before: func(i *ingest.Ingest) {
		i.WaitAtMost(100 * time.Millisecond)
		taking = i
	}})
	s.untilTaken(0)
	goOn := taking.HoldCommits()
	runTogether(20, func(n int) {
		a := s.postEvents(eventItem(1 + n))
		require.Equal(t, http.StatusServiceUnavailable, a.status, a.text)
	})
	goOn()

	s.untilTaken(100)

	require.EqualValues(t, 2, s.eventsCounted())
}

// A server that stops commits the events that it has accepted, in several batches if it must.
func TestCloseCommitsWhatIsQueued(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	stopping := ingest.New(ingest.Options{Store: s.db, Clock: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	unlock := s.lockEvents(t)
	var answers sync.WaitGroup
	post := func(first, events int) {
		answers.Go(func() {
			items := make([]string, events)
			for n := range items {
				items[n] = eventItem(first + n)
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, envelopes+"?sentry_key="+shopKey,
				bytes.NewReader(envelopeOf("{}", items...)))
			w := httptest.NewRecorder()
			stopping.Handler().ServeHTTP(w, r)
			require.Equal(t, http.StatusOK, w.Code, w.Body)
		})
	}
	post(0, 1)
	s.untilBlocked(t) // the others queue behind it
	const events = 300
	for n := range 3 {
		post(1+n*events, events)
	}
	// The writer has taken one of them and waits for the first to be committed.
	require.Eventually(t, func() bool { return stopping.CountWaiting() == 1+3*events && stopping.QueuedRequests() == 2 }, 10*time.Second,
		time.Millisecond)
	var closed sync.WaitGroup
	closed.Go(stopping.Close)
	unlock()
	answers.Wait()

	closed.Wait()

	require.EqualValues(t, 1+3*events, s.eventsCounted())
}
