package grouping

import (
	"encoding/binary"
	"sync"
)

// digest collects the input of a group's hash: a sequence of parts, each with its length before it, so that two different
// sequences never have the same bytes.
type digest struct {
	buf []byte
}

// lengthSize is the size of a part's length in bytes.
const lengthSize = 4

// maxPooledBuffer is the largest buffer that is used again.
const maxPooledBuffer = 64 << 10

// digestPool keeps buffers from event to event.
var digestPool = sync.Pool{New: func() any { return &digest{buf: make([]byte, 0, 4<<10)} }}

// returnToPool empties the digest and keeps its buffer for another event.
func (d *digest) returnToPool() {
	if cap(d.buf) <= maxPooledBuffer {
		d.buf = d.buf[:0]
		digestPool.Put(d)
	}
}

// writePart writes one part.
func (d *digest) writePart(s string) {
	start := d.openPart()
	d.buf = append(d.buf, s...)
	d.closePart(start)
}

// openPart begins a part, and returns its start: everything appended to buf until closePart is its text. Parts may be nested.
func (d *digest) openPart() int {
	d.buf = append(d.buf, make([]byte, lengthSize)...)
	return len(d.buf)
}

// closePart ends the part that openPart began.
func (d *digest) closePart(start int) {
	binary.BigEndian.PutUint32(d.buf[start-lengthSize:], uint32(len(d.buf)-start))
}
