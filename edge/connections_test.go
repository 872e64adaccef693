package edge

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// readAll is a handler that reads a body, as most handlers do.
func readAll(w http.ResponseWriter, r *http.Request) {
	if _, err := io.ReadAll(r.Body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
	}
}

// boundConnections limits how many connections may be open.
func boundConnections(most int) func(*Connections, net.Listener) net.Listener {
	return func(c *Connections, l net.Listener) net.Listener {
		c.maxOpen = most
		return l
	}
}

// waitingOrder returns how many connections have waited longer for their client than this client's; -1: the server works for it.
func (c *Connections) waitingOrder(of *client) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for e := c.waiting.Front(); e != nil; e = e.Next() {
		if e.Value.(*connection).RemoteAddr().String() == of.LocalAddr().String() {
			return n
		}
		n++
	}
	return -1
}

// untilOrder waits until n connections have waited longer than this client's; -1: until the server works for it.
func (c *Connections) untilOrder(of *client, n int) {
	of.t.Helper()
	require.Eventually(of.t, func() bool { return c.waitingOrder(of) == n }, atMost, every)
}

// untilHeader waits until the connection of the client has received that many bytes of a header.
func (c *Connections) untilHeader(of *client, bytes int) {
	of.t.Helper()
	require.Eventually(of.t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for conn := range c.open {
			if conn.RemoteAddr().String() == of.LocalAddr().String() {
				conn.mu.Lock()
				defer conn.mu.Unlock()
				return conn.requestHeader.bytes == bytes
			}
		}
		return false
	}, atMost, every)
}

// Beyond the bound the server closes the connection whose client has been silent for longest, at any age and at any point of a
// request. It never closes one whose request it works on.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	connections, address := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			entered <- struct{}{}
			<-leave
		}
		readAll(w, r)
	}, boundConnections(5))
	busy := dialServer(t, address)
	busy.sendText("GET /long HTTP/1.1\r\nHost: errand\r\n\r\n")
	<-entered
	connections.untilOrder(busy, -1)
	silent := dialServer(t, address)
	connections.untilOrder(silent, 0)
	inHeader := dialServer(t, address)
	connections.untilOrder(inHeader, 1)
	inHeader.sendText("GET / HT")
	connections.untilHeader(inHeader, len("GET / HT"))
	inBody := dialServer(t, address)
	inBody.sendText(postHead("/", 100))
	connections.untilHeader(inBody, len(postHead("/", 100)))
	kept := dialServer(t, address)
	kept.sendText(get)
	kept.requireStatus(http.StatusOK, "kept")
	connections.untilOrder(kept, 3)

	silent.sendText("G") // each sends a byte, so that the oldest is the newest
	connections.untilOrder(silent, 3)
	inHeader.sendText("T")
	connections.untilOrder(inHeader, 3)
	inBody.sendText("x")
	connections.untilOrder(inBody, 3)
	for _, next := range []*client{kept, silent, inHeader, inBody} {
		newest := dialServer(t, address)
		next.requireEnd("it has sent nothing for longest")
		newest.sendText(get)
		newest.requireStatus(http.StatusOK, "the newest is served")
		connections.untilOrder(newest, 3)
	}
	require.Equal(t, 5, connections.countOpen())
	close(leave)
	busy.requireStatus(http.StatusOK, "the server worked on it")
}

// fillConnections sends requests that the server begins to work on, so that no room is left for another client.
func fillConnections(t *testing.T, connections *Connections, address string, entered <-chan struct{},
	requests []string) (clients []*client) {
	t.Helper()
	for _, request := range requests {
		client := dialServer(t, address)
		client.sendText(request)
		<-entered
		connections.untilOrder(client, -1)
		clients = append(clients, client)
	}
	surplus := dialServer(t, address)
	surplus.requireEnd("there is no room")
	return clients
}

// A client that has sent a whole request with a body is spared while the server works on it, with or without a length.
func TestWorkIsSpared(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	connections, address := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		readAll(w, r)
		entered <- struct{}{}
		<-leave
	}, boundConnections(3))
	clients := fillConnections(t, connections, address, entered, []string{
		get, postHead("/", 3) + "abc", "POST / HTTP/1.1\r\nHost: errand\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
	})
	close(leave)
	for _, client := range clients {
		client.requireStatus(http.StatusOK, "worked on")
		connections.untilOrder(client, connections.waitingOrder(client))
	}
}

// The server also works before it reads a body, and between its parts: the client is not late then.
func TestWorkBeforeTheBodyIsSpared(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	connections, address := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/part" {
			_, _ = io.ReadFull(r.Body, make([]byte, 1))
		}
		entered <- struct{}{}
		<-leave
		readAll(w, r)
	}, boundConnections(4))
	clients := fillConnections(t, connections, address, entered, []string{
		postHead("/", 5000) + strings.Repeat("x", 5000), postHead("/part", 5000) + strings.Repeat("x", 4999), postHead("/part", 2) + "x",
		"POST /part HTTP/1.1\r\nHost: errand\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
	})
	close(leave)
	for k, rest := range []string{"", "x", "x", "0\r\n\r\n"} {
		clients[k].sendText(rest)
		clients[k].requireStatus(http.StatusOK, "worked on")
	}
}

// The server waits for a client that does not take its answer, like for one that does not send.
func TestAnswersThatNobodyTakes(t *testing.T) {
	t.Parallel()
	large := make([]byte, 64<<20)
	connections, address := startServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(large) }, boundConnections(1))
	deaf := dialServer(t, address)
	deaf.sendText(get)
	connections.untilOrder(deaf, 0)
	connections.untilOrder(deaf, 0)
	require.Eventually(t, func() bool {
		next := dialServer(t, address)
		defer next.Close()
		return connections.waitingOrder(deaf) == -1 && connections.countOpen() == 1
	}, atMost, every)
}

// elsewhere is a listener that reports other addresses for its peers.
type elsewhere struct {
	net.Listener
	address atomic.Pointer[net.TCPAddr]
}

func (l *elsewhere) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &fromElsewhere{conn, l.address.Load()}, nil
}

type fromElsewhere struct {
	net.Conn
	address net.Addr
}

func (c *fromElsewhere) RemoteAddr() net.Addr { return c.address }

// One address may have only a part of the connections: beyond it, its own are closed. An IPv6 network of 64 bits counts as one
// address.
func TestConnectionsOfOnePeerAreBounded(t *testing.T) {
	t.Parallel()
	var from *elsewhere
	proxies, err := ParseProxies("10.0.0.0/8")
	require.NoError(t, err)
	connections, address := startServer(t, readAll, func(c *Connections, l net.Listener) net.Listener {
		c.maxOpenOfPeer, c.proxies = 2, proxies
		from = &elsewhere{Listener: l}
		return from
	})
	open := func(ip string) *client {
		from.address.Store(&net.TCPAddr{IP: net.ParseIP(ip), Port: 4711})
		client := dialServer(t, address)
		client.sendText(get)
		client.requireStatus(http.StatusOK, ip)
		return client
	}
	other := open("203.0.113.7")
	for _, peers := range [][]string{{"203.0.113.9", "203.0.113.9", "203.0.113.9"}, {"2001:db8::1", "2001:db8::2", "2001:db8::ffff:1"}} {
		first := open(peers[0])
		second := open(peers[1])
		third := open(peers[2])
		first.requireEnd(peers[0])
		for _, client := range []*client{second, third, other} {
			client.sendText(get)
			client.requireStatus(http.StatusOK, "the others stay")
		}
	}
	before := connections.countOpen()
	for _, ip := range []string{"127.0.0.1", "::1", "10.0.0.1", "2001:db8:1::1"} {
		for range 2 {
			open(ip)
		}
	}
	for _, ip := range []string{"127.0.0.1", "::1", "10.0.0.1"} {
		open(ip)
	}

	require.Equal(t, before+11, connections.countOpen(), "loopback and trusted proxies may have more")
}
