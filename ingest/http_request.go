package ingest

import (
	"context"
	"net/http"

	"errand/core"
	"errand/envelope"
	"errand/wire"
)

// httpRequest is one HTTP request on its way through an endpoint.
type httpRequest struct {
	*http.Request
	w          http.ResponseWriter
	endpoint   string // its label in the metrics
	receivedAt core.Time

	// From the path and the headers.
	speaksSentry  bool              // the protocol of Sentry SDKs
	projectInPath string            // as the path writes it
	pathInProject string            // after the project, without its last slash
	export        *export           // nil unless this is an OpenTelemetry request
	sdk           string            // as name/version
	browser       *envelope.Browser // nil unless the body is a browser's reports
	isEnvelope    bool              // the body is an envelope
	encoding      string            // of the body
	hasKey        bool              // in the header or the query
	project       *knownProject     // nil until its key is known to be good

	// The memory that the request has reserved.
	small *reservation
	large *reservation

	body       *[]byte         // as it was sent; nil before it is read and when it is no longer needed
	bodyRead   bool            // to its end
	bytesRead  int64           // of the body, so far
	waiting    context.Context // bounds the request's wait for the server once its body is read
	endWaiting context.CancelFunc
	problems   []core.Detail // parts that could not be taken
}

// noteProblem adds a note for the sender to the answer.
func (r *httpRequest) noteProblem(path, message string) {
	r.problems = append(r.problems, core.Detail{Path: path, Message: message})
}

// clientAddress returns the address of the client as text.
func (r *httpRequest) clientAddress() string { return wire.WriteAddress(wire.ClientOf(r.Request)) }

// whoSends returns the sender that a large body is charged to.
func (r *httpRequest) whoSends() sender {
	return sender{r.projectID(), wire.NetworkOf(wire.ClientOf(r.Request))}
}

// projectID returns the id of the project, 0 until it is known.
func (r *httpRequest) projectID() int64 {
	if r.project == nil {
		return 0
	}
	return r.project.ID
}

// releaseAll frees the memory that the request has reserved.
func (r *httpRequest) releaseAll() {
	r.dropBody(0)
	if r.endWaiting != nil {
		r.endWaiting()
	}
}
