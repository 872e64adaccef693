package grouping

import (
	"encoding/binary"
	"sync"
)

// digest collects what the hash of a group covers: a sequence of parts, each with its length before it, so that no
// two different sequences give the same bytes.
type digest struct {
	buf []byte
}

// lengthSize is the room that a part's length takes.
const lengthSize = 4

// maxKept is how large a buffer may be to be used again.
const maxKept = 64 << 10

// digests keeps buffers from event to event.
var digests = sync.Pool{New: func() any { return &digest{buf: make([]byte, 0, 4<<10)} }}

// release empties the digest and gives it back.
func (d *digest) release() {
	if cap(d.buf) <= maxKept {
		d.buf = d.buf[:0]
		digests.Put(d)
	}
}

// part adds one part.
func (d *digest) part(s string) {
	start := d.open()
	d.buf = append(d.buf, s...)
	d.close(start)
}

// open begins a part; the bytes that are appended to buf until close are its text. Parts may hold parts.
func (d *digest) open() int {
	d.buf = append(d.buf, make([]byte, lengthSize)...)
	return len(d.buf)
}

// close ends the part that open began.
func (d *digest) close(start int) {
	binary.BigEndian.PutUint32(d.buf[start-lengthSize:], uint32(len(d.buf)-start))
}
