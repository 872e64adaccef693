// Package wire is what the surfaces of Errand do alike over HTTP: read a body under the limit, and write an answer or
// an error.
package wire

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"errand/core"
)

// MaxBody is the largest JSON body in bytes that /v1 and /mcp take (primary API, Limits). One of exactly this size is taken.
const MaxBody = 1 << 20

// retryAfter is how many seconds a client waits before it asks again while the database is away.
const retryAfter = "5"

// ReadBody reads the whole body of a request, with or without a Content-Length. A body over MaxBody is
// payload_too_large with max_bytes; one that breaks off is invalid_request.
func ReadBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	return ReadBodyUpTo(w, r, MaxBody)
}

// ReadBodyUpTo is ReadBody with a limit of its own, in bytes.
func ReadBodyUpTo(w http.ResponseWriter, r *http.Request, maxBytes int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBytes))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, core.NewError(core.PayloadTooLarge).With("max_bytes", tooLarge.Limit)
	}
	if err != nil {
		return nil, core.RefuseField("", "the body must be sent to its end").Because(err)
	}
	return body, nil
}

// WriteJSON answers with a JSON body; without one (nil) only with the status.
func WriteJSON(w http.ResponseWriter, status int, body []byte) {
	if body == nil {
		w.WriteHeader(status)
		return
	}
	WriteBody(w, status, "application/json", body)
}

// WriteBody answers with a body, which may be empty. Its length is said, without which the connection of a refused request
// ends (edge.Connections.Serve).
func WriteBody(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone
}

// SetErrorHeaders sets the headers that the specification puts beside 401 (WWW-Authenticate) and 429 and 503 (Retry-After),
// and ends the connection after 413.
func SetErrorHeaders(w http.ResponseWriter, failure *core.Error) {
	switch failure.Code {
	case core.Unauthorized:
		if w.Header().Get("WWW-Authenticate") == "" { // /mcp says more
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
	case core.Unavailable:
		w.Header().Set("Retry-After", retryAfter)
	case core.PayloadTooLarge:
		w.Header().Set("Connection", "close") // the rest of the body is not read
	}
	if failure.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(failure.RetryAfter))
	}
}

// WriteError answers with an error: its status, its JSON and its headers.
func WriteError(w http.ResponseWriter, failure *core.Error) {
	SetErrorHeaders(w, failure)
	body, err := core.MarshalPlain(failure)
	if err != nil {
		failure = core.NewError(core.Internal)
		body = []byte(`{"error":"internal"}`)
	}
	WriteJSON(w, failure.Status(), body)
}

// RefuseRequest is WriteError for a request whose body was not read, and will not be. Unless the connection is said to end,
// net/http reads a good part of the body before it answers.
func RefuseRequest(w http.ResponseWriter, r *http.Request, failure *core.Error) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
	}
	WriteError(w, failure)
}
