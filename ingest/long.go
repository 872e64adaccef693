package ingest

import (
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"errand/core"
	"errand/envelope"
)

// maxStream is how many bytes of an envelope are read, as sent and after decompression, when it has items that are dropped:
// they are skipped as they come, and do not count to its limit.
const maxStream = 100 << 20

// maxReadBytes is how many bytes of the body are read, with those that are skipped. From whoever has shown no good key yet it is
// no more than is kept.
func (r *httpRequest) maxReadBytes() int64 {
	if r.isEnvelope && r.projectID != 0 {
		return maxStream
	}
	return r.maxBody()
}

// maxKeptBytes is how much of the body is kept as it was sent. Of a longer envelope only what is needed is kept.
func (r *httpRequest) maxKeptBytes() int64 {
	if r.isEnvelope && r.encoding == "" {
		return largeBody
	}
	return r.maxBody()
}

// readLongBody reads the rest of a long envelope without the items that are dropped. What is kept is decompressed by then.
func (i *Ingest) readLongBody(r *httpRequest, from *incomingBody, body *reservedBuffer) error {
	rest := &unreadBody{incoming: i.incoming, body: from, maxBytes: r.maxReadBytes()}
	source, err := new(unpacker).newReader(body.text, rest, r.encoding)
	if err != nil {
		return errEncoding(err)
	}
	kept := reservedBuffer{owner: r}
	switch err := copyNeededItems(source, &kept); {
	case rest.lastErr != nil && !errors.Is(rest.lastErr, io.EOF): // before what the decompressor makes of it
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

// unreadBody is what of a body has not been read yet.
type unreadBody struct {
	incoming *incomingBodies
	body     *incomingBody
	maxBytes int64 // of the whole body
	lastErr  error // the last one
}

func (r *unreadBody) Read(into []byte) (n int, err error) {
	if r.body.bytesRead > r.maxBytes {
		return 0, errOutgrown
	}
	n, r.lastErr = r.incoming.readBody(r.body, into)
	return n, r.lastErr
}

// copyNeededItems copies an envelope without the items that are dropped. One of more than maxStream bytes, or one that takes more
// memory to decompress than there is, is errOutgrown.
func copyNeededItems(from io.Reader, to io.Writer) error {
	f := envelope.NewFilter(to)
	n, err := io.Copy(f, io.LimitReader(from, maxStream+1))
	switch {
	case n > maxStream, errors.Is(err, zstd.ErrWindowSizeExceeded):
		return errOutgrown
	case err != nil:
		return err
	}
	return f.Close()
}

// Write keeps a part of a long body, up to the limit of the request.
func (r *reservedBuffer) Write(part []byte) (int, error) {
	limit := r.owner.maxBody()
	if int64(len(r.text)+len(part)) > limit {
		return 0, errOutgrown
	}
	for len(r.text)+len(part) > cap(r.text) {
		r.text = growBuffer(r.text, -1, limit)
	}
	r.text = append(r.text, part...)
	return len(part), r.reserveGrowth()
}

// measuredBuffer holds a text as long as there is room, and measures it.
type measuredBuffer struct {
	text    []byte
	size    int
	maxSize int // more is errOutgrown
}

func (s *measuredBuffer) Write(part []byte) (int, error) {
	if s.size += len(part); s.size > s.maxSize {
		return 0, errOutgrown
	}
	if s.size <= cap(s.text) {
		s.text = append(s.text, part...)
	}
	return len(part), nil
}

// unpackLong undoes the Content-Encoding of a body that may be large: it is measured first, so that a bomb takes no memory
// at all. More than most bytes are errOutgrown.
func (u *unpacker) unpackLong(p packedBody, most int) ([]byte, error) {
	for size := keptOutput; ; {
		into := measuredBuffer{text: make([]byte, 0, size), maxSize: most}
		source, err := u.newReader(p.body, nil, p.encoding)
		if err != nil {
			return nil, err
		}
		if p.isEnvelope {
			err = copyNeededItems(source, &into)
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
