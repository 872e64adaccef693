package ingest

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// Who sends slowly: after so much waiting for its bytes, a client has sent less than so many a second.
const (
	slowAfter = time.Second
	slowRate  = 16 << 10
)

// incomingBodies knows the bodies that are being read. While others wait for memory, it ends those whose clients send slowly: a
// few thousand connections that send a byte now and then would else hold all of it.
type incomingBodies struct {
	slowAfter time.Duration
	mu        sync.Mutex
	reading   map[*incomingBody]struct{}
}

// incomingBody is who sends a body.
type incomingBody struct {
	source       io.Reader
	connection   *http.ResponseController
	bytesRead    int64
	waited       time.Duration // waiting for it
	readingSince time.Time     // of the read that goes on
}

func newIncomingBodies() *incomingBodies {
	return &incomingBodies{slowAfter: slowAfter, reading: map[*incomingBody]struct{}{}}
}

// readBody reads from the client, which may be ended meanwhile.
func (s *incomingBodies) readBody(c *incomingBody, into []byte) (int, error) {
	s.mu.Lock()
	c.readingSince = time.Now()
	s.reading[c] = struct{}{}
	s.mu.Unlock()
	n, err := c.source.Read(into)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.reading, c)
	c.waited += time.Since(c.readingSince)
	c.bytesRead += int64(n)
	return n, err
}

// endSlow ends what is read slowly: to such a request it is as if the time for its body were over.
func (s *incomingBodies) endSlow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for c := range s.reading {
		if spent := c.waited + now.Sub(c.readingSince); spent > s.slowAfter && float64(c.bytesRead) < spent.Seconds()*slowRate {
			_ = c.connection.SetReadDeadline(now)
		}
	}
}
