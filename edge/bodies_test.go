package edge

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// boundBodiesBy sets the bounds in bytes of all unfinished bodies, and of the bodies of one address that is not loopback.
func boundBodiesBy(most, ofClient int64) func(*Connections, net.Listener) net.Listener {
	return func(c *Connections, l net.Listener) net.Listener {
		c.bodies.max, c.bodies.maxOfClient = most, ofClient
		return l
	}
}

// waitedBytes returns how many bytes the unfinished bodies have, and how many clients they are from.
func (c *Connections) waitedBytes() (bytes int64, clients int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bodies.bytes, len(c.bodies.ofClients)
}

func (c *Connections) requireNoBodies(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { bytes, clients := c.waitedBytes(); return bytes == 0 && clients == 0 }, atMost, every)
}

// Bodies that lack a byte are ended, those silent for longest first. A body that keeps coming is taken, however slowly.
func TestBodiesThatAreWaitedForAreBounded(t *testing.T) {
	t.Parallel()
	const most, size = 1 << 20, 64 << 10
	connections, address := startServer(t, readAll, boundBodiesBy(most, most))
	honest := dialServer(t, address)
	honest.sendText(postHead("/", 40))
	ended := make(chan bool, 200)
	text := strings.Repeat("x", size-1)
	for range cap(ended) {
		hostile := dialServer(t, address)
		go func() {
			_, _ = io.WriteString(hostile, postHead("/", size)+text)
			response, err := http.ReadResponse(hostile.answers, nil)
			ended <- err == nil && response.StatusCode == http.StatusBadRequest
		}()
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for range 40 {
		<-tick.C
		honest.sendText("x")
	}
	honest.requireStatus(http.StatusOK, "a byte at a time")
	for range cap(ended) - most/size {
		require.True(t, <-ended, "its reader has answered")
	}
	require.Eventually(t, func() bool { bytes, _ := connections.waitedBytes(); return bytes <= most }, atMost, every)
	require.NoError(t, honest.Close())
}

// Fast bodies are taken, however many there are.
func TestFastBodiesAreNotEnded(t *testing.T) {
	t.Parallel()
	connections, address := startServer(t, readAll, boundBodiesBy(256<<10, 256<<10))
	text := strings.Repeat("x", 512<<10)
	var all sync.WaitGroup
	for n := range 40 {
		c := dialServer(t, address)
		all.Go(func() {
			body := postHead("/", len(text)) + text
			if n%2 == 1 {
				body = fmt.Sprintf("POST / HTTP/1.1\r\nHost: errand\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(text), text)
			}
			for range 3 {
				c.sendText(body)
				c.requireStatus(http.StatusOK, "it comes fast")
			}
		})
	}
	all.Wait()
	connections.requireNoBodies(t)
}

// The bodies of one address have a bound, so that they keep nobody else from sending.
func TestBodiesOfOneAddressAreBounded(t *testing.T) {
	t.Parallel()
	proxies, err := ParseProxies("127.0.0.1/32")
	require.NoError(t, err)
	connections, address := startServer(t, readAll, func(c *Connections, l net.Listener) net.Listener {
		c.proxies, c.bodies.maxOfClient = proxies, 3*bodyOverhead
		return l
	})
	post := func(from string) *client {
		c := dialServer(t, address)
		c.sendText("POST / HTTP/1.1\r\nHost: errand\r\nX-Forwarded-For: " + from + "\r\nContent-Length: 10\r\n\r\nx")
		return c
	}
	other := post("203.0.113.7")
	var ended atomic.Int32 // which of them is not known: they may arrive in another order
	for n := range 6 {
		hostile := post("2001:db8::" + fmt.Sprint(n))
		go func() {
			if a, err := http.ReadResponse(hostile.answers, nil); err == nil && a.StatusCode == http.StatusBadRequest {
				ended.Add(1)
			}
		}()
	}
	require.Eventually(t, func() bool { return ended.Load() == 4 }, atMost, every, "all are of one network")
	require.Eventually(t, func() bool { bytes, _ := connections.waitedBytes(); return bytes <= 4*bodyOverhead }, atMost, every)
	other.sendText("xxxxxxxxx")
	other.requireStatus(http.StatusOK, "another network")
}

// A body counts up to the part that is kept. It is forgotten when it is whole, when nobody reads it, and with its connection.
func TestBodiesAreForgotten(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	connections, address := startServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/refuse":
			w.WriteHeader(http.StatusUnauthorized)
		case "/hold":
			readAll(w, r)
			<-release
		default:
			readAll(w, r)
		}
	}, nil)
	long := dialServer(t, address)
	long.sendText(postHead("/", 3<<20) + strings.Repeat("x", 2<<20))
	require.Eventually(t, func() bool { bytes, _ := connections.waitedBytes(); return bytes == bodyOverhead+countedBytes }, atMost, every)
	long.sendText(strings.Repeat("x", 1<<20))
	long.requireStatus(http.StatusOK, "whole")
	connections.requireNoBodies(t)

	held := dialServer(t, address)
	held.sendText(postHead("/hold", 3) + "xxx")
	refused := dialServer(t, address)
	refused.sendText(postHead("/refuse", 1000) + "x")
	refused.requireStatus(http.StatusUnauthorized, "refused")
	gone := dialServer(t, address)
	gone.sendText(postHead("/", 1000) + "x")
	require.NoError(t, gone.Close())
	connections.requireNoBodies(t)
	close(release)
	held.requireStatus(http.StatusOK, "whole, and worked on")
}
