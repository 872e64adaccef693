package edge

import (
	"net/netip"
	"time"

	"errand/wire"
)

// How many bytes all unfinished bodies may have, and the unfinished bodies of one address. A body counts with the other memory of
// its request, and only up to countedBytes: readers of larger bodies write them elsewhere, or have a bound of their own.
const (
	maxBodyBytes         = 16 << 20
	maxBodyBytesOfClient = 4 << 20
	bodyOverhead         = 12 << 10
	countedBytes         = 1 << 20
)

// A client is slow when the server has waited for it longer than slowAfter and it has sent less than slowRate bytes a second.
// Beyond twice the bound, it is also slow when it has been silent for silentAfter.
const (
	slowAfter   = time.Second
	slowRate    = 16 << 10
	silentAfter = 500 * time.Millisecond
	lookAgain   = 100 * time.Millisecond
)

// bodies bounds the bodies that the server waits for, whichever handler reads them. Beyond the bound it ends bodies of slow
// clients, first the one that has held the most memory for longest since the client last sent something. A client that keeps
// sending, however slowly, comes last. While all clients are fast, no body is ended. The mutex of Connections protects it.
type bodies struct {
	max, maxOfClient int64
	bytes            int64
	ofClients        map[netip.Addr]int64 // by network
	lookingAgain     bool                 // a timer is running
}

// waitedBody is an unfinished body; the zero value is none.
type waitedBody struct {
	client  netip.Addr // its network
	counted int64      // bytes; 0 for no body
	sent    int64      // bytes received
	began   time.Time
	sentAt  time.Time // time of the last of them
}

func newBodies() bodies {
	return bodies{max: maxBodyBytes, maxOfClient: maxBodyBytesOfClient, ofClients: map[netip.Addr]int64{}}
}

// beginBody counts the body of a new request.
func (c *Connections) beginBody(conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, isOpen := c.open[conn]; !isOpen {
		return
	}
	now := time.Now()
	c.dropBody(conn)
	conn.body = waitedBody{client: wire.NetworkOf(conn.client), began: now, sentAt: now}
	c.countBytes(conn, bodyOverhead)
	c.boundBodies(conn.body.client, now)
}

// noteBodyBytes counts received bytes of a body, and forgets the body when it is whole.
func (c *Connections) noteBodyBytes(conn *connection, n int, isWhole bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn.body.counted == 0 {
		return
	}
	if isWhole {
		c.dropBody(conn)
		return
	}
	body, now := &conn.body, time.Now()
	more := min(body.sent+int64(n), countedBytes) - min(body.sent, countedBytes)
	body.sent += int64(n)
	body.sentAt = now
	c.countBytes(conn, more)
	c.boundBodies(body.client, now)
}

// endBody forgets a body that is whole, or that nobody reads any more.
func (c *Connections) endBody(conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropBody(conn)
}

func (c *Connections) dropBody(conn *connection) {
	if conn.body.counted > 0 {
		c.countBytes(conn, -conn.body.counted)
		conn.body = waitedBody{}
	}
}

func (c *Connections) countBytes(conn *connection, n int64) {
	of := conn.body.client
	conn.body.counted += n
	c.bodies.bytes += n
	if c.bodies.ofClients[of] += n; c.bodies.ofClients[of] == 0 {
		delete(c.bodies.ofClients, of)
	}
}

// boundBodies ends bodies of slow clients while the client, or all clients together, exceed the bound. When no client is slow
// yet, it looks again in a moment.
func (c *Connections) boundBodies(client netip.Addr, now time.Time) {
	for {
		of, surplus := c.findTooMuch(client)
		if surplus <= 0 {
			return
		}
		victim := c.findSlowBody(of, surplus, now)
		if victim == nil {
			c.lookAgainAtBodies(client)
			return
		}
		c.dropBody(victim)
		_ = victim.Conn.SetReadDeadline(now) // its reader answers
	}
}

// findTooMuch returns the client whose bodies have too many bytes, and by how much they exceed the bound, as a multiple of it: 1
// is twice the bound. It checks the bound of one client first; for the bound of all, it returns the client with the most bytes.
func (c *Connections) findTooMuch(client netip.Addr) (of netip.Addr, surplus float64) {
	b := &c.bodies
	isManyClients := !client.IsValid() || client.IsLoopback() || c.proxies.containsAddress(client)
	if !isManyClients && b.ofClients[client] > b.maxOfClient {
		return client, float64(b.ofClients[client]-b.maxOfClient) / float64(b.maxOfClient)
	}
	if b.bytes <= b.max {
		return of, 0
	}
	most := int64(0)
	for each, bytes := range b.ofClients {
		if bytes > most {
			of, most = each, bytes
		}
	}
	return of, float64(b.bytes-b.max) / float64(b.max)
}

// findSlowBody returns the connection whose body should end, nil when there is none yet. The client must be slow, and its body
// must cost about as much as any other; otherwise a slow client would go before clients that have just begun to hold much.
func (c *Connections) findSlowBody(client netip.Addr, surplus float64, now time.Time) (found *connection) {
	worst, worstOfSlow := 0.0, 0.0
	for e := c.waiting.Front(); e != nil; e = e.Next() {
		conn := e.Value.(*connection)
		if conn.body.counted == 0 || conn.body.client != client {
			continue
		}
		cost := conn.body.measureCost(now)
		worst = max(worst, cost)
		if conn.body.isSlow(now, surplus) && (found == nil || cost > worstOfSlow) {
			found, worstOfSlow = conn, cost
		}
	}
	if worstOfSlow < worst/10 {
		return nil
	}
	return found
}

// measureCost returns the received bytes of the body, times the seconds since the last of them arrived.
func (b *waitedBody) measureCost(now time.Time) float64 {
	const atLeast = 1 << 10
	return float64(b.counted-bodyOverhead+atLeast) * now.Sub(b.sentAt).Seconds()
}

// isSlow reports whether the client sends slowly. Bytes that do not count towards the bound count here.
func (b *waitedBody) isSlow(now time.Time, surplus float64) bool {
	waited := now.Sub(b.began)
	return waited > slowAfter && float64(b.sent) < waited.Seconds()*slowRate || surplus >= 1 && now.Sub(b.sentAt) > silentAfter
}

// lookAgainAtBodies checks the bounds again in a moment, when clients may have become slow.
func (c *Connections) lookAgainAtBodies(client netip.Addr) {
	if c.bodies.lookingAgain {
		return
	}
	c.bodies.lookingAgain = true
	time.AfterFunc(lookAgain, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bodies.lookingAgain = false
		c.boundBodies(client, time.Now())
	})
}
