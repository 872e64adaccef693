package ingest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"errand/core"
)

// The largest bodies in bytes, as sent and after decompression (decisions 3).
const (
	maxEnvelope = 20 << 20
	maxNative   = 1 << 20
)

// limit is the largest body of the request.
func (q *request) limit() int64 {
	if q.endpoint == endpointEnvelope || q.endpoint == endpointStore || q.endpoint == endpointOTLP {
		return maxEnvelope
	}
	return maxNative
}

// readBodyAtMost is how long a client may take to send its body.
const readBodyAtMost = 30 * time.Second

// The sizes of buffers for bodies: with what one begins, up to how many times that a Content-Length is believed, and what
// is kept for other requests.
const (
	firstBuffer = 2 << 10
	believed    = 4
	keptBuffer  = 32 << 10
)

var bodies = sync.Pool{New: func() any { return new([]byte) }}

// readBody reads the body as it was sent, for open. It stays with the request until dropBody.
func (i *Ingest) readBody(q *request) (err error) {
	if q.encoding, err = encodingOf(q.Header); err != nil {
		return err
	}
	if q.ContentLength > q.longest() {
		return errTooLarge(q.limit())
	}
	buffer, from := bodies.Get().(*[]byte), &client{body: q.Body, ends: http.NewResponseController(q.w)}
	err = i.readInto(q, from, buffer)
	q.bytes = from.bytes
	i.metrics.received.Add(float64(from.bytes))
	if err == nil {
		err = q.share.grow(q.Context(), perRequest)
	}
	if err != nil {
		putBody(buffer)
		return readError(err)
	}
	q.body, q.bodyRead = buffer, true
	// The deadline was that of the body: it would end the request while it waits for its commit.
	_ = http.NewResponseController(q.w).SetReadDeadline(time.Time{})
	// A page that is being closed sends its last error and does not wait for the answer: it is stored all the same.
	q.patience, q.giveUp = context.WithTimeout(context.WithoutCancel(q.Context()), i.waitAtMost)
	return nil
}

// readInto reads to the end, asking for memory as the buffer grows.
func (i *Ingest) readInto(q *request, from *client, buffer *[]byte) error {
	body, limit := room{request: q, text: (*buffer)[:0]}, q.wholeUpTo()
	defer func() { *buffer = body.text }()
	for {
		if len(body.text) == cap(body.text) {
			body.text = grown(body.text, q.ContentLength, limit)
		}
		if err := body.reserve(); err != nil {
			return err
		}
		n, err := i.slow.read(from, body.text[len(body.text):cap(body.text)])
		body.text = body.text[:len(body.text)+n]
		switch {
		case int64(len(body.text)) > limit && q.hasItems:
			return i.readOn(q, from, &body)
		case int64(len(body.text)) > limit:
			return errTooLarge(limit)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// room is a buffer for a body, for whose memory the request asks.
type room struct {
	request  *request
	text     []byte
	reserved int64
}

// reserve asks for the memory that the buffer has taken since the last time.
func (r *room) reserve() error {
	more := int64(cap(r.text)) - r.reserved
	if more <= 0 {
		return nil
	}
	share := r.request.share
	if cap(r.text) > smallBody {
		share = r.request.large
	}
	r.reserved += more
	return share.grow(r.request.Context(), more)
}

// grown gives the text more room: for all of it when its length is known and near, else twice as much. A Content-Length
// is only a promise, for which no large buffer is made before the bytes come.
func grown(text []byte, length, limit int64) []byte {
	room := max(firstBuffer, 2*int64(cap(text)))
	if length >= 0 && length < believed*room {
		room = length + 1 // to see the end
	}
	larger := make([]byte, len(text), max(min(room, limit+1), int64(cap(text))+1))
	copy(larger, text)
	return larger
}

// open decompresses the body and has it worked on. Wrapped, it may be wrapped as unwrap undoes it. The text that work gets
// is good until it returns.
func (i *Ingest) open(q *request, wrapped bool, work func(text []byte) error) error {
	return i.unpackers.open(q.patience, packed{*q.body, q.encoding, wrapped, q.hasItems, int(q.limit()), q.sender()}, work)
}

// dropBody lets the body go and keeps n bytes of what the request holds.
func (q *request) dropBody(n int64) {
	if q.body != nil {
		putBody(q.body)
		q.body = nil
	}
	q.large.keep(n)
	q.share.keep(n)
}

func putBody(buffer *[]byte) {
	if cap(*buffer) <= keptBuffer {
		bodies.Put(buffer)
	}
}

// readError says what is wrong with a body that could not be read.
func readError(err error) error {
	switch {
	case core.HasCode(err, core.PayloadTooLarge), core.HasCode(err, core.Unavailable):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return core.Invalid("", "the body did not come in time").Because(err)
	default:
		return core.Invalid("", "the body must be sent to its end").Because(err)
	}
}

func errTooLarge(limit int64) error {
	return core.NewError(core.PayloadTooLarge).With("max_bytes", limit)
}

// encodingOf returns the Content-Encoding of a request in lower case, empty for none.
func encodingOf(h http.Header) (string, error) {
	encoding := ""
	for name := range strings.SplitSeq(strings.Join(h.Values("Content-Encoding"), ","), ",") {
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "", "identity":
		case "gzip", "x-gzip", "deflate", "br", "zstd":
			if encoding != "" {
				return "", core.Invalid("content-encoding", "must be one encoding, not several")
			}
			encoding = name
		default:
			return "", core.Invalid("content-encoding", "must be gzip, deflate, br, zstd or identity")
		}
	}
	return encoding, nil
}
