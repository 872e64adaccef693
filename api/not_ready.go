package api

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"errand/core"
	"errand/wire"
)

// NewNotReady makes the handler of a server that does not serve requests yet, or no longer does: /healthz says that the process is up,
// /readyz why it is not ready, and everything else is unavailable. Web pages can read this at the paths for events.
func NewNotReady(reason func() string) http.Handler {
	router := chi.NewRouter()
	router.Use(identifyRequest)
	router.NotFound(refuseUnready)
	router.MethodNotAllowed(refuseUnready)
	router.HandleFunc("/healthz", serveHealth)
	router.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) {
		wire.RefuseRequest(w, r, core.NewError(core.Unavailable).With("reason", reason()))
	})
	for _, route := range ingestRoutes {
		router.With(mayBeKept, allowPages).HandleFunc(route, refuseUnready)
	}
	return router
}

func refuseUnready(w http.ResponseWriter, r *http.Request) {
	wire.RefuseRequest(w, r, core.NewError(core.Unavailable))
}

// allowPages lets pages of any origin read the answer, and when to send again.
func allowPages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Expose-Headers", "retry-after")
		next.ServeHTTP(w, r)
	})
}
