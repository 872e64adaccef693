package app_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"errand/app"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// TestStopAnswersWhatItHasAccepted stops the server while events wait for their commit, and while bodies of other events
// and of a call are arriving.
func TestStopAnswersWhatItHasAccepted(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := startServer(t, configWithJobs(databaseURL))
	key := s.makeProject(t)
	issue := s.sendEvent(t, key)
	lock, err := openConnection(t, databaseURL).Begin(t.Context())
	require.NoError(t, err)
	_, err = lock.Exec(t.Context(), `LOCK TABLE issues IN EXCLUSIVE MODE`) // reads continue
	require.NoError(t, err)

	const many = 8
	var accepted sync.WaitGroup
	answers := make(chan answer, 2*many+1)
	send := func(path, key, body string, gate chan struct{}) {
		accepted.Add(1)
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: accepted.Done})
		go func() {
			answers <- s.sendRequest(ctx, http.MethodPost, path, key, io.MultiReader(gatedReader(gate), strings.NewReader(body)))
		}()
	}
	now, later := make(chan struct{}), make(chan struct{})
	close(now)
	for range many {
		send("/v1/ingest", key, event, now)
		send("/v1/ingest", key, event, later)
	}
	send(fmt.Sprintf("/v1/issues/%d/claim", issue), "", `{"minutes": 5}`, later)
	accepted.Wait()
	require.Eventually(t, func() bool { // wait until a commit has begun
		var waiting int
		err := lock.QueryRow(t.Context(), waitsForIssues).Scan(&waiting)
		return err == nil && waiting > 0
	}, atMost, every)

	s.end()
	require.Eventually(t, func() bool { return refusesConnections(s.listenAddress()) }, atMost, every)
	close(later)
	require.NoError(t, lock.Rollback(t.Context()))
	for range cap(answers) {
		got := <-answers
		require.NoError(t, got.err)
		require.Equal(t, http.StatusOK, got.status, got.body)
	}
	s.stopServer(t)
	require.EqualValues(t, 1+2*many, timesSeen(t, databaseURL, issue))
}

// gatedReader is a reader that ends, without a byte, when the gate opens.
type gatedReader chan struct{}

func (g gatedReader) Read([]byte) (int, error) {
	<-g
	return 0, io.EOF
}

// TestStopLosesNothing stops the server under a stream of events. Every event that was answered counts, and no other.
func TestStopLosesNothing(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.NewURL(t)
	s := startServer(t, configWithJobs(databaseURL))
	key := s.makeProject(t)
	issue := s.sendEvent(t, key)
	const senders, before = 4, 40
	var taken atomic.Int64
	taken.Add(1)
	enough, refused := make(chan struct{}), make(chan answer, senders)
	for range senders {
		go func() {
			for {
				got := s.sendRequest(t.Context(), http.MethodPost, "/v1/ingest", key, strings.NewReader(event))
				if got.err != nil || got.status != http.StatusOK {
					refused <- got
					return
				}
				if taken.Add(1) == before {
					close(enough)
				}
			}
		}()
	}
	<-enough
	s.end()
	for range senders {
		got := <-refused
		require.Error(t, got.err, "%d %s", got.status, got.body)
	}

	s.stopServer(t)

	require.Equal(t, taken.Load(), timesSeen(t, databaseURL, issue))
}

// Not parallel: it looks at all goroutines of the process.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	databaseURL := storetest.NewURL(t)
	before := goleak.IgnoreCurrent()
	s := startServer(t, configWithJobs(databaseURL))
	s.sendEvent(t, s.makeProject(t))
	require.NoError(t, s.sendRequest(t.Context(), http.MethodGet, "/readyz", "", nil).err)
	s.stopServer(t)
	goleak.VerifyNone(t, before)

	_, err := app.New(t.Context(), configWithJobs(storetest.NewEmptyURL(t)+"&options=-c%20default_transaction_read_only%3Don"), "0.0.0",
		(&logtext.Text{}).NewLogger())
	require.Error(t, err, "nothing can be migrated")
	goleak.VerifyNone(t, before)
}

// TestServerEndsWhenServingFails breaks the listener. Jobs and deliveries end as well, though no signal came.
func TestServerEndsWhenServingFails(t *testing.T) {
	t.Parallel()
	s := startServer(t, configWithJobs(storetest.NewURL(t)))
	require.Equal(t, http.StatusOK, s.sendRequest(t.Context(), http.MethodGet, "/readyz", "", nil).status)
	s.ended = true
	require.NoError(t, s.BreakListener())
	select {
	case err := <-s.done:
		require.ErrorIs(t, err, net.ErrClosed)
	case <-time.After(atMost):
		require.Fail(t, "it does not end")
	}
	s.Close(context.Background())
}
