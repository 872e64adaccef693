// Package wire is what the surfaces of Errand have in common over HTTP: they read a body under a limit, and write an answer or an error.
package wire

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"errand/core"
)

// MaxBody is the largest JSON body in bytes that /v1 and /mcp accept (primary API, Limits). A body of exactly this size is accepted.
const MaxBody = 1 << 20

// retryAfter is how many seconds a client should wait before it repeats a request while the database is away.
const retryAfter = "5"

// ReadBody reads the whole body of a request, with or without a Content-Length. A body over MaxBody is
// payload_too_large with max_bytes; an incomplete one is invalid_request.
func ReadBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	return ReadBodyUpTo(w, r, MaxBody)
}

// ReadBodyUpTo is ReadBody with another limit, in bytes.
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

// WriteJSON answers with a JSON body; for nil, only with the status.
func WriteJSON(w http.ResponseWriter, status int, body []byte) {
	if body == nil {
		w.WriteHeader(status)
		return
	}
	WriteBody(w, status, "application/json", body)
}

// WriteBody answers with a body, which may be empty. It sets the length, since otherwise the connection of a refused
// request ends (edge.Connections.Serve).
func WriteBody(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone
}

// SetErrorHeaders sets the headers that the specification requires with 401 (WWW-Authenticate) and with 429 and 503
// (Retry-After), and ends the connection after 413.
func SetErrorHeaders(w http.ResponseWriter, failure *core.Error) {
	switch failure.Code {
	case core.Unauthorized:
		if w.Header().Get("WWW-Authenticate") == "" { // /mcp has a longer one
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
	case core.Unavailable:
		w.Header().Set("Retry-After", retryAfter)
	case core.PayloadTooLarge:
		w.Header().Set("Connection", "close") // the rest of the body stays unread
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

// RefuseRequest is WriteError for a request whose body is unread and stays so. It announces the end of the
// connection: otherwise net/http reads much of the body before it answers.
func RefuseRequest(w http.ResponseWriter, r *http.Request, failure *core.Error) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
	}
	WriteError(w, failure)
}
