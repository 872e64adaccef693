// Package scm takes the reports of source control in: POST /hooks/scm, with GitHub's payloads, which Gitea and Forgejo send
// too. It checks the signature and reads the payload; what a report does stands elsewhere.
package scm

import (
	"context"
	"net/http"
	"time"

	"errand/core"
	"errand/wire"
)

// MaxBody is the largest payload in bytes (primary API, Limits). A payload of exactly this size is accepted.
const MaxBody = 2 << 20

// Anybody may send a payload, and it is held in memory until its signature can be checked. So only a few large ones are held at a time.
const (
	largeBody       = 64 << 10
	maxLargeBodies  = 16
	waitForLargeOne = 5 * time.Second
)

// readAtMost is how long a payload may take to arrive. Senders themselves give up after about 10 seconds.
const readAtMost = 20 * time.Second

// Options are what the webhook works with. All must be set.
type Options struct {
	Secret core.Secret // with which payloads are signed
	// Receive does what a report asks for, and returns the answer.
	Receive func(context.Context, core.SCMReport) (core.SCMAnswer, error)
	// TakeTurn is called before a signature is checked, and its end afterwards; RefuseCredential says what to answer to a wrong
	// one, unauthorized or limit.
	TakeTurn         func(context.Context) (end func(), err error)
	RefuseCredential func(context.Context) *core.Error
	// Failure turns any error into one that a client may see, and logs the rest.
	Failure   func(ctx context.Context, what, requestID string, err error) *core.Error
	RequestID func(context.Context) string
}

// New makes the handler of the webhook.
func New(o Options) http.Handler { return &webhook{o, make(chan struct{}, maxLargeBodies)} }

type webhook struct {
	Options
	largeBodies chan struct{} // one place for each body in memory
}

// ServeHTTP answers one report.
func (h *webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	given, err := checkBeforeBody(r)
	if err != nil {
		wire.RefuseRequest(w, r, core.AsError(err))
		return
	}
	answer, err := h.takeReport(w, r, given)
	if err != nil {
		wire.WriteError(w, h.Failure(r.Context(), "scm webhook", h.RequestID(r.Context()), err))
		return
	}
	body, err := core.MarshalPlain(answer)
	if err != nil {
		wire.WriteError(w, h.Failure(r.Context(), "scm webhook", h.RequestID(r.Context()), err))
		return
	}
	wire.WriteJSON(w, http.StatusOK, body)
}

// checkBeforeBody refuses requests that need not be read, and returns the signature of the others.
func checkBeforeBody(r *http.Request) (signature, error) {
	if r.ContentLength > MaxBody {
		return nil, core.NewError(core.PayloadTooLarge).With("max_bytes", int64(MaxBody))
	}
	return parseSignature(readHeader(r, "X-Scm-Signature-256", "X-Hub-Signature-256"))
}

func (h *webhook) takeReport(w http.ResponseWriter, r *http.Request, given signature) (core.SCMAnswer, error) {
	body, err := h.readSigned(w, r, given)
	if err != nil {
		return core.SCMAnswer{}, err
	}
	report, err := readReport(event{
		name: readHeader(r, "X-Scm-Event", "X-GitHub-Event"), deliveryID: readHeader(r, "X-Scm-Delivery", "X-GitHub-Delivery"), body: body,
	})
	if err != nil {
		return core.SCMAnswer{}, err
	}
	return h.Receive(r.Context(), report)
}

// readSigned returns the body of a request whose signature is right.
func (h *webhook) readSigned(w http.ResponseWriter, r *http.Request, given signature) ([]byte, error) {
	endTurn, err := h.TakeTurn(r.Context())
	if err != nil {
		return nil, err
	}
	defer endTurn()
	release, err := h.reserveBody(r)
	if err != nil {
		return nil, err
	}
	defer release()
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readAtMost)) // fails only on connections of tests
	body, err := wire.ReadBodyUpTo(w, r, MaxBody)
	if err != nil {
		return nil, err
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	if given.signs(body, h.Secret) {
		return body, nil
	}
	failure := h.RefuseCredential(r.Context())
	if failure.Code == core.Unauthorized {
		failure = core.NewError(core.InvalidSignature)
	}
	return nil, failure
}

// reserveBody waits until there is room for the body of a request, or returns unavailable. A chunked body counts as large.
func (h *webhook) reserveBody(r *http.Request) (release func(), err error) {
	if 0 <= r.ContentLength && r.ContentLength <= largeBody {
		return func() {}, nil
	}
	wait := time.NewTimer(waitForLargeOne)
	defer wait.Stop()
	select {
	case h.largeBodies <- struct{}{}:
		return func() { <-h.largeBodies }, nil
	case <-wait.C:
	case <-r.Context().Done():
	}
	return nil, core.NewError(core.Unavailable)
}

// readHeader returns the header with the name in the specification, or else GitHub's.
func readHeader(r *http.Request, name, ofGitHub string) string {
	if text := r.Header.Get(name); text != "" {
		return text
	}
	return r.Header.Get(ofGitHub)
}
