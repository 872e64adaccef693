// Package ingest accepts events over HTTP: key, origin, quota, decompression. It runs the pipeline (decode, scrub, group, limit)
// and answers when the event is committed.
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

	"errand/blob"
	"errand/core"
	"errand/store"
	"errand/wire"
)

// Options are the parts and settings of an Ingest.
type Options struct {
	Store      *store.Store
	Clock      core.Clock
	Random     io.Reader // makes ids for events without one
	InstallKey []byte    // keys the hashes of users
	Log        *slog.Logger
	Metrics    prometheus.Registerer // nil: metrics are not registered
	Failures   Failures              // nil: no limit
	Blobs      blob.Store            // where source maps are; nil for none
}

// Failures limits failed authentication by the client's address.
type Failures interface {
	// TakeTurn waits until an unknown key may be looked up; the returned function ends the look-up.
	TakeTurn(ctx context.Context) (end func(), err error)
	// RefuseCredential counts a request whose key or project is wrong. It returns the error to answer with.
	RefuseCredential(ctx context.Context) *core.Error
}

// unlimitedFailures is Failures without a limit.
type unlimitedFailures struct{}

func (unlimitedFailures) TakeTurn(context.Context) (end func(), err error) { return func() {}, nil }
func (unlimitedFailures) RefuseCredential(context.Context) *core.Error {
	return core.NewError(core.Unauthorized)
}

// Ingest accepts events.
type Ingest struct {
	store         *store.Store
	clock         core.Clock
	random        io.Reader
	macs          sync.Pool // of HMACs with the install key
	log           *slog.Logger
	projectsByKey *projects
	projectsByID  *projects
	quotas        *quotas
	smallMemory   *memory // for small bodies, and the beginnings of large ones
	largeMemory   *memory // for the rest of large bodies
	incoming      *incomingBodies
	unpackers     *unpackers
	writer        *writer
	reporter      *reporter
	metrics       *metrics
	refusalLog    *refusalLog
	captured      *capturedExceptions
	notices       *notices
	maps          *mapper
	readAtMost    time.Duration // for a body
	waitAtMost    time.Duration // for the server
	failures      Failures
}

// New starts taking events in; Close ends it.
func New(o Options) *Ingest {
	if o.Failures == nil {
		o.Failures = unlimitedFailures{}
	}
	quotas, metrics, turns := newQuotas(o.Store, o.Clock), newMetrics(o.Metrics), make(chan struct{}, maxLookUps)
	i := &Ingest{
		store: o.Store, clock: o.Clock, random: o.Random, log: o.Log, quotas: quotas, metrics: metrics, failures: o.Failures,
		macs:          sync.Pool{New: func() any { return hmac.New(sha256.New, o.InstallKey) }},
		projectsByKey: newProjects(o.Store.FindIntakeProject, o, turns), projectsByID: newProjects(findByID(o.Store), o, turns),
		smallMemory: newMemory(maxSmall, waitAtMost), largeMemory: newMemory(maxLarge, waitAtMost),
		incoming: newIncomingBodies(), unpackers: newUnpackers(),
		writer: newWriter(o.Store, quotas, metrics, o.Log), reporter: newReporter(o.Store, o.Log), refusalLog: newRefusalLog(o.Log),
		captured: newCaptured(), notices: newNotices(), maps: newMapper(o), readAtMost: readBodyAtMost, waitAtMost: waitAtMost,
	}
	i.smallMemory.endSlowSenders, i.largeMemory.endSlowSenders = i.incoming.endSlow, i.incoming.endSlow
	metrics.registerLoad(o.Metrics, i)
	return i
}

// StopHolding refuses the events that are held while the database is away, within about a second. A stopping server calls it when
// it has waited for the database as long as it may.
func (i *Ingest) StopHolding() { i.writer.stopHolding() }

// Close waits until the last accepted event is committed, or refused as StopHolding does. Stop the HTTP server first.
func (i *Ingest) Close() {
	i.writer.stopHolding()
	i.writer.close()
	i.reporter.close()
	i.maps.close()
}

// CountWaiting returns how many events wait in memory for their commit.
func (i *Ingest) CountWaiting() int64 { return i.writer.waitingEvents.Load() }

// IsRefusing reports whether an event could not be committed in the last seconds.
func (i *Ingest) IsRefusing() bool { return i.writer.isRefusing() }

// Handler serves POST /v1/ingest, POST /ingest/v1/errors, the Sentry SDK protocol below /api/, and the exports of OpenTelemetry
// at /v1/ and below /api/.
func (i *Ingest) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, received *http.Request) {
		r := &httpRequest{
			Request: received, w: w, endpoint: endpointNone, receivedAt: core.At(i.clock()),
			small: i.smallMemory.newReservation(sharedByAll), large: i.largeMemory.newReservation(ofUnknownSenders),
		}
		defer r.releaseAll()
		// Only a test's recorder has no deadline.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(i.readAtMost))
		// Until the project says otherwise, so that a page can read a refusal.
		allowOrigin(w, "*")
		start, status := time.Now(), http.StatusInternalServerError // kept only after a panic
		defer func() { i.metrics.endpoints[r.endpoint].countAnswer(status, time.Since(start)) }()
		answer, err := i.serveRequest(r)
		status = i.writeAnswer(r, answer, err)
	})
}

// writeAnswer sends an answer or an error and returns its status.
func (i *Ingest) writeAnswer(r *httpRequest, answer any, err error) int {
	if err != nil {
		return i.writeRefusal(r, err)
	}
	if rejected, ok := answer.(rejection); ok {
		r.answerExport(rejected)
		return http.StatusOK
	}
	if answer == nil {
		wire.WriteJSON(r.w, http.StatusNoContent, nil)
		return http.StatusNoContent
	}
	body, err := core.MarshalPlain(answer)
	if err != nil {
		return i.writeRefusal(r, err)
	}
	if len(r.problems) > 0 {
		r.w.Header().Set("X-Sentry-Error", headerText(strings.Join(formatDetails(r.problems), "; ")))
	}
	status := http.StatusOK
	if _, isNew := answer.(storedNotice); isNew {
		status = http.StatusCreated
	}
	wire.WriteJSON(r.w, status, body) // a failed write changes nothing: the event is stored even when the client has left
	return status
}

// serveRequest runs the endpoint of the path. A nil answer has no body.
func (i *Ingest) serveRequest(r *httpRequest) (any, error) {
	endpoint := i.findEndpoint(r)
	if endpoint == nil {
		return nil, errNoEndpoint(r)
	}
	switch r.Method {
	case http.MethodPost:
		return endpoint(r)
	case http.MethodOptions:
		r.endpoint = endpointPreflight
		return nil, i.servePreflight(r)
	default:
		r.w.Header().Set("Allow", "POST, OPTIONS")
		return nil, core.NewError(core.MethodNotAllowed)
	}
}

// findEndpoint returns the endpoint of the path, nil for none. SDKs send paths with and without a trailing slash.
func (i *Ingest) findEndpoint(r *httpRequest) func(*httpRequest) (any, error) {
	path := r.URL.Path
	switch path {
	case "/v1/ingest":
		r.endpoint = endpointNative
		return i.serveNative
	case noticesPath:
		r.endpoint = endpointNotices
		return i.serveNotice
	}
	rest, ok := strings.CutPrefix(path, "/api/")
	if !ok {
		return i.findExportEndpoint(r, strings.TrimPrefix(path, "/v1/"))
	}
	r.speaksSentry = true
	r.projectInPath, r.pathInProject, _ = strings.Cut(rest, "/")
	r.pathInProject = strings.TrimSuffix(r.pathInProject, "/")
	for _, e := range sentryEndpoints {
		if e.path == r.pathInProject {
			r.endpoint = e.name
			serve := e.serve
			return func(r *httpRequest) (any, error) { return serve(i, r) }
		}
	}
	if signal, ok := strings.CutPrefix(r.pathInProject, "integration/otlp/v1/"); ok {
		return i.findExportEndpoint(r, signal)
	}
	return nil
}
