package edge

import (
	"bytes"
	"crypto/rand"
	"fmt"

	"errand/core"
)

// How much a request may send before its body: the request line and the headers. The number of headers costs more than their
// bytes, because each takes some 100 bytes besides its text.
const (
	maxHeaderBytes = 16 << 10
	maxHeaders     = 100
)

// header counts what a client sends before a body. It comes before net/http, which keeps the parsed part of a header that never
// ends.
type header struct {
	bytes int
	lines int // without empty ones
	line  int // bytes of the current line
	last  byte
}

// countPiece counts a piece of the text. It returns how much of the piece belongs to the header, and whether the header ends
// there.
func (h *header) countPiece(piece []byte) (used int, ended bool) {
	for rest := piece; len(rest) > 0; {
		at := bytes.IndexByte(rest, '\n')
		if at < 0 {
			h.line += len(rest)
			h.last = rest[len(rest)-1]
			used += len(rest)
			break
		}
		if at > 0 {
			h.last = rest[at-1]
		}
		length := h.line + at
		if length > 0 && h.last == '\r' {
			length--
		}
		rest = rest[at+1:]
		used += at + 1
		h.line, h.last = 0, 0
		if length == 0 && h.lines > 0 { // empty lines before a request are skipped
			ended = true
			break
		}
		if length > 0 {
			h.lines++
		}
	}
	h.bytes += used
	return used, ended
}

// isTooLarge reports whether the header exceeds its limits. The request line does not count as a header.
func (h *header) isTooLarge() bool { return h.bytes > maxHeaderBytes || h.lines > maxHeaders+1 }

// isEmpty reports whether no request has begun.
func (h *header) isEmpty() bool { return h.bytes == 0 }

// tooLargeAnswer is the raw answer to a header that is too large: no handler has a request yet that it could answer.
func tooLargeAnswer() []byte {
	body, err := core.MarshalPlain(core.NewError(core.HeadersTooLarge).With("max_bytes", maxHeaderBytes).With("max_headers", maxHeaders))
	if err != nil {
		body = []byte(`{"error":"headers_too_large"}`)
	}
	return fmt.Appendf(nil, "HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
		"X-Request-Id: %s\r\nConnection: close\r\n\r\n%s", len(body), rand.Text(), body)
}
