package ingest

import (
	"net/http"
	"slices"
	"strings"

	"errand/core"
)

// exposed are the answer's headers that an SDK in a page reads.
const exposed = "x-sentry-error, x-sentry-rate-limits, retry-after"

func allowOrigin(w http.ResponseWriter, origin, vary string) {
	w.Header().Set("Access-Control-Allow-Origin", origin)
	w.Header().Set("Access-Control-Expose-Headers", exposed)
	if vary != "" {
		w.Header().Add("Vary", vary)
	}
}

// checkOrigin refuses a page of a foreign origin. A request without an Origin comes from no page: it is a server's.
func checkOrigin(q *request, p *project) error {
	if p.AllowedOrigins == nil {
		return nil
	}
	origin := q.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	if !slices.Contains(*p.AllowedOrigins, strings.ToLower(origin)) {
		q.w.Header().Del("Access-Control-Allow-Origin")
		return core.NewError(core.ForbiddenOrigin)
	}
	allowOrigin(q.w, origin, "Origin")
	return nil
}

// preflight answers a page that asks before it sends. Whether its origin may send is decided there where the key names
// the project; a preflight without a key is let through, as the request after it is checked.
func (i *Ingest) preflight(q *request) {
	key := sentryKey(q.Request)
	if key == "" {
		key = nativeKey(q.Request)
	}
	if key != "" {
		if _, err := i.admit(q.Context(), q, key); err != nil {
			i.refuse(q, err)
			return
		}
	}
	w := q.w
	w.Header().Set("Access-Control-Allow-Methods", "POST, OPTIONS")
	w.Header().Set("Access-Control-Allow-Headers", "x-sentry-auth, x-service-key, x-requested-with, authorization, content-type, content-encoding, origin, accept")
	w.Header().Set("Access-Control-Max-Age", "3600")
	w.WriteHeader(http.StatusNoContent)
}
