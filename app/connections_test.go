package app

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Beyond the bound the connections that wait longest without a request are closed, and never one with a request.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			entered <- struct{}{}
			<-leave
		}
	}))
	bound := newConnections(3)
	web.Config.ConnState = bound.changed
	web.Start()
	t.Cleanup(web.Close)
	dial := func() (net.Conn, *bufio.Reader) {
		conn, err := net.Dial("tcp", web.Listener.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
		return conn, bufio.NewReader(conn)
	}
	ask := func(conn net.Conn, path string) {
		_, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: errand\r\n\r\n")
		require.NoError(t, err)
	}
	answered := func(reader *bufio.Reader) {
		answer, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.StatusCode)
	}

	busy, busyAnswer := dial()
	ask(busy, "/long")
	<-entered
	kept, keptAnswer := dial()
	ask(kept, "/")
	answered(keptAnswer)
	_, silentAnswer := dial()
	require.Eventually(t, func() bool { bound.mu.Lock(); defer bound.mu.Unlock(); return len(bound.open) == 3 }, 10*time.Second, time.Millisecond)

	fourth, fourthAnswer := dial()
	_, err := keptAnswer.ReadByte()
	require.ErrorIs(t, err, io.EOF, "it waits longest")
	ask(fourth, "/")
	answered(fourthAnswer)
	fifth, fifthAnswer := dial()
	_, err = silentAnswer.ReadByte()
	require.ErrorIs(t, err, io.EOF)
	ask(fifth, "/")
	answered(fifthAnswer)
	close(leave)
	answered(busyAnswer)
	for _, conn := range []net.Conn{busy, fourth, fifth} {
		require.NoError(t, conn.Close())
	}
	require.Eventually(t, func() bool {
		bound.mu.Lock()
		defer bound.mu.Unlock()
		return len(bound.open) == 0 && bound.waiting.Len() == 0
	}, 10*time.Second, time.Millisecond)
}
