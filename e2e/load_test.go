//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The load: what is sent, and how fast.
const (
	loadProjects = 3
	loadIssues   = 40                     // in each project, far below the cap of stored events
	loadPace     = 500 * time.Microsecond // between two events of all senders together
	answerWait   = 20 * time.Second       // for one request

	betweenOutages = 250   // events
	hotIssue       = "hot" // of the first project; it exceeds the cap
)

// storedPerIssue is the cap on the servers under load.
const storedPerIssue = 200

// load is senders that continue when servers fail, and the result for each event.
type load struct {
	t        *testing.T
	url      []*atomic.Pointer[string] // of each server; it changes when the server restarts
	projects []dsn
	client   *http.Client
	pace     *time.Ticker
	frozen   atomic.Int64 // number, from 1, of the server that gets nothing now; 0 for none
	stopped  chan struct{}
	senders  sync.WaitGroup

	mu     sync.Mutex
	events []*sentEvent
	wrong  []string // answers that no event should get
	pauses pauses

	outages []time.Duration
	slowest time.Duration // answer
}

// dsn is the address for the events of a project.
type dsn struct {
	id  int64
	key string
}

// sentEvent is one event with its answers, over all attempts.
type sentEvent struct {
	id       [16]byte
	project  int
	issue    string
	attempts int
	taken    int   // 200
	refused  int   // 503
	maybe    bool  // a 503 said that it may still be stored
	storedAs int64 // according to the native endpoint; 0 when that did not say
	issueID  int64
}

func (e *sentEvent) isOfHotIssue() bool { return e.issue == hotIssue }

// pauses measures how long no event was accepted.
type pauses struct {
	first, last time.Time
	longest     time.Duration
}

func (p *pauses) noteTaken() {
	now := time.Now()
	if p.first.IsZero() {
		p.first, p.last = now, now
	}
	p.longest = max(p.longest, now.Sub(p.last))
	p.last = now
}

// startLoad makes the projects on the first server and begins to send to all of them.
func startLoad(t *testing.T, senders int, servers ...*server) *load {
	t.Helper()
	l := newLoad(t, senders, servers...)
	l.startSending(senders)
	return l
}

func newLoad(t *testing.T, senders int, servers ...*server) *load {
	t.Helper()
	l := &load{
		t: t, stopped: make(chan struct{}), pace: time.NewTicker(loadPace),
		client: &http.Client{Timeout: answerWait, Transport: &http.Transport{MaxIdleConnsPerHost: 2 * senders}},
	}
	for _, s := range servers {
		l.url = append(l.url, &atomic.Pointer[string]{})
		l.moveServer(len(l.url)-1, s)
	}
	for n := range loadProjects {
		text, _ := servers[0].makeProject(fmt.Sprint("App ", n))
		l.projects = append(l.projects, parseDSN(t, text))
	}
	return l
}

func (l *load) startSending(senders int) {
	for n := range senders {
		l.senders.Go(func() { l.sendUntilStopped(rand.New(rand.NewPCG(uint64(n), 1))) })
	}
	l.t.Cleanup(l.stopSending)
}

func parseDSN(t *testing.T, text string) (d dsn) {
	t.Helper()
	u, err := url.Parse(text)
	require.NoError(t, err)
	d.key = u.User.Username()
	_, err = fmt.Sscanf(u.Path, "/%d", &d.id)
	require.NoError(t, err)
	return d
}

// moveServer tells the senders the new address of a server.
func (l *load) moveServer(n int, s *server) { l.url[n].Store(&s.url) }

// stopSending ends the senders, each after the answer that it waits for.
func (l *load) stopSending() {
	select {
	case <-l.stopped:
		return
	default:
	}
	close(l.stopped)
	l.senders.Wait()
	l.pace.Stop()
	l.client.CloseIdleConnections()
}

// measureOutage causes an outage, waits until the servers accept events again, and notes how long they accepted none.
func (l *load) measureOutage(cause func()) {
	l.t.Helper()
	l.goOn(betweenOutages)
	l.withLock(func() { l.pauses.longest = 0 })
	cause()
	l.goOn(betweenOutages)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.outages = append(l.outages, l.pauses.longest.Round(time.Millisecond))
}

// goOn waits until n more events were accepted.
func (l *load) goOn(n int) {
	l.t.Helper()
	until := l.countTaken() + n
	require.Eventually(l.t, func() bool { return l.countTaken() >= until }, 30*time.Second, 5*time.Millisecond, "the servers take no events")
}

func (l *load) countTaken() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if e.taken > 0 {
			n++
		}
	}
	return n
}

// sendUntilStopped is one sender. It repeats every second event that gets no 200, like a client that retries, and
// drops the others, as SDKs do. With several servers, it sends some events to all of them at the same time.
func (l *load) sendUntilStopped(random *rand.Rand) {
	for {
		select {
		case <-l.stopped:
			return
		case <-l.pace.C:
		}
		e := l.nextEvent(random)
		retry := !e.isOfHotIssue() && random.IntN(2) == 0
		if len(l.url) > 1 && !e.isOfHotIssue() && random.IntN(3) == 0 {
			var all sync.WaitGroup
			for n := range l.url {
				if l.frozen.Load() == int64(n)+1 {
					continue
				}
				all.Go(func() { l.postEvent(e, n, false) })
			}
			all.Wait()
			continue
		}
		native := random.IntN(4) == 0
		for attempt := 0; !l.postEvent(e, l.pickServer(random), native) && retry && attempt < 200; attempt++ {
			select {
			case <-l.stopped:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
}

// pickServer chooses the server for an attempt.
func (l *load) pickServer(random *rand.Rand) int {
	n := random.IntN(len(l.url))
	if l.frozen.Load() == int64(n)+1 {
		n = (n + 1) % len(l.url)
	}
	return n
}

func (l *load) nextEvent(random *rand.Rand) *sentEvent {
	e := &sentEvent{project: random.IntN(loadProjects)}
	for i := range e.id {
		e.id[i] = byte(random.Uint32())
	}
	e.issue = fmt.Sprint("issue ", random.IntN(loadIssues))
	if random.IntN(4) == 0 {
		e.project, e.issue = 0, hotIssue
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
	return e
}

// postEvent sends an event once and notes the answer. It returns true for a 200.
func (l *load) postEvent(e *sentEvent, n int, native bool) bool {
	event := fmt.Sprintf(`{"event_id":"%x","message":"of %s","fingerprint":[%q],"platform":"go","user":{"id":"u-%d"},"release":"shop@1"}`,
		e.id, e.issue, e.issue, e.id[0]%16)
	p := l.projects[e.project]
	path, body := fmt.Sprintf("/api/%d/envelope/?sentry_key=%s", p.id, p.key), fmt.Sprintf("{}\n{\"type\":\"event\"}\n%s\n", event)
	if native {
		path, body = "/v1/ingest?key="+p.key, event
	}
	l.mu.Lock()
	e.attempts++
	l.mu.Unlock()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, *l.url[n].Load()+path, strings.NewReader(body))
	if err != nil {
		l.withLock(func() { l.wrong = append(l.wrong, err.Error()) })
		return false
	}
	begin := time.Now()
	answer, err := l.client.Do(request)
	if err != nil {
		return false // no answer
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return false
	}
	l.withLock(func() {
		l.slowest = max(l.slowest, time.Since(begin))
		l.noteAnswer(e, answer, text, native)
	})
	return answer.StatusCode == http.StatusOK
}

func (l *load) withLock(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fn()
}

// noteAnswer notes an answer.
func (l *load) noteAnswer(e *sentEvent, answer *http.Response, text []byte, native bool) {
	switch answer.StatusCode {
	case http.StatusOK:
		e.taken++
		l.pauses.noteTaken()
		if wrong := e.readAnswer(text, native); wrong != "" {
			l.wrong = append(l.wrong, fmt.Sprintf("%s: %s", wrong, text))
		}
	case http.StatusServiceUnavailable:
		e.refused++
		e.maybe = e.maybe || bytes.Contains(text, []byte("may be stored all the same"))
		if answer.Header.Get("Retry-After") != "5" {
			l.wrong = append(l.wrong, "503 without Retry-After: 5")
		}
	default:
		l.wrong = append(l.wrong, fmt.Sprintf("%d: %s", answer.StatusCode, text))
	}
}

// readAnswer reads a 200 and returns what is wrong with it; empty for nothing.
func (e *sentEvent) readAnswer(text []byte, native bool) string {
	var a struct {
		ID   string
		Data struct {
			EventID   string `json:"event_id"`
			ID        int64
			IssueID   int64 `json:"issue_id"`
			Duplicate bool
		}
	}
	// Both endpoints name an id; the id of an envelope is a text.
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&a); err != nil {
		return err.Error()
	}
	id := a.ID
	if native {
		id, e.storedAs, e.issueID = a.Data.EventID, a.Data.ID, a.Data.IssueID
	}
	switch {
	case id != fmt.Sprintf("%x", e.id):
		return "the id of another event"
	case a.Data.Duplicate && e.attempts == 1:
		return "a duplicate of nothing"
	}
	return ""
}
