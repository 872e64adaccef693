// Package edge stands between the network and the surfaces. It bounds connections, headers and bodies that the server waits for,
// stops reading refused requests, finds the client's address behind trusted proxies, and limits failed authentication.
package edge

import (
	"container/list"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"errand/wire"
)

// The bounds of open connections, which cost some 20 KB each: of all, and of one address. Beyond the bounds, the connections
// whose clients have been silent for longest are closed. SDKs and proxies open new ones when they need them.
const (
	maxConnections = 4096
	maxOfOnePeer   = 1024
)

// Connections bounds how many connections are open. Each connection follows the bytes that arrive on it.
type Connections struct {
	maxOpen, maxOpenOfPeer int
	proxies                Proxies

	mu      sync.Mutex
	open    map[*connection]struct{}
	peers   map[netip.Addr]int // how many are open
	waiting list.List          // of *connection: the server waits for their clients, longest first
	bodies  bodies             // that are unfinished
}

// NewConnections bounds connections. A trusted proxy has many clients behind it, and no bound of its own.
func NewConnections(proxies Proxies) *Connections {
	return &Connections{
		maxOpen: maxConnections, maxOpenOfPeer: maxOfOnePeer, proxies: proxies,
		open: map[*connection]struct{}{}, peers: map[netip.Addr]int{}, bodies: newBodies(),
	}
}

// BoundListener bounds the connections that a listener accepts.
func (c *Connections) BoundListener(l net.Listener) net.Listener { return listener{l, c} }

type listener struct {
	net.Listener
	connections *Connections
}

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.connections.addConnection(conn), nil
}

// Close closes all open connections, such as those that wait for their client to take its answer.
func (c *Connections) Close() {
	c.mu.Lock()
	left := make([]*connection, 0, len(c.open))
	for conn := range c.open {
		left = append(left, conn)
	}
	c.mu.Unlock()
	for _, conn := range left {
		_ = conn.closeNow()
	}
}

func (c *Connections) addConnection(accepted net.Conn) *connection {
	conn := &connection{Conn: accepted, all: c}
	if address := accepted.RemoteAddr(); address != nil {
		conn.peer = wire.AddressOf(address.String())
	}
	c.mu.Lock()
	c.open[conn] = struct{}{}
	c.peers[wire.NetworkOf(conn.peer)]++
	conn.waits = c.waiting.PushBack(conn)
	surplus := c.findSurplus(conn.peer)
	c.mu.Unlock()
	if surplus != nil {
		_ = surplus.closeNow()
	}
	return conn
}

// findSurplus returns the connection that must make room for the newest; nil when there is room. The caller holds the mutex.
func (c *Connections) findSurplus(peer netip.Addr) *connection {
	hasMany := !peer.IsLoopback() && !c.proxies.containsAddress(peer) && c.peers[wire.NetworkOf(peer)] > c.maxOpenOfPeer
	if !hasMany && len(c.open) <= c.maxOpen {
		return nil
	}
	for e := c.waiting.Front(); e != nil; e = e.Next() { // the newest is always in the list
		if conn := e.Value.(*connection); !hasMany || wire.NetworkOf(conn.peer) == wire.NetworkOf(peer) {
			return conn
		}
	}
	return nil
}

// removeConnection forgets a connection. It reports whether it was open.
func (c *Connections) removeConnection(conn *connection) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, open := c.open[conn]; !open {
		return false
	}
	delete(c.open, conn)
	c.dropBody(conn)
	of := wire.NetworkOf(conn.peer)
	if c.peers[of]--; c.peers[of] == 0 {
		delete(c.peers, of)
	}
	if conn.waits != nil {
		c.waiting.Remove(conn.waits)
		conn.waits = nil
	}
	return true
}

// noteSent notes that the client has sent something.
func (c *Connections) noteSent(conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn.waits != nil {
		c.waiting.MoveToBack(conn.waits)
	}
}

// waitForClient notes that the server now waits for the client. It reports whether this is new.
func (c *Connections) waitForClient(conn *connection) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, open := c.open[conn]
	if !open || conn.waits != nil {
		return false
	}
	conn.waits = c.waiting.PushBack(conn)
	return true
}

// letClientWait notes that the client now waits for the server: it has sent a whole request.
func (c *Connections) letClientWait(conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn.waits != nil {
		c.waiting.Remove(conn.waits)
		conn.waits = nil
	}
}

type connectionKey struct{}

// RememberConnection puts a connection into the context of its requests: use it as ConnContext of http.Server.
func (c *Connections) RememberConnection(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

func connectionOf(ctx context.Context) *connection {
	conn, _ := ctx.Value(connectionKey{}).(*connection)
	return conn
}

// ClientOf returns the address of the client that made the request of the context. It is the zero address outside of requests.
func ClientOf(ctx context.Context) netip.Addr {
	if conn := connectionOf(ctx); conn != nil {
		return conn.client
	}
	return netip.Addr{}
}

// WrapHandler wraps a handler. It tells the connection where the request's body begins and ends, and sets RemoteAddr to the
// client's address.
//
// An answer does not wait for an unread body, as it would in net/http. WrapHandler alone decides what happens to the connection:
// when the answer has a Content-Length, so that its end is known, and little of the body is left, it reads the rest and keeps the
// connection. Otherwise the connection ends, and the answer says so.
func (c *Connections) WrapHandler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn := connectionOf(r.Context())
		if conn == nil { // in a test
			next.ServeHTTP(w, r)
			return
		}
		conn.client = conn.peer
		if client := c.proxies.clientOf(r); client != conn.peer {
			conn.client = client
			r.RemoteAddr = netip.AddrPortFrom(client, 0).String()
		}
		readerFindsEnd := conn.beginRequest(r.ContentLength)
		defer conn.endRequest()
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		_ = http.NewResponseController(w).EnableFullDuplex() // it is HTTP/1
		if readerFindsEnd {
			r = r.WithContext(r.Context()) // net/http keeps its own request, and looks at the body there
			r.Body = &followedBody{r.Body, conn}
		}
		c.beginBody(conn)
		next.ServeHTTP(&responseWriter{ResponseWriter: w, conn: conn}, r)
		c.endBody(conn)
		if h := w.Header(); h.Get("Connection") != "close" && h.Get("Content-Length") != "" && conn.expectRest() {
			_ = http.NewResponseController(w).Flush() // the answer is whole, and does not wait for the rest
			_, _ = io.Copy(io.Discard, r.Body)
		}
	})
}
