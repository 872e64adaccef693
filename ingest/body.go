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

// readBodyAtMost is how long a client may take to send its body.
const readBodyAtMost = 30 * time.Second

// The first buffer of a body in bytes, how many times its size a buffer may grow in one step when Content-Length asks for it, and
// the largest buffer in bytes that is kept for other requests.
const (
	firstBuffer    = 2 << 10
	believedGrowth = 4
	keptBuffer     = 32 << 10
)

var bodyBuffers = sync.Pool{New: func() any { return new([]byte) }}

// readBody reads the body as it was sent, for openBody. The request keeps it until dropBody. When only the envelope names its
// sender, readBody reads just the beginning until it knows the sender.
func (i *Ingest) readBody(r *httpRequest) (err error) {
	if r.encoding, err = encodingOf(r.Header); err != nil {
		return err
	}
	if r.ContentLength > r.maxReadBytes() {
		return errTooLarge(r.maxBody())
	}
	buffer, incoming := bodyBuffers.Get().(*[]byte), &incomingBody{source: r.Body, connection: http.NewResponseController(r.w)}
	err = i.readInto(r, incoming, buffer)
	r.bytesRead = incoming.bytesRead
	i.metrics.receivedBytes.Add(float64(incoming.bytesRead))
	if err == nil {
		err = r.small.reserveMemory(r.Context(), perRequest)
	}
	if err != nil {
		putBody(buffer)
		return explainReadError(err)
	}
	r.body, r.bodyRead = buffer, true
	// The deadline was for the body: left in place, it would end the request while it waits for its commit.
	_ = http.NewResponseController(r.w).SetReadDeadline(time.Time{})
	// A page that is being closed sends its last error and does not wait for the answer. The error is stored even so.
	r.waiting, r.endWaiting = context.WithTimeout(context.WithoutCancel(r.Context()), i.waitAtMost)
	return nil
}

// readInto reads the body to its end, and reserves memory as the buffer grows.
func (i *Ingest) readInto(r *httpRequest, incoming *incomingBody, buffer *[]byte) error {
	body, limit := reservedBuffer{owner: r, text: (*buffer)[:0]}, r.maxKeptBytes()
	defer func() { *buffer = body.text }()
	for {
		if len(body.text) == cap(body.text) {
			body.text = growBuffer(body.text, r.ContentLength, limit)
		}
		if err := body.reserveGrowth(); err != nil {
			return err
		}
		n, err := i.incoming.readBody(incoming, body.text[len(body.text):cap(body.text)])
		body.text = body.text[:len(body.text)+n]
		isWhole := errors.Is(err, io.EOF)
		if r.isEnvelope && r.project == nil && (isWhole || len(body.text) >= maxUnknownBody) {
			if err := i.admitByDSN(r, body.text); err != nil {
				return err
			}
		}
		switch {
		case int64(len(body.text)) > limit && r.isEnvelope:
			return i.readLongBody(r, incoming, &body)
		case int64(len(body.text)) > limit:
			return errTooLarge(limit)
		case isWhole:
			return nil
		case err != nil:
			return err
		}
	}
}

// reservedBuffer is a buffer for a body, whose memory the HTTP request has reserved.
type reservedBuffer struct {
	owner    *httpRequest
	text     []byte
	reserved int64 // bytes
}

// reserveGrowth reserves the memory that the buffer has gained since the last call.
func (b *reservedBuffer) reserveGrowth() error {
	more := int64(cap(b.text)) - b.reserved
	if more <= 0 {
		return nil
	}
	from := b.owner.small
	if cap(b.text) > smallBody {
		from = b.owner.large
	}
	b.reserved += more
	return from.reserveMemory(b.owner.Context(), more)
}

// growBuffer copies the text into a larger buffer: one that holds the whole body when its length is known and near, otherwise one
// of twice the size. A Content-Length is only a promise: a large buffer is made when the bytes arrive, not before.
func growBuffer(text []byte, length, limit int64) []byte {
	size := max(firstBuffer, 2*int64(cap(text)))
	if length >= 0 && length < believedGrowth*size {
		size = length + 1 // one more, to see the end
	}
	larger := make([]byte, len(text), max(min(size, limit+1), int64(cap(text))+1))
	copy(larger, text)
	return larger
}

// openBody decompresses the body and calls work with its text, which is valid until work returns. A body that may be wrapped is
// also unwrapped, as unwrapBase64 does.
func (i *Ingest) openBody(r *httpRequest, mayBeWrapped bool, work func(text []byte) error) error {
	return i.unpackers.openBody(r.waiting, packedBody{
		body: *r.body, encoding: r.encoding, mayBeWrapped: mayBeWrapped, isEnvelope: r.isEnvelope, limit: int(r.maxBody()), sender: r.whoSends(),
	}, work)
}

// dropBody frees the body, and all but n bytes of the memory that the request has reserved.
func (r *httpRequest) dropBody(n int64) {
	if r.body != nil {
		putBody(r.body)
		r.body = nil
	}
	r.large.keepOnly(n)
	r.small.keepOnly(n)
}

func putBody(buffer *[]byte) {
	if cap(*buffer) <= keptBuffer {
		bodyBuffers.Put(buffer)
	}
}

// explainReadError says what is wrong with a body that could not be read.
func explainReadError(err error) error {
	_, isExplained := errors.AsType[*core.Error](err)
	switch {
	case isExplained:
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return core.RefuseField("", "the body did not come in time").Because(err)
	default:
		return core.RefuseField("", "the body must be sent to its end").Because(err)
	}
}

func errTooLarge(limit int64) error {
	return core.NewError(core.PayloadTooLarge).With("max_bytes", limit)
}

// encodingOf returns the Content-Encoding of an HTTP request in lower case, empty for none.
func encodingOf(h http.Header) (string, error) {
	encoding := ""
	for name := range strings.SplitSeq(strings.Join(h.Values("Content-Encoding"), ","), ",") {
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "", "identity":
		case "gzip", "x-gzip", "deflate", "br", "zstd":
			if encoding != "" {
				return "", core.RefuseField("content-encoding", "must be one encoding, not several")
			}
			encoding = name
		default:
			return "", core.RefuseField("content-encoding", "must be gzip, deflate, br, zstd or identity")
		}
	}
	return encoding, nil
}
