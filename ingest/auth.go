package ingest

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"errand/core"
)

// sentryKey gives the DSN key of a request of the Sentry protocol: X-Sentry-Auth, Authorization: Sentry, or the query.
// Empty when it has none; then an envelope may still name its DSN.
func sentryKey(r *http.Request) string {
	if key := authPair(r.Header.Get("X-Sentry-Auth")); key != "" {
		return key
	}
	if key := authPair(r.Header.Get("Authorization")); key != "" {
		return key
	}
	return r.URL.Query().Get("sentry_key")
}

// authPair reads sentry_key from `Sentry sentry_version=7, sentry_key=...`, whose pairs come in any order.
func authPair(header string) string {
	scheme, pairs, _ := strings.Cut(strings.TrimSpace(header), " ")
	if !strings.EqualFold(scheme, "sentry") {
		return ""
	}
	for pair := range strings.SplitSeq(pairs, ",") {
		if name, value, _ := strings.Cut(strings.TrimSpace(pair), "="); name == "sentry_key" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// nativeKey gives the DSN key of POST /v1/ingest: the header, or the query for browser beacons (decisions 3).
func nativeKey(r *http.Request) string {
	if key := r.Header.Get("X-Service-Key"); key != "" {
		return key
	}
	return r.URL.Query().Get("key")
}

// keyOfDSN gives the key and the project of a DSN: scheme://key@host/project.
func keyOfDSN(dsn string) (key, project string) {
	u, err := url.Parse(dsn)
	if err != nil || u.User == nil {
		return "", ""
	}
	return u.User.Username(), strings.Trim(u.Path, "/")
}

// admit finds the project of the key and checks that it is the one of the path, and that the page may send to it.
func (i *Ingest) admit(ctx context.Context, q *request, key string) (*project, error) {
	p, err := i.projects.find(ctx, key)
	if err != nil {
		return nil, err
	}
	if id := q.PathValue("project"); id != "" && id != strconv.FormatInt(p.ID, 10) {
		return nil, core.NewError(core.Unauthorized)
	}
	return p, checkOrigin(q, p)
}
