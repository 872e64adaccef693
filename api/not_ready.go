package api

import (
	"net/http"

	"errand/api/wire"
	"errand/core"
)

// NewNotReady makes the handler of a server that serves no requests yet, or none any more: /healthz says that the process
// is up, /readyz why it is not ready, and everything else is unavailable.
func NewNotReady(reason func() string) http.Handler {
	return identify(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		unavailable := core.NewError(core.Unavailable)
		switch r.URL.Path {
		case "/healthz":
			healthy(w, r)
			return
		case "/readyz":
			unavailable.With("reason", reason())
		}
		wire.Refuse(w, r, unavailable)
	}))
}
