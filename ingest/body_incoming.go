package ingest

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// A client is slow when the server has waited for it longer than slowAfter and it has sent less than slowRate bytes a second.
const (
	slowAfter = time.Second
	slowRate  = 16 << 10
)

// incomingBodies are the bodies that are being read. While requests wait for memory, endSlow ends the bodies of slow clients:
// otherwise a few thousand connections that send a byte now and then would take all of the memory.
type incomingBodies struct {
	slowAfter time.Duration
	mu        sync.Mutex
	reading   map[*incomingBody]struct{}
}

// incomingBody is a body that a client is sending.
type incomingBody struct {
	source       io.Reader
	connection   *http.ResponseController
	bytesRead    int64
	waited       time.Duration // for the client
	readingSince time.Time     // start of the read in progress
}

func newIncomingBodies() *incomingBodies {
	return &incomingBodies{slowAfter: slowAfter, reading: map[*incomingBody]struct{}{}}
}

// readBody reads a part of a body. Another request may end the reading while it waits.
func (b *incomingBodies) readBody(body *incomingBody, into []byte) (int, error) {
	b.mu.Lock()
	body.readingSince = time.Now()
	b.reading[body] = struct{}{}
	b.mu.Unlock()
	n, err := body.source.Read(into)
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.reading, body)
	body.waited += time.Since(body.readingSince)
	body.bytesRead += int64(n)
	return n, err
}

// endSlow ends the bodies that arrive slowly, as if their time were over.
func (b *incomingBodies) endSlow() {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	for body := range b.reading {
		waited := body.waited + now.Sub(body.readingSince)
		if waited > b.slowAfter && float64(body.bytesRead) < waited.Seconds()*slowRate {
			_ = body.connection.SetReadDeadline(now)
		}
	}
}
