// Package ingest takes events in over HTTP: key, origin, quota, decompression; it runs the pipeline (decode, scrub,
// group, limit) and answers when the event is committed.
package ingest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"errand/core"
	"errand/envelope"
	"errand/store"
	"errand/wire"
)

// Options says what ingest works with.
type Options struct {
	Store      *store.Store
	Clock      core.Clock
	Random     io.Reader // for the ids of events that come without one
	InstallKey []byte    // keys the hashes of users
	Log        *slog.Logger
	Metrics    prometheus.Registerer // nil: nobody scrapes them
	Failures   Failures              // nil: nobody limits them
}

// Failures limits failed authentication by the client's address.
type Failures interface {
	// TakeTurn waits until a key that is not known may be looked up; the look-up ends with the returned function.
	TakeTurn(ctx context.Context) (end func(), err error)
	// Refuse counts a request with a key, or a project, that is not good. It returns what to answer.
	Refuse(ctx context.Context) *core.Error
}

// unlimited is Failures without a limit.
type unlimited struct{}

func (unlimited) TakeTurn(context.Context) (end func(), err error) { return func() {}, nil }
func (unlimited) Refuse(context.Context) *core.Error               { return core.NewError(core.Unauthorized) }

// Ingest takes events in.
type Ingest struct {
	store      *store.Store
	clock      core.Clock
	random     io.Reader
	macs       sync.Pool // of HMACs with the install key
	log        *slog.Logger
	projects   *projects // by key
	byID       *projects
	quotas     *quotas
	memory     *memory // of small bodies, and the beginnings of large ones
	large      *memory // of what is beyond
	slow       *slow
	unpackers  *unpackers
	writer     *writer
	reporter   *reporter
	metrics    *metrics
	refusals   *refusals
	captured   *captured
	readAtMost time.Duration // for a body
	waitAtMost time.Duration // for the server
	failures   Failures
}

// New starts taking events in; Close ends it.
func New(o Options) *Ingest {
	if o.Failures == nil {
		o.Failures = unlimited{}
	}
	quotas, metrics, turns := newQuotas(o.Store, o.Clock), newMetrics(o.Metrics), make(chan struct{}, maxLookUps)
	i := &Ingest{
		store: o.Store, clock: o.Clock, random: o.Random, log: o.Log, quotas: quotas, metrics: metrics, failures: o.Failures,
		macs:     sync.Pool{New: func() any { return hmac.New(sha256.New, o.InstallKey) }},
		projects: newProjects(o.Store.ProjectForKey, o, turns), byID: newProjects(byID(o.Store), o, turns),
		memory: newMemory(maxSmall, waitAtMost), large: newMemory(maxLarge, waitAtMost), slow: newSlow(), unpackers: newUnpackers(),
		writer: newWriter(o.Store, quotas, metrics, o.Log), reporter: newReporter(o.Store, o.Log), refusals: newRefusals(o.Log),
		captured: newCaptured(), readAtMost: readBodyAtMost, waitAtMost: waitAtMost,
	}
	i.memory.hurry, i.large.hurry = i.slow.end, i.slow.end
	metrics.load(o.Metrics, i)
	return i
}

// Hurry has requests that wait for their commit answered within a second or so. It comes before Close, when the server
// has waited for them as long as it may.
func (i *Ingest) Hurry() { i.writer.hurry() }

// Close waits until the last accepted event is committed. The HTTP server must have stopped taking requests.
func (i *Ingest) Close() {
	i.writer.close()
	i.reporter.close()
}

// Refusing reports whether an event could not be committed in the last seconds.
func (i *Ingest) Refusing() bool { return i.writer.refusing() }

// Handler serves POST /v1/ingest, the Sentry SDK protocol below /api/, and OpenTelemetry's exports at /v1/ and below /api/.
func (i *Ingest) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := &request{
			Request: r, w: w, endpoint: endpointNone, received: core.At(i.clock()),
			share: i.memory.newShare(everybody), large: i.large.newShare(nobody),
		}
		defer q.release()
		// Only a test's recorder has no deadline.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(i.readAtMost))
		// Until the project says otherwise, so that a page can read a refusal.
		allowOrigin(w, "*")
		start, status := time.Now(), http.StatusInternalServerError // which it stays in a panic
		defer func() { i.metrics.endpoints[q.endpoint].answered(status, time.Since(start)) }()
		answer, err := i.serve(q)
		status = i.answer(q, answer, err)
	})
}

// answer sends an answer or an error and returns its status.
func (i *Ingest) answer(q *request, answer any, err error) int {
	if err != nil {
		return i.refuse(q, err)
	}
	if rejected, ok := answer.(rejection); ok {
		q.answerExport(rejected)
		return http.StatusOK
	}
	if answer == nil {
		wire.WriteJSON(q.w, http.StatusNoContent, nil)
		return http.StatusNoContent
	}
	body, err := core.MarshalPlain(answer)
	if err != nil {
		return i.refuse(q, err)
	}
	if len(q.problems) > 0 {
		q.w.Header().Set("X-Sentry-Error", headerText(strings.Join(sentences(q.problems), "; ")))
	}
	wire.WriteJSON(q.w, http.StatusOK, body) // a client that went away has its event stored all the same
	return http.StatusOK
}

// serve runs the endpoint of the path. Without an answer there is nothing to say.
func (i *Ingest) serve(q *request) (any, error) {
	endpoint := i.endpoint(q)
	if endpoint == nil {
		return nil, errNoEndpoint(q)
	}
	switch q.Method {
	case http.MethodPost:
		return endpoint(q)
	case http.MethodOptions:
		q.endpoint = endpointPreflight
		return nil, i.preflight(q)
	default:
		q.w.Header().Set("Allow", "POST, OPTIONS")
		return nil, core.NewError(core.MethodNotAllowed)
	}
}

// endpoint finds the endpoint of the path, nil for none. SDKs send with and without the last slash.
func (i *Ingest) endpoint(q *request) func(*request) (any, error) {
	path := q.URL.Path
	if path == "/v1/ingest" {
		q.endpoint = endpointNative
		return i.native
	}
	rest, ok := strings.CutPrefix(path, "/api/")
	if !ok {
		return i.exportEndpoint(q, strings.TrimPrefix(path, "/v1/"))
	}
	q.sentry = true
	q.project, q.path, _ = strings.Cut(rest, "/")
	q.path = strings.TrimSuffix(q.path, "/")
	for _, e := range sentryEndpoints {
		if e.path == q.path {
			q.endpoint = e.name
			serve := e.serve
			return func(q *request) (any, error) { return serve(i, q) }
		}
	}
	if signal, ok := strings.CutPrefix(q.path, "integration/otlp/v1/"); ok {
		return i.exportEndpoint(q, signal)
	}
	return nil
}

// request is one request on its way through an endpoint.
type request struct {
	*http.Request
	w        http.ResponseWriter
	endpoint string // as it is counted
	received core.Time
	sentry   bool              // it speaks the protocol of Sentry SDKs
	project  string            // in the path, as it is written there
	admitted int64             // the id of the project, once it is known
	path     string            // behind the project, without its last slash
	export   *export           // nil unless it is of OpenTelemetry
	client   string            // the SDK as name/version
	browser  *envelope.Browser // nil unless the body is reports of one
	hasItems bool              // the body is an envelope
	encoding string            // of the body
	share    *share            // of memory
	large    *share
	body     *[]byte         // as it was sent; nil before it is read and when it is not needed any more
	bodyRead bool            // to its end
	patience context.Context // how long the request waits for the server once its body is read
	giveUp   context.CancelFunc
	bytes    int64         // of the body, as far as it was read
	problems []core.Detail // what of it could not be taken
}

// problem notes what the sender should know beside the answer.
func (q *request) problem(path, message string) {
	q.problems = append(q.problems, core.Detail{Path: path, Message: message})
}

// clientAddress is the address of the client as text.
func (q *request) clientAddress() string { return wire.WriteAddress(wire.ClientOf(q.Request)) }

// sender is whom a large body is counted against.
func (q *request) sender() sender {
	return sender{q.admitted, wire.NetworkOf(wire.ClientOf(q.Request))}
}

// release gives back what the request holds.
func (q *request) release() {
	q.dropBody(0)
	if q.giveUp != nil {
		q.giveUp()
	}
}
