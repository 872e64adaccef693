package edge

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The longest wait for a condition, and how often tests check it.
const (
	atMost = 20 * time.Second
	every  = time.Millisecond
)

// startServer serves a handler behind the edge until the test ends. The test may change its bounds and its listener.
func startServer(t *testing.T, handler http.HandlerFunc, change func(*Connections, net.Listener) net.Listener) (*Connections, string) {
	t.Helper()
	connections := NewConnections(nil)
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := socket.Addr().String()
	if change != nil {
		socket = change(connections, socket)
	}
	server := &http.Server{Handler: connections.WrapHandler(handler), ConnContext: connections.RememberConnection,
		ReadTimeout: 2 * time.Minute}
	done := make(chan error, 1)
	go func() { done <- server.Serve(connections.BoundListener(socket)) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-done, http.ErrServerClosed)
		connections.Close()
		require.Eventually(t, func() bool { return connections.countOpen() == 0 }, atMost, every)
		connections.mu.Lock()
		defer connections.mu.Unlock()
		require.Zero(t, connections.waiting.Len())
		require.Empty(t, connections.peers)
	})
	return connections, address
}

func (c *Connections) countOpen() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}

// client is a bare connection to the server.
type client struct {
	net.Conn
	t       *testing.T
	answers *bufio.Reader
}

func dialServer(t *testing.T, address string) *client {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(atMost)))
	return &client{conn, t, bufio.NewReader(conn)}
}

func (c *client) sendText(text string) {
	c.t.Helper()
	_, err := io.WriteString(c, text)
	require.NoError(c.t, err)
}

// readAnswer reads one answer and returns it with its body.
func (c *client) readAnswer() (*http.Response, string) {
	c.t.Helper()
	response, err := http.ReadResponse(c.answers, nil)
	require.NoError(c.t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(c.t, err)
	return response, string(text)
}

// requireStatus reads one answer and requires its status.
func (c *client) requireStatus(status int, name string) {
	c.t.Helper()
	response, text := c.readAnswer()
	require.Equal(c.t, status, response.StatusCode, "%s: %s", name, text)
}

// requireEnd requires that the server ends the connection in good order: a reset is another error.
func (c *client) requireEnd(name string) {
	c.t.Helper()
	_, err := c.answers.ReadByte()
	require.ErrorIs(c.t, err, io.EOF, name)
}

// postHead is the beginning of a request whose body has length bytes.
func postHead(path string, length int) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: errand\r\nContent-Length: %d\r\n\r\n", path, length)
}

const get = "GET / HTTP/1.1\r\nHost: errand\r\n\r\n"
