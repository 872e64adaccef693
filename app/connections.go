package app

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// maxConnections is how many connections may be open: each costs some 20 KB. Beyond it those that wait longest without a
// request are closed. SDKs and proxies open new ones when they need them.
const maxConnections = 4096

// connections bounds how many are open. It listens to the states that an http.Server tells of.
type connections struct {
	most    int
	mu      sync.Mutex
	open    map[net.Conn]*list.Element // nil for one with a request
	waiting list.List                  // net.Conn without a request, longest first
}

func newConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]*list.Element{}}
}

// changed is the hook http.Server.ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if place := c.open[conn]; place != nil {
		c.waiting.Remove(place)
	}
	switch state {
	case http.StateNew, http.StateIdle:
		c.open[conn] = c.waiting.PushBack(conn)
	case http.StateActive:
		c.open[conn] = nil
	default:
		delete(c.open, conn)
	}
	if longest := c.waiting.Front(); len(c.open) > c.most && longest != nil {
		victim := c.waiting.Remove(longest).(net.Conn)
		delete(c.open, victim)
		_ = victim.Close()
	}
}
