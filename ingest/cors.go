package ingest

import (
	"net/http"
	"strings"

	"errand/core"
)

// What an SDK in a page reads of an answer, and what it sends.
const (
	exposed = "x-sentry-error, x-sentry-rate-limits, retry-after"
	sent    = "x-sentry-auth, x-service-key, x-requested-with, authorization, content-type, content-encoding, origin, accept"
)

func allowOrigin(w http.ResponseWriter, origin string) {
	w.Header().Set("Access-Control-Allow-Origin", origin)
	w.Header().Set("Access-Control-Expose-Headers", exposed)
}

// origins makes a project's allowed_origins ready for look-ups; nil is any.
func origins(allowed *[]string) map[string]bool {
	if allowed == nil {
		return nil
	}
	set := make(map[string]bool, len(*allowed))
	for _, origin := range *allowed {
		set[canonical(origin)] = true
	}
	return set
}

// canonical writes an origin as browsers do: in lower case, without the usual port of its scheme.
func canonical(origin string) string {
	origin = strings.ToLower(origin)
	if strings.HasPrefix(origin, "https:") {
		return strings.TrimSuffix(origin, ":443")
	}
	return strings.TrimSuffix(origin, ":80")
}

// checkOrigin refuses a page of a foreign origin. A request without an Origin comes from no page: it is a server's.
func checkOrigin(q *request, p *project) error {
	if p.origins == nil {
		return nil
	}
	q.w.Header().Add("Vary", "Origin")
	origin := q.Header.Get("Origin")
	if origin == "" || !p.origins[canonical(origin)] {
		q.w.Header().Del("Access-Control-Allow-Origin")
	} else {
		allowOrigin(q.w, origin)
	}
	if origin != "" && !p.origins[canonical(origin)] {
		return core.NewError(core.ForbiddenOrigin)
	}
	return nil
}

// preflight answers a page that asks before it sends. A foreign origin is refused by the project of the path, or of the key
// where it stands in the query. All else is decided by the request that follows, whose answer the page can read.
func (i *Ingest) preflight(q *request) error {
	of, name := i.byID, q.project
	if !q.sentry {
		of, name = i.projects, nativeKey(q.Request)
	}
	switch p, err := of.find(q.Context(), name); {
	case err == nil:
		if err := checkOrigin(q, p); err != nil {
			return err
		}
	case core.HasCode(err, core.Unauthorized) && name != "":
		_ = i.failures.Refuse(q.Context()) // it counts; the answer is the next request's
	}
	h := q.w.Header()
	h.Set("Access-Control-Allow-Methods", "POST, OPTIONS")
	h.Set("Access-Control-Allow-Headers", sent)
	h.Set("Access-Control-Max-Age", "3600")
	return nil
}
