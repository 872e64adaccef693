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

// longest is how many bytes of the body are read, with those that are skipped. From whoever has shown no good key yet it is
// no more than is kept.
func (q *request) longest() int64 {
	if q.hasItems && q.admitted != 0 {
		return maxStream
	}
	return q.limit()
}

// wholeUpTo is how much of the body is kept as it was sent. Of a longer envelope only what is needed is kept.
func (q *request) wholeUpTo() int64 {
	if q.hasItems && q.encoding == "" {
		return largeBody
	}
	return q.limit()
}

// readOn reads the rest of a long envelope without the items that are dropped. What is kept is decompressed by then.
func (i *Ingest) readOn(q *request, from *client, body *room) error {
	rest := &remainder{slow: i.slow, client: from, most: q.longest()}
	source, err := new(unpacker).reader(body.text, rest, q.encoding)
	if err != nil {
		return errEncoding(err)
	}
	kept := room{request: q}
	switch err := filter(source, &kept); {
	case rest.err != nil && !errors.Is(rest.err, io.EOF): // before what the decompressor makes of it
		return rest.err
	case errors.Is(err, errOutgrown):
		return errTooLarge(q.limit())
	case err != nil && !core.HasCode(err, core.Unavailable):
		return errEncoding(err)
	case err != nil:
		return err
	}
	body.text, q.encoding = kept.text, ""
	return nil
}

// remainder is what of a body has not been read yet.
type remainder struct {
	slow   *slow
	client *client
	most   int64 // of the whole body
	err    error // the last one
}

func (r *remainder) Read(into []byte) (n int, err error) {
	if r.client.bytes > r.most {
		return 0, errOutgrown
	}
	n, r.err = r.slow.read(r.client, into)
	return n, r.err
}

// filter copies an envelope without the items that are dropped. One of more than maxStream bytes, or one that takes more
// memory to decompress than there is, is errOutgrown.
func filter(from io.Reader, to io.Writer) error {
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
func (r *room) Write(part []byte) (int, error) {
	limit := r.request.limit()
	if int64(len(r.text)+len(part)) > limit {
		return 0, errOutgrown
	}
	for len(r.text)+len(part) > cap(r.text) {
		r.text = grown(r.text, -1, limit)
	}
	r.text = append(r.text, part...)
	return len(part), r.reserve()
}

// sink holds a text as long as there is room, and measures it.
type sink struct {
	text []byte
	size int
	most int // more is errOutgrown
}

func (s *sink) Write(part []byte) (int, error) {
	if s.size += len(part); s.size > s.most {
		return 0, errOutgrown
	}
	if s.size <= cap(s.text) {
		s.text = append(s.text, part...)
	}
	return len(part), nil
}

// unpackLong undoes the Content-Encoding of a body that may be large: it is measured first, so that a bomb takes no memory
// at all. More than most bytes are errOutgrown.
func (u *unpacker) unpackLong(p packed, most int) ([]byte, error) {
	for size := keptPlain; ; {
		into := sink{text: make([]byte, 0, size), most: most}
		source, err := u.reader(p.body, nil, p.encoding)
		if err != nil {
			return nil, err
		}
		if p.hasItems {
			err = filter(source, &into)
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
