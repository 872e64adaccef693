package edge

import "net/http"

// responseWriter writes the answer to a request with a body. When too much of the body is still unread, the answer says that the
// connection ends: otherwise the client might send its next request on it.
type responseWriter struct {
	http.ResponseWriter
	conn  *connection
	begun bool
}

// beginAnswer checks the body before the header is sent.
func (a *responseWriter) beginAnswer() {
	if a.begun {
		return
	}
	a.begun = true
	if a.conn.endsAfterAnswer() {
		a.Header().Set("Connection", "close")
	}
}

// WriteHeader implements http.ResponseWriter.
func (a *responseWriter) WriteHeader(status int) {
	if status >= http.StatusOK { // an informational status is followed by another one
		a.beginAnswer()
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (a *responseWriter) Write(text []byte) (int, error) {
	a.beginAnswer()
	return a.ResponseWriter.Write(text)
}

// Flush implements http.Flusher.
func (a *responseWriter) Flush() {
	a.beginAnswer()
	_ = http.NewResponseController(a.ResponseWriter).Flush() // the writer of net/http can flush
}

// Unwrap is for http.ResponseController.
func (a *responseWriter) Unwrap() http.ResponseWriter { return a.ResponseWriter }
