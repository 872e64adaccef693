package edge

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requestWith is a request with n headers, including its Host.
func requestWith(headers int) string {
	var b strings.Builder
	b.WriteString("GET / HTTP/1.1\r\nHost: errand\r\n")
	for n := range headers - 1 {
		fmt.Fprintf(&b, "h%d:\r\n", n)
	}
	return b.String() + "\r\n"
}

// requestOf is a request with size bytes of request line and headers.
func requestOf(size int) string {
	const before, after = "GET / HTTP/1.1\r\nHost: errand\r\nA: ", "\r\n\r\n"
	return before + strings.Repeat("a", size-len(before)-len(after)) + after
}

func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	_, address := startServer(t, readAll, nil)
	const ended = "\r\n"
	for name, c := range map[string]struct {
		request string
		status  int
	}{
		"as many as may be": {requestWith(maxHeaders), http.StatusOK},
		"one more":          {requestWith(maxHeaders + 1), http.StatusRequestHeaderFieldsTooLarge},
		"far more":          {requestWith(100_000), http.StatusRequestHeaderFieldsTooLarge},
		"without an end":    {strings.TrimSuffix(requestWith(maxHeaders+1), ended), http.StatusRequestHeaderFieldsTooLarge},
		"without returns":   {strings.ReplaceAll(requestWith(maxHeaders+1), "\r", ""), http.StatusRequestHeaderFieldsTooLarge},
		"as long as may be": {requestOf(maxHeaderBytes), http.StatusOK},
		"a byte longer":     {requestOf(maxHeaderBytes + 1), http.StatusRequestHeaderFieldsTooLarge},
		"far longer":        {requestOf(1 << 20), http.StatusRequestHeaderFieldsTooLarge},
		"a long line":       {"GET /" + strings.Repeat("a", maxHeaderBytes), http.StatusRequestHeaderFieldsTooLarge},
		"lines that go on": {strings.TrimSuffix(get, ended) + "A: a" + strings.Repeat("\r\n b", maxHeaders),
			http.StatusRequestHeaderFieldsTooLarge},
		"empty lines before":  {strings.Repeat("\r\n", maxHeaderBytes), http.StatusBadRequest},
		"behind a request":    {get + requestWith(maxHeaders+1), http.StatusOK},
		"behind a body":       {postHead("/", 3) + "abc" + requestWith(maxHeaders+1), http.StatusOK},
		"behind much of body": {postHead("/", 9000) + strings.Repeat("\n", 9000) + requestWith(maxHeaders+1), http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			client := dialServer(t, address)
			go func() { _, _ = client.Write([]byte(c.request)) }() // the server may end it before all is sent
			response, text := client.readAnswer()

			if strings.HasPrefix(name, "behind") {
				require.Equal(t, http.StatusOK, response.StatusCode)
				response, text = client.readAnswer()
				c.status = http.StatusRequestHeaderFieldsTooLarge
			}

			require.Equal(t, c.status, response.StatusCode, text)
			if c.status == http.StatusRequestHeaderFieldsTooLarge {
				require.JSONEq(t, `{"error":"headers_too_large","max_bytes":16384,"max_headers":100}`, text)
				require.Equal(t, "application/json", response.Header.Get("Content-Type"))
				require.NotEmpty(t, response.Header.Get("X-Request-Id"))
				require.NotContains(t, response.Header, "Cache-Control", "browsers count such an answer against what a page may send")
				require.True(t, response.Close)
				client.requireEnd(name)
			}
		})
	}
}

// A header is read the same in pieces of any size, and the bytes after it stay untouched.
func TestHeadersInPieces(t *testing.T) {
	t.Parallel()
	text := "\r\n\nPOST / HTTP/1.1\r\nHost: errand\r\nA: \r\r\nB:\n c\r\n\r\nbody\r\n\r\n"
	end := strings.Index(text, "body")
	for size := 1; size <= len(text); size++ {
		var h header
		used := 0
		for ended := false; !ended; {
			n := 0
			n, ended = h.countPiece([]byte(text[used:min(used+size, len(text))]))
			used += n
			require.LessOrEqual(t, used, end)
		}
		require.Equal(t, end, used, "in pieces of %d", size)
		require.Equal(t, header{bytes: end, lines: 5}, h)
	}
}

// Headers that never end make the server keep little memory. Not parallel: it measures the memory of the process.
func TestMemoryOfHeadersThatNeverEnd(t *testing.T) {
	const clients, most = 300, 64 << 10
	connections, address := startServer(t, readAll, nil)
	before := inUse()
	header := strings.TrimSuffix(requestWith(maxHeaders), "\r\n")
	header += "A: " + strings.Repeat("a", maxHeaderBytes-len(header)-3)
	for range clients {
		client := dialServer(t, address)
		client.sendText(header)
		connections.untilHeader(client, maxHeaderBytes)
	}
	after := inUse()

	t.Logf("%d connections hold %d KB each", clients, (after-before)/clients>>10)

	require.Less(t, after-before, int64(clients*most))
}

// inUse is how many bytes of heap and stacks the process uses.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
