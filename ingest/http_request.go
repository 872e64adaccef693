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
	endpoint   string // as it is counted
	receivedAt core.Time

	// From the path and the headers.
	speaksSentry  bool              // the protocol of Sentry SDKs
	projectInPath string            // as it is written there
	pathInProject string            // behind the project, without its last slash
	export        *export           // nil unless it is of OpenTelemetry
	sdk           string            // as name/version
	browser       *envelope.Browser // nil unless the body is reports of one
	isEnvelope    bool              // the body is an envelope
	encoding      string            // of the body
	hasKey        bool              // in the header or the query
	project       *knownProject     // nil until its key is known to be good

	// The memory that it has reserved.
	small *reservation
	large *reservation

	body       *[]byte         // as it was sent; nil before it is read and when it is not needed any more
	bodyRead   bool            // to its end
	bytesRead  int64           // of the body, as far as it was read
	waiting    context.Context // how long the request waits for the server once its body is read
	endWaiting context.CancelFunc
	problems   []core.Detail // what of it could not be taken
}

// noteProblem notes what the sender should know beside the answer.
func (r *httpRequest) noteProblem(path, message string) {
	r.problems = append(r.problems, core.Detail{Path: path, Message: message})
}

// clientAddress returns the address of the client as text.
func (r *httpRequest) clientAddress() string { return wire.WriteAddress(wire.ClientOf(r.Request)) }

// whoSends returns the sender against whom a large body is counted.
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

// releaseAll frees what the request has reserved.
func (r *httpRequest) releaseAll() {
	r.dropBody(0)
	if r.endWaiting != nil {
		r.endWaiting()
	}
}
