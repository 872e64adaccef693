//go:build e2e

package e2e

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// The largest envelope in bytes (decisions 3).
const maxEnvelope = 20 << 20

// mostMemory is the most memory that the server may hold under any input.
const mostMemory = 288 << 20

// TestFaultHostileSenders does to a server what a stranger with a DSN can do; a DSN is public in every page. Well-behaved
// senders continue beside it: they get their answers, and every event that got 200 is there in the end.
func TestFaultHostileSenders(t *testing.T) {
	t.Parallel()
	s := startServerOn(t, newDir(t), underLoad...)
	l := startLoad(t, 8, s)
	text, _ := s.makeProject("Hostile")
	h := &hostile{t: t, server: s, dsn: parseDSN(t, text)}
	for _, attack := range []struct {
		name string
		run  func()
	}{
		{"one envelope of 20 MB", func() { h.sendLargeEnvelopes(1) }},
		{"eight envelopes of 20 MB at once", func() { h.sendLargeEnvelopes(8) }},
		{"an envelope over 20 MB", h.sendTooLarge},
		{"bombs", h.sendBombs},
		{"large bodies that take long", h.costlyBodies},
		{"slow senders", h.slowSenders},
		{"idle connections", h.idleConnections},
		{"unknown keys", h.unknownKeys},
		{"a flood", h.sendFlood},
	} {
		l.goOn(50)
		l.withLock(func() { l.pauses.longest, l.slowest = 0, 0 })
		begin := time.Now()
		attack.run()
		l.goOn(50)
		l.withLock(func() {
			t.Logf("%s: %s, others waited at most %s; memory at most %d MB", attack.name, time.Since(begin).Round(time.Millisecond),
				l.slowest.Round(time.Millisecond), h.serverMemory()>>20)
		})
	}
	l.checkLedger(s, s.databaseURL())
	counted := readLedger(t, s.databaseURL()).projects[h.dsn.id]
	require.True(t, h.taken.Load() <= counted && counted <= h.taken.Load()+h.refused.Load(), "%d of %d", counted, h.taken.Load())
	require.Less(t, h.serverMemory(), int64(mostMemory))
}

// hostile is a sender who attacks a server.
type hostile struct {
	t      *testing.T
	server *server
	dsn    dsn

	taken, refused atomic.Int64 // events
}

// serverMemory is the most memory in bytes that the server has held since it started; 0 where the system does not say.
func (h *hostile) serverMemory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.server.cmd.Process.Pid))
	if err != nil && runtime.GOOS != "linux" {
		return 0
	}
	require.NoError(h.t, err)
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	var kilobytes int64
	_, err = fmt.Sscan(after, &kilobytes)
	require.NoError(h.t, err)
	return kilobytes << 10
}

// postEnvelope sends a body to the project and returns the status; 0 when the connection ended first.
func (h *hostile) postEnvelope(body io.Reader, headers ...string) int {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost,
		fmt.Sprintf("%s/api/%d/envelope/?sentry_key=%s", h.server.url, h.dsn.id, h.dsn.key), body)
	require.NoError(h.t, err)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	client := http.Client{Timeout: answerWait}
	answer, err := client.Do(r)
	if err != nil {
		return 0
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// postEvents sends the same events n times in parallel. They are accepted, or refused for the moment.
func (h *hostile) postEvents(n int, body []byte) {
	h.t.Helper()
	for _, status := range runTogether(n, func(int) int { return h.postEnvelope(bytes.NewReader(body)) }) {
		switch status {
		case http.StatusOK:
			h.taken.Add(1)
		case http.StatusServiceUnavailable, 0: // it may end the connection before it has read everything
			h.refused.Add(1)
		default:
			require.Fail(h.t, "neither taken nor refused", status)
		}
	}
}

// runTogether runs fn n times in parallel and returns the statuses.
func runTogether(n int, fn func(n int) int) []int {
	list := make([]int, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { list[i] = fn(i) })
	}
	all.Wait()
	return list
}

// largeEvent is an event whose one message fills an envelope of that many bytes.
func largeEvent(size int) []byte {
	head, tail := "{}\n{\"type\":\"event\"}\n{\"fingerprint\":[\"large\"],\"extra\":{", "\"z\":1}}\n"
	body := bytes.NewBuffer(make([]byte, 0, size))
	body.WriteString(head)
	for n := 0; body.Len() < size-len(tail)-64; n++ {
		fmt.Fprintf(body, "\"key %d\":[\"value %d\",{}],", n, n)
	}
	body.WriteString(tail)
	body.WriteString(strings.Repeat("\n", size-body.Len()))
	return body.Bytes()
}

func (h *hostile) sendLargeEnvelopes(n int) {
	body := largeEvent(maxEnvelope)
	require.Len(h.t, body, maxEnvelope)
	h.postEvents(n, body)
}

func (h *hostile) sendTooLarge() {
	body := append(largeEvent(maxEnvelope), '\n')
	require.Equal(h.t, http.StatusRequestEntityTooLarge, h.postEnvelope(bytes.NewReader(body)))
	// In chunks, which do not announce the length. The server may end the connection before everything is sent.
	require.Contains(h.t, []int{0, http.StatusRequestEntityTooLarge}, h.postEnvelope(io.MultiReader(bytes.NewReader(body))))
}

// encoders are the encodings, each at its strongest.
var encoders = map[string]func(w io.Writer) (io.WriteCloser, error){
	"gzip":    func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestCompression) },
	"deflate": func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriterLevel(w, zlib.BestCompression) },
	"raw":     func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) },
	"br":      func(w io.Writer) (io.WriteCloser, error) { return brotli.NewWriterLevel(w, 6), nil },
	"zstd": func(w io.Writer) (io.WriteCloser, error) {
		return zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithWindowSize(8<<20))
	},
}

// sendBombs sends four bombs of each encoding in parallel. Each unpacks to about a thousand times its size.
func (h *hostile) sendBombs() {
	const size = 64 << 20
	zeros := make([]byte, 1<<20)
	bombs := map[string][]byte{}
	var packing sync.WaitGroup
	var mu sync.Mutex
	for name, encoder := range encoders {
		packing.Go(func() {
			var bomb bytes.Buffer
			w, err := encoder(&bomb)
			for n := 0; err == nil && n < size; n += len(zeros) {
				_, err = w.Write(zeros)
			}
			if err == nil && w.Close() == nil {
				mu.Lock()
				defer mu.Unlock()
				bombs[name] = bomb.Bytes()
			}
		})
	}
	packing.Wait()
	require.Len(h.t, bombs, len(encoders))
	for name, bomb := range bombs {
		require.Less(h.t, len(bomb), size/700, name)
		encoding := strings.Replace(name, "raw", "deflate", 1)
		for _, status := range runTogether(4, func(int) int { return h.postEnvelope(bytes.NewReader(bomb), "Content-Encoding: "+encoding) }) {
			require.Equal(h.t, http.StatusRequestEntityTooLarge, status, name)
		}
	}
}

// costlyBodies makes six senders of one project repeatedly send 18 MB in a few KB, and a bomb. Another project's events
// of 300 KB are all accepted.
func (h *hostile) costlyBodies() {
	text, _ := h.server.makeProject("Large events")
	other := &hostile{t: h.t, server: h.server, dsn: parseDSN(h.t, text)}
	costly := packText(h.t, "gzip", "{}\n{\"type\":\"event\"}\n{\"exception\":{\"type\":\"E\",\"value\":\""+
		strings.Repeat("1a ", 6<<20)+"\"}}\n")
	bomb := packText(h.t, "br", strings.Repeat("\x00", 64<<20))
	require.Less(h.t, len(costly), 32<<10)
	var over atomic.Bool
	var attack sync.WaitGroup
	defer attack.Wait()
	defer over.Store(true) // even when an event of the other project is refused
	attack.Go(func() {
		runTogether(6, func(n int) int {
			for !over.Load() {
				if n == 0 {
					h.postEnvelope(bytes.NewReader(bomb), "Content-Encoding: br")
				}
				switch h.postEnvelope(bytes.NewReader(costly), "Content-Encoding: gzip") {
				case http.StatusOK:
					h.taken.Add(1)
				default:
					h.refused.Add(1)
				}
			}
			return 0
		})
	})
	event, begin := largeEvent(300<<10), time.Now()
	for _, status := range runTogether(3, func(int) int {
		for range 3 {
			if status := other.postEnvelope(bytes.NewReader(event)); status != http.StatusOK {
				return status
			}
		}
		return http.StatusOK
	}) {
		require.Equal(h.t, http.StatusOK, status, "an event of 300 KB of another project")
	}
	h.t.Logf("9 events of 300 KB of another project took %s", time.Since(begin).Round(time.Millisecond))
	require.EqualValues(h.t, 9, readLedger(h.t, h.server.databaseURL()).projects[other.dsn.id])
}

// packText is a text in an encoding.
func packText(t *testing.T, encoding, text string) []byte {
	t.Helper()
	var body bytes.Buffer
	w, err := encoders[encoding](&body)
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return body.Bytes()
}

// dialServer returns a bare connection, which ends with the test.
func (h *hostile) dialServer() net.Conn {
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.server.url, "http://"))
	require.NoError(h.t, err)
	return conn
}

// requestHead begins a request to the project with a body of that many bytes.
func (h *hostile) requestHead(length int) string {
	return fmt.Sprintf("POST /api/%d/envelope/?sentry_key=%s HTTP/1.1\r\nHost: errand\r\nContent-Length: %d\r\n\r\n",
		h.dsn.id, h.dsn.key, length)
}

// slowSenders sends bodies a byte at a time over 2,000 connections.
func (h *hostile) slowSenders() {
	conns := make([]net.Conn, 2000)
	for n := range conns {
		conns[n] = h.dialServer()
		defer conns[n].Close()
		_, err := io.WriteString(conns[n], h.requestHead(60_000))
		require.NoError(h.t, err)
	}
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for range 5 {
		<-tick.C
		for _, conn := range conns {
			_, _ = conn.Write([]byte("{")) // the server may have ended it
		}
	}
}

// idleConnections opens 2,000 connections and sends nothing on them.
func (h *hostile) idleConnections() {
	for range 2000 {
		defer h.dialServer().Close()
	}
	require.Equal(h.t, http.StatusOK, h.postEnvelope(strings.NewReader("{}\n")))
}

// unknownKeys asks with a new key each time, and measures how long an agent's call takes beside it.
func (h *hostile) unknownKeys() {
	const senders, each = 64, 100
	done := make(chan []int)
	go func() {
		client := http.Client{Timeout: answerWait, Transport: &http.Transport{MaxIdleConnsPerHost: senders}}
		defer client.CloseIdleConnections()
		done <- runTogether(senders, func(int) int {
			for range each {
				key := fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
				answer, err := client.Post(h.server.url+"/v1/ingest?key="+key, "application/json", strings.NewReader(`{"message":"boom"}`))
				if err != nil {
					return 0
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				if answer.StatusCode != http.StatusUnauthorized && answer.StatusCode != http.StatusTooManyRequests {
					return answer.StatusCode
				}
			}
			return http.StatusUnauthorized
		})
	}()
	var slowest time.Duration
	for begin := time.Now(); ; {
		select {
		case statuses := <-done:
			for _, status := range statuses {
				require.Equal(h.t, http.StatusUnauthorized, status)
			}
			h.t.Logf("%d unknown keys in %s; an agent waited at most %s", senders*each, time.Since(begin).Round(time.Millisecond),
				slowest.Round(time.Millisecond))
			return
		default:
			call := time.Now()
			require.Equal(h.t, http.StatusOK, h.server.callAPI(adminToken, "GET", "/v1/issues?limit=1", "", nil))
			slowest = max(slowest, time.Since(call))
		}
	}
}

// sendFlood sends far more in parallel than the server may hold: 100 bodies of 1 MB. The server refuses what it cannot take in time.
func (h *hostile) sendFlood() {
	taken, refused := h.taken.Load(), h.refused.Load()
	h.postEvents(100, largeEvent(1<<20))
	h.t.Logf("of the flood %d were taken, %d refused", h.taken.Load()-taken, h.refused.Load()-refused)
	require.Positive(h.t, h.taken.Load()-taken)
}
