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

// slow knows the bodies that are being read. While others wait for memory, it ends those whose clients send slowly: a
// few thousand connections that send a byte now and then would else hold all of it.
type slow struct {
	after   time.Duration
	mu      sync.Mutex
	reading map[*client]struct{}
}

// client is who sends a body.
type client struct {
	body  io.Reader
	ends  *http.ResponseController
	bytes int64
	spent time.Duration // waiting for it
	since time.Time     // of the read that goes on
}

func newSlow() *slow { return &slow{after: slowAfter, reading: map[*client]struct{}{}} }

// read reads from the client, which may be ended meanwhile.
func (s *slow) read(c *client, into []byte) (int, error) {
	s.mu.Lock()
	c.since = time.Now()
	s.reading[c] = struct{}{}
	s.mu.Unlock()
	n, err := c.body.Read(into)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.reading, c)
	c.spent += time.Since(c.since)
	c.bytes += int64(n)
	return n, err
}

// end ends what is read slowly: to such a request it is as if the time for its body were over.
func (s *slow) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for c := range s.reading {
		if spent := c.spent + now.Sub(c.since); spent > s.after && float64(c.bytes) < spent.Seconds()*slowRate {
			_ = c.ends.SetReadDeadline(now)
		}
	}
}
