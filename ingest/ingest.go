// Package ingest takes events in over HTTP: key, quota, origin, decompression; it runs the pipeline (decode, scrub,
// group, limit) and answers when the event is committed.
package ingest

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"errand/core"
	"errand/store"
)

// Options says what ingest works with.
type Options struct {
	Store      *store.Store
	Clock      core.Clock
	Random     io.Reader // for the ids of events that come without one
	InstallKey []byte    // keys the hashes of users
	Log        *slog.Logger
}

// Ingest takes events in.
type Ingest struct {
	clock      core.Clock
	random     io.Reader
	installKey []byte
	log        *slog.Logger
	projects   *projects
	memory     *memory
	writer     *writer
}

// New starts taking events in; Close ends it.
func New(o Options) *Ingest {
	return &Ingest{
		clock: o.Clock, random: o.Random, installKey: o.InstallKey, log: o.Log,
		projects: newProjects(o.Store, o.Clock), memory: newMemory(maxWaiting), writer: newWriter(o.Store),
	}
}

// Close waits until the last accepted event is committed. The HTTP server must have stopped taking requests.
func (i *Ingest) Close() { i.writer.close() }

// Handler serves POST /v1/ingest and the Sentry SDK protocol below /api/.
func (i *Ingest) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/v1/ingest", i.serve(i.native))
	for _, end := range []string{"", "/{$}"} { // SDKs send with and without the slash
		mux.Handle("/api/{project}/envelope"+end, i.serve(i.envelope))
		mux.Handle("/api/{project}/store"+end, i.serve(i.storeEvent))
	}
	mux.Handle("/", i.serve(func(context.Context, *request) (any, error) { return nil, core.NewError(core.NotFound) }))
	return mux
}

// waitAtMost is how long a request waits for memory and for the writer before it gets 503 (decisions 3): an SDK drops an
// event that is refused, so waiting is better.
const waitAtMost = 10 * time.Second

// serve runs one endpoint within its deadline and writes its answer.
func (i *Ingest) serve(endpoint func(context.Context, *request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		allowOrigin(w, "*", "") // until the project says otherwise, so that a page can read a refusal
		q := &request{Request: r, w: w, received: core.At(i.clock()), lease: i.memory.lease()}
		defer q.lease.release()
		switch r.Method {
		case http.MethodPost:
		case http.MethodOptions:
			i.preflight(q)
			return
		default:
			w.Header().Set("Allow", "POST, OPTIONS")
			i.refuse(q, core.NewError(core.MethodNotAllowed))
			return
		}
		answer, err := endpoint(r.Context(), q)
		if err != nil {
			i.refuse(q, err)
			return
		}
		body, err := core.Marshal(answer)
		if err != nil {
			i.refuse(q, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // a client that went away has its event stored all the same
	})
}

// request is one request on its way through an endpoint.
type request struct {
	*http.Request
	w        http.ResponseWriter
	received core.Time
	lease    *lease
}
