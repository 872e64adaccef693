package ingest

import (
	"net/http"
	"strings"

	"errand/core"
)

// The headers that an SDK in a page reads from an answer, and those that it may send.
const (
	exposedHeaders = "x-sentry-error, x-sentry-rate-limits, retry-after"
	allowedHeaders = "x-sentry-auth, x-service-key, checkend-ingestion-key, x-requested-with, authorization, " +
		"content-type, content-encoding, origin, accept"
)

func allowOrigin(w http.ResponseWriter, origin string) {
	w.Header().Set("Access-Control-Allow-Origin", origin)
	w.Header().Set("Access-Control-Expose-Headers", exposedHeaders)
}

// indexOrigins indexes a project's allowed_origins for look-ups; nil means any origin.
func indexOrigins(allowed *[]string) map[string]bool {
	if allowed == nil {
		return nil
	}
	set := make(map[string]bool, len(*allowed))
	for _, origin := range *allowed {
		set[canonicalOrigin(origin)] = true
	}
	return set
}

// canonicalOrigin writes an origin as browsers do: in lower case, without the default port of its scheme. For example,
// HTTPS://shop.example:443 is https://shop.example.
func canonicalOrigin(origin string) string {
	origin = strings.ToLower(origin)
	if strings.HasPrefix(origin, "https:") {
		return strings.TrimSuffix(origin, ":443")
	}
	return strings.TrimSuffix(origin, ":80")
}

// checkOrigin refuses a page of a foreign origin. A request without an Origin comes from a server, not from a page.
func checkOrigin(r *httpRequest, project *knownProject) error {
	if project.origins == nil {
		return nil
	}
	r.w.Header().Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" || !project.origins[canonicalOrigin(origin)] {
		r.w.Header().Del("Access-Control-Allow-Origin")
	} else {
		allowOrigin(r.w, origin)
	}
	if origin != "" && !project.origins[canonicalOrigin(origin)] {
		return core.NewError(core.ForbiddenOrigin)
	}
	return nil
}

// servePreflight answers a page that asks before it sends. It refuses an origin that the project does not allow; the path or a
// key in the query names the project. Everything else is decided when the page sends, because then it can read the answer.
func (i *Ingest) servePreflight(r *httpRequest) error {
	projects, name := i.projectsByID, r.projectInPath
	if !r.speaksSentry {
		projects, name = i.projectsByKey, nativeKey(r.Request)
	}
	switch project, err := projects.findProject(r.Context(), name); {
	case err == nil:
		if err := checkOrigin(r, project); err != nil {
			return err
		}
	case core.HasCode(err, core.Unauthorized) && name != "":
		_ = i.failures.RefuseCredential(r.Context()) // only to count it: the page gets its answer when it sends
	}
	h := r.w.Header()
	h.Set("Access-Control-Allow-Methods", "POST, OPTIONS")
	h.Set("Access-Control-Allow-Headers", allowedHeaders)
	h.Set("Access-Control-Max-Age", "3600")
	return nil
}
