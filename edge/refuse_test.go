package edge

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// refuseAll is a handler that answers before it reads a body. The request decides whether the answer closes the connection, and
// whether it has a length.
func refuseAll(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/closes" {
		w.Header().Set("Connection", "close")
	}
	if r.URL.Path != "/unknown" {
		w.Header().Set("Content-Length", "7")
	}
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = io.WriteString(w, "refused")
}

// promptly is far shorter than the server waits for a body.
const promptly = 10 * time.Second

// A refused client that sends nothing more is answered immediately, and its connection ends.
func TestRefusedConnectionsEnd(t *testing.T) {
	t.Parallel()
	connections, address := startServer(t, refuseAll, nil)
	for _, path := range []string{"/", "/closes", "/unknown"} {
		for name, request := range map[string]string{
			"nothing of a body":       postHead(path, 1000),
			"a part of it":            postHead(path, 1000) + "{",
			"nothing of a large body": postHead(path, 20<<20),
			"chunks":                  "POST " + path + " HTTP/1.1\r\nHost: errand\r\nTransfer-Encoding: chunked\r\n\r\n",
			"a chunk":                 "POST " + path + " HTTP/1.1\r\nHost: errand\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
			"a broken chunk":          "POST " + path + " HTTP/1.1\r\nHost: errand\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n",
			"a GET with a body":       "GET " + path + " HTTP/1.1\r\nHost: errand\r\nContent-Length: 9\r\n\r\n",
			"that would close":        "POST " + path + " HTTP/1.1\r\nHost: errand\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n",
			"HTTP/1.0":                "POST " + path + " HTTP/1.0\r\nContent-Length: 1000\r\n\r\n",
			"that asks first":         "POST " + path + " HTTP/1.1\r\nHost: errand\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n",
		} {
			t.Run(path+" "+name, func(t *testing.T) {
				t.Parallel()
				client := dialServer(t, address)
				require.NoError(t, client.SetDeadline(time.Now().Add(promptly)))

				client.sendText(request)

				client.requireStatus(http.StatusUnauthorized, name)
				client.requireEnd(name)
			})
		}
	}
	t.Cleanup(func() {
		require.Eventually(t, func() bool { return connections.countOpen() == 0 }, promptly, every)
	})
}

// A client that sends everything before it reads finds the answer. Its connection is kept unless it should close.
func TestRefusedClientsReadTheAnswer(t *testing.T) {
	t.Parallel()
	_, address := startServer(t, refuseAll, nil)
	for _, c := range []struct {
		path  string
		bytes int
		kept  bool
	}{{"/", 10, true}, {"/", 5000, true}, {"/", 200_000, true}, {"/closes", 10, false}, {"/closes", 200_000, false}, {"/", 300_000, false}} {
		t.Run(fmt.Sprint(c.path, " ", c.bytes), func(t *testing.T) {
			client := dialServer(t, address)
			client.sendText(postHead(c.path, c.bytes))
			response, _ := client.readAnswer()
			require.Equal(t, http.StatusUnauthorized, response.StatusCode, "before the body")
			require.Equal(t, !c.kept, response.Close, "the client knows whether it can send another request: %v", c)

			if c.kept {
				client.sendText(strings.Repeat("x", c.bytes) + postHead("/", 2) + "{}")
				client.requireStatus(http.StatusUnauthorized, "the next request on the connection")
				return
			}
			client.sendText(strings.Repeat("x", min(c.bytes, 100_000)))
			client.requireEnd(c.path)
		})
	}
	for _, header := range []string{"", "Connection: close\r\n"} {
		for _, size := range []int{10, 5000, 200_000} {
			client := dialServer(t, address)
			client.sendText(fmt.Sprintf("POST / HTTP/1.1\r\nHost: errand\r\n%sContent-Length: %d\r\n\r\n%s", header, size,
				strings.Repeat("x", size)))
			client.requireStatus(http.StatusUnauthorized, header)
		}
	}
}

// The rest of a refused body is never taken for a request.
func TestRestOfARefusedBodyIsNoRequest(t *testing.T) {
	t.Parallel()
	paths := make(chan string, 10)
	_, address := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		paths <- r.URL.Path
		refuseAll(w, r)
	}, nil)
	const smuggled = "GET /smuggled HTTP/1.1\r\nHost: errand\r\n\r\n"
	for _, request := range []string{
		postHead("/first", len(smuggled)+1) + smuggled,
		"POST /first HTTP/1.1\r\nHost: errand\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" + smuggled,
		"POST /first HTTP/1.1\r\nHost: errand\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n" + smuggled,
	} {
		client := dialServer(t, address)
		client.sendText(request)
		client.requireStatus(http.StatusUnauthorized, request)
		client.requireEnd(request)
		require.Equal(t, "/first", <-paths)
		require.Empty(t, paths)
	}
}

// A refused client that keeps sending is cut off after a while: by time when it sends slowly, by bytes when it sends much.
func TestRefusedSendersAreBounded(t *testing.T) {
	t.Parallel()
	connections, address := startServer(t, refuseAll, nil)
	for _, path := range []string{"/", "/closes"} {
		for _, piece := range []int{1, 64 << 10} {
			client := dialServer(t, address)
			client.sendText(postHead(path, 1<<30))
			client.requireStatus(http.StatusUnauthorized, path)
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for begin := time.Now(); ; <-tick.C {
				if _, err := io.WriteString(client, strings.Repeat("x", piece)); err != nil {
					break
				}
				require.Less(t, time.Since(begin), promptly, strconv.Itoa(piece))
			}
		}
	}
	require.Eventually(t, func() bool { return connections.countOpen() == 0 }, promptly, every)
}

// Connections of well-behaved clients are kept, for every kind of request.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	_, address := startServer(t, readAll, nil)
	client := dialServer(t, address)
	for range 3 {
		for _, request := range []string{
			get, postHead("/", 5) + "hello", postHead("/", 100_000) + strings.Repeat("\n", 100_000), "\r\n" + get,
			"POST / HTTP/1.1\r\nHost: errand\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
			"POST / HTTP/1.1\r\nHost: errand\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n",
			"HEAD / HTTP/1.1\r\nHost: errand\r\nContent-Length: 0\r\n\r\n",
		} {
			client.sendText(request)
			response, err := http.ReadResponse(client.answers, &http.Request{Method: request[:4]})
			require.NoError(t, err, request[:20])
			require.Equal(t, http.StatusOK, response.StatusCode, request[:20])
			require.NoError(t, response.Body.Close())
		}
	}
	client.sendText(get + postHead("/", 5) + "hello" + get) // before the first answer
	for range 3 {
		client.requireStatus(http.StatusOK, "pipelined")
	}
}
