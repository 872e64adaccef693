package ingest

import (
	"errors"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"errand/core"
	"errand/envelope"
)

// maxStream is how many bytes of an envelope are read, as sent and after decompression, when it has items that are dropped, such
// as attachments. These are skipped as they arrive, and do not count towards its limit.
const maxStream = 100 << 20

// trustedTime is how much time a sender may have used lately for large bodies, including refused ones, before dropped items count
// towards the limit too. A few bombs are opened up to maxStream, later ones no further than any other body.
const trustedTime = 5 * time.Second

// readLongBody reads the rest of a long envelope and leaves out the items that are dropped. It stores the result decompressed.
func (i *Ingest) readLongBody(r *httpRequest, incoming *incomingBody, body *reservedBuffer) error {
	rest := &unreadBody{all: i.incoming, body: incoming, maxBytes: r.maxReadBytes()}
	source, err := new(unpacker).newReader(body.text, rest, r.encoding)
	if err != nil {
		return errEncoding(err)
	}
	kept := reservedBuffer{owner: r}
	switch err := copyNeededItems(source, &kept, maxStream); {
	case rest.lastErr != nil && !errors.Is(rest.lastErr, io.EOF): // before the error that the decompressor makes of it
		return rest.lastErr
	case errors.Is(err, errOutgrown):
		return errTooLarge(r.maxBody())
	case err != nil && !core.HasCode(err, core.Unavailable):
		return errEncoding(err)
	case err != nil:
		return err
	}
	body.text, r.encoding = kept.text, ""
	return nil
}

// unreadBody is the part of a body that has not been read yet.
type unreadBody struct {
	all      *incomingBodies
	body     *incomingBody
	maxBytes int64 // of the whole body
	lastErr  error // of the last Read
}

// Read implements io.Reader.
func (u *unreadBody) Read(into []byte) (n int, err error) {
	if u.body.bytesRead > u.maxBytes {
		return 0, errOutgrown
	}
	n, u.lastErr = u.all.readBody(u.body, into)
	return n, u.lastErr
}

// copyNeededItems copies an envelope without the items that are dropped. It returns errOutgrown when the envelope has more than
// maxBytes, or when decompression needs a larger window than allowed.
func copyNeededItems(from io.Reader, to io.Writer, maxBytes int64) error {
	filter := envelope.NewFilter(to)
	n, err := io.Copy(filter, io.LimitReader(from, maxBytes+1))
	switch {
	case n > maxBytes, errors.Is(err, zstd.ErrWindowSizeExceeded):
		return errOutgrown
	case err != nil:
		return err
	}
	return filter.Close()
}

// Write appends to a long body, up to the largest body that the HTTP request may have.
func (b *reservedBuffer) Write(part []byte) (int, error) {
	limit := b.owner.maxBody()
	if int64(len(b.text)+len(part)) > limit {
		return 0, errOutgrown
	}
	for len(b.text)+len(part) > cap(b.text) {
		b.text = growBuffer(b.text, -1, limit)
	}
	b.text = append(b.text, part...)
	return len(part), b.reserveGrowth()
}

// measuredBuffer keeps a text while it has room, and measures all of it.
type measuredBuffer struct {
	text    []byte
	size    int
	maxSize int // beyond it, Write returns errOutgrown
}

// Write implements io.Writer.
func (b *measuredBuffer) Write(part []byte) (int, error) {
	if b.size += len(part); b.size > b.maxSize {
		return 0, errOutgrown
	}
	if b.size <= cap(b.text) {
		b.text = append(b.text, part...)
	}
	return len(part), nil
}

// unpackLong undoes the Content-Encoding of a body that may be large. It measures the text first, so that a bomb takes no memory.
// A text of more than maxSize bytes returns errOutgrown.
func (u *unpacker) unpackLong(packed packedBody, maxSize int) ([]byte, error) {
	maxBytes := int64(maxStream)
	if packed.skipsLittle {
		maxBytes = maxEnvelope
	}
	for size := keptOutput; ; {
		into := measuredBuffer{text: make([]byte, 0, size), maxSize: maxSize}
		source, err := u.newReader(packed.body, nil, packed.encoding)
		if err != nil {
			return nil, err
		}
		if packed.isEnvelope {
			err = copyNeededItems(source, &into, maxBytes)
		} else {
			_, err = io.Copy(&into, source)
		}
		if err != nil {
			return nil, err
		}
		if into.size == len(into.text) {
			return into.text, nil
		}
		size = into.size
	}
}
