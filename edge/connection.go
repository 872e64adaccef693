package edge

import (
	"container/list"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"
)

// How long, and for how many bytes, the server reads on after it has refused a request: a client that is still sending should
// find the answer, not a broken connection. Each lingerRate bytes add a second.
const (
	lingerAtMost = time.Second
	lingerRate   = 32 << 10
	lingerBytes  = 256 << 10
)

// phase is the part of a request that the next bytes belong to.
type phase int

const (
	inHeader     phase = iota // or between two requests
	afterHeader               // and it is not known yet whether there is a body
	inBody                    // of a known length
	inUnmeasured              // only its reader finds the end: the body has no length, or its start was not seen
)

// errEnded is what Read returns when a connection reads no more. net/http sends no answer to it.
var errEnded error = &net.OpError{Op: "read", Net: "tcp", Err: net.ErrClosed}

// aheadBuffers are buffers for bytes read beyond the end of a header: as many as net/http reads in one call.
var aheadBuffers = sync.Pool{New: func() any { return new([4096]byte) }}

// connection follows the requests on it, so that it can bound their headers, and close itself in good order.
type connection struct {
	net.Conn
	all           *Connections
	peer          netip.Addr
	client        netip.Addr    // of the current request
	waits         *list.Element // in all.waiting, under its mutex; nil while the client waits for the server
	body          waitedBody    // under the same mutex
	mu            sync.Mutex    // protects the fields below
	phase         phase
	requestHeader header
	bodyLeft      int64       // bytes of the body not yet received
	aheadBuffer   *[4096]byte // holds ahead
	ahead         []byte      // read but not yet handed on
	restUntil     time.Time   // when reading the rest of a refused body ends; zero: no request was refused
	readsNoMore   bool        // nothing more is read
	clientIsGone  bool        // the client has ended the connection, or its time to take the answer is over
}

// beginRequest is called when a request's header was read. The length is the body's, negative when unknown. It reports whether
// the reader of the body must find its end (noteBodyRead).
//
// The connection may not have seen the header: after a body of unknown length net/http reads more than the body, including a part
// of the next request. Then the connection cannot see where a body ends, even when its length is known.
func (c *connection) beginRequest(length int64) (readerFindsEnd bool) {
	c.mu.Lock()
	switch {
	case length == 0:
		c.startHeader()
	case length > 0 && c.phase == afterHeader:
		c.phase, c.bodyLeft = inBody, length
	default:
		c.phase, readerFindsEnd = inUnmeasured, true
	}
	c.mu.Unlock()
	c.all.letClientWait(c)
	return readerFindsEnd
}

// endsAfterAnswer reports whether too much of the body is unread, or an unknown amount, for another request to follow.
func (c *connection) endsAfterAnswer() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.phase == inUnmeasured || c.phase == inBody && c.bodyLeft > lingerBytes
}

// expectRest is called when a request was answered. It reports whether it makes sense to read the rest of the body, so that the
// connection can serve another request. The time for it is short.
func (c *connection) expectRest() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase != inBody || c.bodyLeft > lingerBytes {
		return false
	}
	c.restUntil = time.Now().Add(lingerAtMost)
	_ = c.Conn.SetReadDeadline(c.restUntil)
	return true
}

// endRequest is called when a request was handled. A body that was not read to its end ends the connection: Close waits for the
// client to take its answer.
func (c *connection) endRequest() {
	c.all.waitForClient(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase == inBody || c.phase == inUnmeasured {
		c.readsNoMore = true
	}
}

// startHeader treats the next bytes as the header of a new request. The caller holds the mutex.
func (c *connection) startHeader() {
	c.phase, c.requestHeader, c.restUntil = inHeader, header{}, time.Time{}
}

// noteBodyRead notes that the body was read to its end.
func (c *connection) noteBodyRead() {
	c.mu.Lock()
	c.startHeader()
	c.mu.Unlock()
	c.all.endBody(c)
}

// followedBody finds the end of a body that the connection cannot measure.
type followedBody struct {
	io.ReadCloser
	conn *connection
}

// Read implements io.Reader.
func (b *followedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) && b.conn != nil {
		b.conn.noteBodyRead()
		b.conn = nil
	}
	return n, err
}

// Read implements net.Conn. It never reads beyond a header, nor beyond a body of known length.
func (c *connection) Read(p []byte) (int, error) {
	c.mu.Lock()
	if c.readsNoMore {
		c.mu.Unlock()
		return 0, errEnded
	}
	if c.phase == inBody {
		p = p[:min(int64(len(p)), c.bodyLeft)]
	}
	n, err := c.takeAhead(p), error(nil)
	// While a request is served, net/http looks ahead past its body: that is not waiting for the client.
	readsBody := c.phase == inBody || c.phase == inUnmeasured
	c.mu.Unlock()
	if n == 0 {
		n, err = c.readMore(p, readsBody)
	}
	c.mu.Lock()
	n, tooLarge := c.followBytes(p[:n])
	if timeout, ok := errors.AsType[net.Error](err); err != nil && (!ok || !timeout.Timeout() || !c.restUntil.IsZero()) {
		c.readsNoMore, c.clientIsGone = true, true
	}
	isWhole := c.phase == inHeader
	c.mu.Unlock()
	if readsBody {
		c.all.noteBodyBytes(c, n, isWhole)
	}
	if tooLarge {
		_ = c.Conn.SetWriteDeadline(time.Now().Add(lingerAtMost))
		_, _ = c.Conn.Write(tooLargeAnswer())
		return 0, errEnded
	}
	return n, err
}

// readMore reads from the network. Inside a body, the server counts as waiting for the client only during the read.
func (c *connection) readMore(p []byte, readsBody bool) (int, error) {
	began := readsBody && c.all.waitForClient(c)
	n, err := c.Conn.Read(p)
	switch {
	case began:
		c.all.letClientWait(c)
	case n > 0:
		c.all.noteSent(c)
	}
	return n, err
}

// takeAhead hands on the bytes that were read ahead. The caller holds the mutex.
func (c *connection) takeAhead(p []byte) int {
	n := copy(p, c.ahead)
	if c.ahead = c.ahead[n:]; len(c.ahead) == 0 && c.aheadBuffer != nil {
		aheadBuffers.Put(c.aheadBuffer)
		c.aheadBuffer, c.ahead = nil, nil
	}
	return n
}

// followBytes finds out which part of a request the bytes belong to, and keeps bytes beyond the end of a header for later. It
// returns how many bytes to hand on, and whether the header is too large. The caller holds the mutex.
func (c *connection) followBytes(read []byte) (n int, tooLarge bool) {
	n = len(read)
	if n == 0 {
		return 0, false
	}
	switch c.phase {
	case inBody:
		if c.bodyLeft -= int64(n); c.bodyLeft == 0 {
			c.startHeader()
		} else if !c.restUntil.IsZero() {
			c.restUntil = c.restUntil.Add(time.Duration(n) * time.Second / lingerRate)
			_ = c.Conn.SetReadDeadline(c.restUntil)
		}
	case afterHeader: // that request had no body: this is the next one
		c.startHeader()
		fallthrough
	case inHeader:
		used, ended := c.requestHeader.countPiece(read)
		if c.requestHeader.isTooLarge() {
			c.readsNoMore = true
			return 0, true
		}
		if ended {
			c.phase = afterHeader
			c.putBack(read[used:])
			n = used
		}
	}
	return n, false
}

// putBack keeps bytes for the next Read. The caller holds the mutex.
func (c *connection) putBack(bytes []byte) {
	if len(bytes) == 0 {
		return
	}
	piece := aheadBuffers.Get().(*[4096]byte)
	ahead := append(append(piece[:0], bytes...), c.ahead...)
	if c.aheadBuffer != nil {
		aheadBuffers.Put(c.aheadBuffer)
	}
	c.aheadBuffer, c.ahead = piece, ahead
}

// Write implements net.Conn. The server waits for a client that does not take its answer, like for one that does not send.
func (c *connection) Write(p []byte) (int, error) {
	began := c.all.waitForClient(c)
	n, err := c.Conn.Write(p)
	if began {
		c.all.letClientWait(c)
	}
	return n, err
}

// CloseWrite is for net/http, which calls it, waits a moment and then closes.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close implements net.Conn. In the middle of a request the client may still be sending: closing immediately would break the
// connection before the client has read its answer.
func (c *connection) Close() error {
	c.mu.Lock()
	isBetween := c.phase == inHeader && c.requestHeader.isEmpty() && !c.readsNoMore
	hasToLinger := !isBetween && !c.clientIsGone
	c.readsNoMore, c.clientIsGone = true, true
	c.mu.Unlock()
	if !hasToLinger {
		return c.closeNow()
	}
	c.all.waitForClient(c)
	go c.lingerAndClose()
	return nil
}

// lingerAndClose closes the connection when the client has taken its answer, or its time is over.
func (c *connection) lingerAndClose() {
	defer func() { _ = c.closeNow() }()
	if c.CloseWrite() != nil {
		return
	}
	until, buffer := time.Now().Add(lingerAtMost), make([]byte, 4096)
	for left := lingerBytes; left > 0; {
		_ = c.Conn.SetReadDeadline(until)
		n, err := c.Conn.Read(buffer)
		if err != nil {
			return
		}
		c.all.noteSent(c)
		left -= n
		until = until.Add(time.Duration(n) * time.Second / lingerRate)
	}
	time.Sleep(lingerAtMost) // the client is still sending, and may read
}

// closeNow closes the connection without a wait.
func (c *connection) closeNow() error {
	if !c.all.removeConnection(c) {
		return net.ErrClosed
	}
	return c.Conn.Close()
}
