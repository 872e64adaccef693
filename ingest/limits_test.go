package ingest_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/ingest"
)

// padTo makes a text of exactly size bytes; spaces at the end change nothing.
func padTo(text string, size int) string { return text + strings.Repeat(" ", size-len(text)) }

// envelopeOfSize makes an envelope of exactly size bytes with the n-th event.
func envelopeOfSize(n, size int) string {
	return padTo("{}\n{\"type\":\"event\"}\n"+eventText(n), size)
}

func TestLargestBodies(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	n := 0

	for _, c := range []struct {
		path, key string
		limit     int
		body      func(size int) string
	}{
		{envelopes, byKey, ingest.MaxEnvelope, func(size int) string { return envelopeOfSize(n, size) }},
		{events, byKey, ingest.MaxEnvelope, func(size int) string { return padTo(eventText(n), size) }},
		{native, nativeByKey, ingest.MaxNative, func(size int) string { return padTo(eventText(n), size) }},
	} {
		for _, over := range []int{0, 1} {
			n++
			body := c.body(c.limit + over)
			answers := map[string]answer{
				"whole":     s.postBody(c.path, []byte(body), c.key),
				"in chunks": s.sendRequest(http.MethodPost, c.path, chunkedBody(body), c.key),
			}
			if c.path != events { // packing 20 MB takes its time
				for _, encoding := range []string{"gzip", "zstd"} {
					answers[encoding] = s.postBody(c.path, packText(t, encoding, strings.NewReader(body)), c.key, "Content-Encoding: "+encoding)
				}
			}
			for name, a := range answers {
				if over == 0 {
					require.Equal(t, http.StatusOK, a.status, "%s, %s: %s", c.path, name, a.text)
					continue
				}
				requireTooLarge(t, a, c.limit, c.path+" "+name)
			}
		}
	}

	require.EqualValues(t, 3, s.eventsCounted())
}

func requireTooLarge(t *testing.T, a answer, limit int, name string) {
	t.Helper()
	require.Equal(t, http.StatusRequestEntityTooLarge, a.status, "%s: %s", name, a.text)
	require.Equal(t, "payload_too_large", a.body["error"], name)
	require.EqualValues(t, limit, a.body["max_bytes"], name)
}

// zeros is a reader of zeros that takes no memory.
type zeros struct{ left int64 }

func (z zeros) WriteTo(w io.Writer) (int64, error) {
	return io.CopyN(w, spaces{}, z.left)
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestCompressionBombs is not parallel: it measures the memory of the process.
func TestCompressionBombs(t *testing.T) {
	s := startServer(t)
	bombs := map[string][]byte{}
	for name := range encodings {
		const size = 24 << 20
		bombs[name] = packText(t, name, zeros{size})
		require.Less(t, len(bombs[name]), size/190, name) // raw deflate at its best speed; the others are a thousand times smaller
	}

	for name, bomb := range bombs {
		atMost := uint64(16 << 20) // a body is measured before memory is taken for it
		switch name {
		case "br window":
			atMost += 32 << 20 // the window, and half of it before
		case "zstd", "zstd window":
			atMost += 3 * ingest.MaxEnvelope // these are not measured
		}
		for path, limit := range map[string]int{envelopes: ingest.MaxEnvelope, native: ingest.MaxNative} {
			before := allocatedBytes()
			a := s.postBody(path, bomb, byKey, nativeByKey, "Content-Encoding: "+encodings[name].header)
			requireTooLarge(t, a, limit, name+" at "+path)
			require.Less(t, allocatedBytes()-before, atMost, "%s at %s", name, path)
		}
	}

	requireTooLarge(t, s.postBody(events, []byte(base64Of(bombs["zlib"])), byKey), ingest.MaxEnvelope, "in base64")
}

// allocatedBytes is how many bytes the process has ever taken from its heap.
func allocatedBytes() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func TestManyLargeBodiesAtOnce(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	runTogether(6, func(n int) {
		body := []byte(envelopeOfSize(n, ingest.MaxEnvelope))
		a := s.postBody(envelopes, body, byKey)
		require.Equal(t, http.StatusOK, a.status, "none is refused: %s", a.text)
	})

	require.EqualValues(t, 6, s.eventsCounted())
}

// openConnection returns a bare connection to the server.
func (s *server) openConnection(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	return conn, bufio.NewReader(conn)
}

// requestHead is the beginning of a request with a body.
func requestHead(path, key, length string) string {
	return "POST " + path + " HTTP/1.1\r\nHost: errand\r\n" + key + "\r\n" + length + "\r\n\r\n"
}

func TestSlowSenders(t *testing.T) {
	t.Parallel()
	s := startServerWith(t, config{before: func(i *ingest.Ingest) { i.ReadAtMost(50 * time.Millisecond) }})
	for name, c := range map[string]struct {
		start, answer string
		status        int
	}{
		"with a length": {requestHead(envelopes, byKey, "Content-Length: 1000") + "{}\n", "the body did not come in time", http.StatusBadRequest},
		"in chunks": {requestHead(envelopes, byKey, "Transfer-Encoding: chunked") + "3\r\n{}\n\r\n",
			"the body did not come in time", http.StatusBadRequest},
		"large": {requestHead(envelopes, byKey, "Content-Length: 1000000") + strings.Repeat(" ", 100_000),
			"the body did not come in time", http.StatusBadRequest},
		"nothing":       {requestHead(native, nativeByKey, "Content-Length: 10"), "the body did not come in time", http.StatusBadRequest},
		"refused":       {requestHead(native, "X-Service-Key: unknown", "Content-Length: 10"), "unauthorized", http.StatusUnauthorized},
		"refused, long": {requestHead(native, "X-Service-Key: unknown", "Content-Length: 1000000"), "unauthorized", http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			conn, reader := s.openConnection(t)
			_, err := io.WriteString(conn, c.start)
			require.NoError(t, err)
			response, err := http.ReadResponse(reader, nil)
			require.NoError(t, err)
			text, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.Equal(t, c.status, response.StatusCode, text)
			require.Contains(t, string(text), c.answer)

			_, err = reader.ReadByte()
			require.ErrorIs(t, err, io.EOF, "the connection is ended")
		})
	}
}

// A slow sender is ended when others need the memory, and not before.
func TestSlowSendersDoNotKeepOthersOut(t *testing.T) {
	t.Parallel()
	// On a busy machine the events take some time too, and are not to count as slow.
	s := startServerWith(t, config{before: func(i *ingest.Ingest) { i.SlowAfter(200 * time.Millisecond) }})
	slowly := func() (io.Writer, *bufio.Reader) {
		conn, reader := s.openConnection(t)
		_, err := io.WriteString(conn, requestHead(envelopes, byKey, "Content-Length: 60000")+"{}\n")
		require.NoError(t, err)
		return conn, reader
	}
	conn, reader := slowly()
	require.Eventually(t, func() bool { return s.BodiesBeingRead() == 1 }, 10*time.Second, time.Millisecond)
	requireTaken(t, s.postEvents(eventItem(1)))
	_, err := io.WriteString(conn, strings.Repeat("\n", 60_000-3))
	require.NoError(t, err)
	response, err := http.ReadResponse(reader, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "there was room for all")

	require.Eventually(t, func() bool { return s.FreeBytes() == ingest.MaxHeld }, 10*time.Second, time.Millisecond)
	defer s.LeaveFree(8 << 10)()
	_, reader = slowly()
	require.Eventually(t, func() bool { return s.BodiesBeingRead() == 1 }, 10*time.Second, time.Millisecond)
	for range 20 { // more than there is room for
		_, _ = slowly()
	}
	requireTaken(t, s.postEvents(eventItem(2)))
	response, err = http.ReadResponse(reader, nil)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	require.Contains(t, string(text), "the body did not come in time")
}

// Small bodies do not wait while large bodies wait for memory.
func TestLargeBodiesDoNotKeepSmallOnesOut(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for range 3 { // one has to wait, because each needs 8 MB now
		conn, _ := s.openConnection(t)
		go func() { // it is not read to its end
			_, _ = io.WriteString(conn, requestHead(envelopes, byKey, "Content-Length: 20000000")+strings.Repeat(" ", 5_000_000))
		}()
	}
	require.Eventually(t, func() bool { return s.WaitingForLarge() > 0 }, 10*time.Second, time.Millisecond)

	for n := range 5 {
		requireTaken(t, s.postEvents(eventItem(n)))
	}

	require.Positive(t, s.WaitingForLarge())
}

// The deadline is only for the body: it does not end a kept connection or a waiting request.
func TestDeadlineEndsWithTheBody(t *testing.T) {
	t.Parallel()
	s := startServerWith(t, config{before: func(i *ingest.Ingest) { i.ReadAtMost(100 * time.Millisecond) }})
	conn, reader := s.openConnection(t)
	for n := range 2 {
		unlock := s.lockEvents(t)
		body := string(envelopeOf("{}", eventItem(n)))
		_, err := io.WriteString(conn, requestHead(envelopes, byKey, fmt.Sprintf("Content-Length: %d", len(body)))+body)
		require.NoError(t, err)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(300*time.Millisecond)))
		_, err = reader.Peek(1)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded, "the answer waits for the lock")
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(20*time.Second)))
		unlock()
		response, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, response.Body)
		require.Equal(t, http.StatusOK, response.StatusCode)
	}
}

func TestClientsThatGoAway(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for _, start := range []string{
		requestHead(envelopes, byKey, "Content-Length: 1000") + "{}\n",
		requestHead(envelopes, byKey, "Transfer-Encoding: chunked") + "3\r\n{}\n\r\n",
		requestHead(native, nativeByKey, "Content-Length: 100000") + eventText(1),
	} {
		conn, reader := s.openConnection(t)
		_, err := io.WriteString(conn, start)
		require.NoError(t, err)
		require.NoError(t, conn.(*net.TCPConn).CloseWrite())
		response, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		_ = response.Body.Close()
		require.Equal(t, http.StatusBadRequest, response.StatusCode, "half an event is none")
	}

	require.Zero(t, s.eventsCounted())
	require.Empty(t, s.log.String(), "what clients break off is nothing to report")
}

// A page that is being closed sends its last error and does not wait for the answer.
func TestEventOfAClientThatDoesNotWait(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	unlock := s.lockEvents(t)
	body := string(envelopeOf("{}", eventItem(1)))
	conn, _ := s.openConnection(t)
	_, err := io.WriteString(conn, requestHead(envelopes, byKey, fmt.Sprintf("Content-Length: %d", len(body)))+body)
	require.NoError(t, err)
	s.untilBlocked(t)
	require.NoError(t, conn.Close())
	unlock()
	require.Eventually(t, func() bool { return s.eventsCounted() == 1 }, 10*time.Second, time.Millisecond)
}

func TestHugeHeaders(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	long := strings.Repeat("x", 50_000)
	for name, headers := range map[string][]string{
		"in the credentials": {byKey + ", sentry_client=" + long}, "pairs": {byKey + strings.Repeat(",a=b", 10_000)},
		"origin": {byKey, "Origin: " + long},
		"commas": {byKey, "Content-Encoding: " + strings.Repeat(",", 50_000)}, "user agent": {byKey, "User-Agent: " + long},
	} {
		a := s.postBody(envelopes, envelopeOf("{}", eventItem(1)), headers...)
		require.Equal(t, http.StatusOK, a.status, "%s: %s", name, a.text)
	}

	a := s.postBody(envelopes+"?"+strings.Repeat("a=b&", 9_000)+"sentry_key="+shopKey, envelopeOf("{}", eventItem(1)))

	require.Equal(t, http.StatusOK, a.status, a.text)
	requireUnauthorized(t, s.postBody(native, nil, "X-Service-Key: "+long), "a long key")
}
