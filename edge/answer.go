package edge

import "net/http"

// responseWriter writes the answer to a request with a body. When too much of the body is unread by then, the answer says that the
// connection ends: a client that does not know may send its next request on it.
type responseWriter struct {
	http.ResponseWriter
	conn  *connection
	begun bool
}

// beginAnswer looks at the body before the header is sent.
func (a *responseWriter) beginAnswer() {
	if a.begun {
		return
	}
	a.begun = true
	if a.conn.endsAfterAnswer() {
		a.Header().Set("Connection", "close")
	}
}

// WriteHeader is http.ResponseWriter's.
func (a *responseWriter) WriteHeader(status int) {
	if status >= http.StatusOK { // else another one follows
		a.beginAnswer()
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write is http.ResponseWriter's.
func (a *responseWriter) Write(text []byte) (int, error) {
	a.beginAnswer()
	return a.ResponseWriter.Write(text)
}

// Flush is http.Flusher's.
func (a *responseWriter) Flush() {
	a.beginAnswer()
	_ = http.NewResponseController(a.ResponseWriter).Flush() // net/http can
}

// Unwrap is for http.ResponseController.
func (a *responseWriter) Unwrap() http.ResponseWriter { return a.ResponseWriter }
