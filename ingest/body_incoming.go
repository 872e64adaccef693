package ingest

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// A client sends slowly when it was waited for longer than slowAfter and has sent less than slowRate bytes a second.
const (
	slowAfter = time.Second
	slowRate  = 16 << 10
)

// incomingBodies are the bodies that are being read. While requests wait for memory, those whose clients send slowly are ended: a
// few thousand connections that send a byte now and then would else take all of it.
type incomingBodies struct {
	slowAfter time.Duration
	mu        sync.Mutex
	reading   map[*incomingBody]struct{}
}

// incomingBody is a body that a client sends.
type incomingBody struct {
	source       io.Reader
	connection   *http.ResponseController
	bytesRead    int64
	waited       time.Duration // for the client
	readingSince time.Time     // of the read that goes on
}

func newIncomingBodies() *incomingBodies {
	return &incomingBodies{slowAfter: slowAfter, reading: map[*incomingBody]struct{}{}}
}

// readBody reads a part of a body. Another request may end the reading meanwhile.
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

// endSlow ends the bodies that come slowly, as if the time for them were over.
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
