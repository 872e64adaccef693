//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mostUnderFloods is the most memory that a server may hold while strangers without a credential flood it.
const mostUnderFloods = 224 << 20

// TestFaultFloods does to a server what a stranger without a credential can do. A well-behaved client continues beside it.
func TestFaultFloods(t *testing.T) {
	t.Parallel()
	s := startServerOn(t, newDir(t))
	text, _ := s.makeProject("Shop")
	h := &hostile{t: t, server: s, dsn: parseDSN(t, text)}
	for _, flood := range []struct {
		name string
		run  func()
	}{
		{"1,000 clients with 6,000 headers", func() { h.holdConnections(1000, 1, manyHeaders(6000)) }},
		{"1,000 clients with headers that never end", func() { h.holdConnections(1000, 1, manyHeaders(99)+"A: "+strings.Repeat("a", 15_000)) }},
		{"4,100 refused requests whose body never comes", func() { h.holdConnections(4100, 1, refusedRequest) }},
		{"4,100 refused events whose body never comes", func() { h.holdConnections(4100, 1, refusedEvent) }},
		{"4,100 clients that send a header, a byte at a time", func() { h.holdConnections(4100, 5, "GET / HTTP/1.1\r\nHost: errand\r\nA: ") }},
		{"10,000 wrong credentials", h.wrongCredentials},
	} {
		begin := time.Now()
		flood.run()
		t.Logf("%s: %s; memory at most %d MB", flood.name, time.Since(begin).Round(time.Millisecond), h.serverMemory()>>20)
		require.Less(t, h.serverMemory(), int64(mostUnderFloods), flood.name)
	}
}

// Requests that are refused without reading their body.
const (
	refusedRequest = "POST /v1/projects HTTP/1.1\r\nHost: errand\r\nContent-Length: 1000\r\n\r\n"
	refusedEvent   = "POST /api/1/store/ HTTP/1.1\r\nHost: errand\r\nContent-Length: 1000\r\n\r\n"
)

// manyHeaders is the beginning of a request with n small headers.
func manyHeaders(n int) string {
	var b strings.Builder
	b.WriteString("GET / HTTP/1.1\r\nHost: errand\r\n")
	for i := range n - 1 {
		fmt.Fprintf(&b, "a%d: b\r\n", i)
	}
	return b.String()
}

// holdConnections opens connections, sends a text and then some bytes on each, and holds them while a well-behaved client is served.
func (h *hostile) holdConnections(n, drips int, text string) {
	h.t.Helper()
	conns := make([]net.Conn, n)
	defer func() {
		for _, conn := range conns {
			if conn != nil {
				_ = conn.Close()
			}
		}
	}()
	var dialing sync.WaitGroup
	for from := range 16 {
		dialing.Go(func() {
			for i := from; i < n; i += 16 {
				conn, err := net.Dial("tcp", strings.TrimPrefix(h.server.url, "http://"))
				if err != nil {
					continue // it may be refused
				}
				conns[i] = conn
				_ = conn.SetWriteDeadline(time.Now().Add(answerWait))
				_, _ = io.WriteString(conn, text) // the server may have ended it
			}
		})
	}
	dialing.Wait()
	h.awaitAnswers(conns)
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	served, slowest := 0, time.Duration(0)
	for range drips {
		for range 20 / drips {
			begin := time.Now()
			if h.probeIsAnswered() {
				served++
			}
			slowest = max(slowest, time.Since(begin))
		}
		for _, conn := range conns {
			if conn != nil && drips > 1 {
				_, _ = conn.Write([]byte("x"))
			}
		}
		<-tick.C
	}
	h.t.Logf("%d of 20 clients that behave were served, in at most %s", served, slowest.Round(time.Millisecond))
	require.Equal(h.t, 20, served)
}

// awaitAnswers waits until every connection has the beginning of its answer, or for a while if it gets none.
func (h *hostile) awaitAnswers(conns []net.Conn) {
	until, first := time.Now().Add(2*time.Second), make([]byte, 1)
	for _, conn := range conns {
		if conn != nil {
			_ = conn.SetReadDeadline(until)
			_, _ = conn.Read(first)
		}
	}
}

// probeIsAnswered reports whether a new client with a good key, and one with a good token, are served.
func (h *hostile) probeIsAnswered() bool {
	client := &http.Client{Timeout: answerWait, Transport: &http.Transport{DisableKeepAlives: true}}
	body := strings.NewReader(`{"message":"cart cannot be loaded"}`)
	event, err := http.NewRequestWithContext(h.t.Context(), "POST", h.server.url+"/v1/ingest", body)
	require.NoError(h.t, err)
	event.Header.Set("X-Service-Key", h.dsn.key)
	call, err := http.NewRequestWithContext(h.t.Context(), "GET", h.server.url+"/v1/issues?limit=1", nil)
	require.NoError(h.t, err)
	call.Header.Set("Authorization", "Bearer "+adminToken)
	for _, request := range []*http.Request{event, call} {
		answer, err := client.Do(request)
		if err != nil {
			h.t.Log("a client that behaves: ", err)
			return false
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			h.t.Log("a client that behaves: ", answer.Status)
			return false
		}
	}
	return true
}

// wrongCredentials tries tokens and keys, each different, while a client with good ones continues.
func (h *hostile) wrongCredentials() {
	const senders, each = 16, 625
	client := &http.Client{Timeout: answerWait, Transport: &http.Transport{MaxIdleConnsPerHost: senders}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	statuses, done := map[int]int{}, make(chan struct{})
	go func() {
		defer close(done)
		runTogether(senders, func(sender int) int {
			for n := range each {
				request, _ := http.NewRequest("POST", h.server.url+"/v1/ingest", strings.NewReader("{}"))
				request.Header.Set("X-Service-Key", fmt.Sprintf("%032d", sender*each+n))
				if n%2 == 0 {
					request, _ = http.NewRequest("GET", h.server.url+"/v1/projects", nil)
					request.Header.Set("Authorization", fmt.Sprintf("Bearer ck_%043d", sender*each+n))
				}
				status := 0
				if answer, err := client.Do(request); err == nil {
					_, _ = io.Copy(io.Discard, answer.Body)
					_ = answer.Body.Close()
					status = answer.StatusCode
				}
				mu.Lock()
				statuses[status]++
				mu.Unlock()
			}
			return 0
		})
	}()
	probes, slowest := 0, time.Duration(0)
	for over := false; !over; {
		begin := time.Now()
		require.True(h.t, h.probeIsAnswered())
		slowest = max(slowest, time.Since(begin))
		probes++
		select {
		case <-done:
			over = true
		default:
		}
	}
	h.t.Logf("answers by status: %v; %d clients that behave were served beside them, in at most %s", statuses, probes,
		slowest.Round(time.Millisecond))
	require.Equal(h.t, senders*each, statuses[http.StatusUnauthorized]+statuses[http.StatusTooManyRequests])
	require.Less(h.t, statuses[http.StatusUnauthorized], senders*each/10)
}
