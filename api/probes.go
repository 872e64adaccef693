package api

import (
	"context"
	"net/http"
	"time"

	"errand/core"
	"errand/wire"
)

// readyWithin is how long a readiness check may take: load balancers ask every few seconds.
const readyWithin = 3 * time.Second

// serveHealth answers /healthz: the process is up.
func serveHealth(w http.ResponseWriter, _ *http.Request) {
	wire.WriteJSON(w, http.StatusOK, []byte(`{"status":"ok"}`))
}

// serveReady answers /readyz: 200 while requests can be served, else 503 unavailable.
func (s *server) serveReady(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyWithin)
	defer cancel()
	if err := s.Ready(ctx); err != nil {
		unavailable := core.NewError(core.Unavailable).Because(err)
		wire.WriteError(w, s.Registry.Failure(r.Context(), "readyz", CallerOf(r.Context()).RequestID, unavailable))
		return
	}
	serveHealth(w, r)
}
