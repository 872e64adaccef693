package ingest

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"errand/core"
)

// credentials are what a request of the Sentry protocol says about its sender.
type credentials struct {
	key string // of the DSN; empty when the request has none: an envelope may still name its DSN
	sdk string // the SDK as name/version
}

// credentialsOf reads X-Sentry-Auth, or Authorization: Sentry, or the query, in that order.
func credentialsOf(r *http.Request) credentials {
	for _, name := range []string{"X-Sentry-Auth", "Authorization"} {
		if c := parseAuth(r.Header.Get(name)); c.key != "" {
			return c
		}
	}
	query := r.URL.Query()
	return credentials{query.Get("sentry_key"), query.Get("sentry_client")}
}

// parseAuth reads `Sentry sentry_version=7, sentry_key=.., sentry_client=..`, whose pairs may be in any order. Some SDKs leave
// out the word Sentry.
func parseAuth(header string) (c credentials) {
	pairs := strings.TrimSpace(header)
	if scheme, rest, _ := strings.Cut(pairs, " "); strings.EqualFold(scheme, "sentry") {
		pairs = rest
	} else if !strings.HasPrefix(pairs, "sentry_") {
		return c
	}
	for pair := range strings.SplitSeq(pairs, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		switch value = strings.Trim(strings.TrimSpace(value), `"`); strings.TrimSpace(name) {
		case "sentry_key":
			c.key = value
		case "sentry_client":
			c.sdk = value
		}
	}
	return c
}

// nativeKey returns the DSN key of POST /v1/ingest: the header, or the query for browser beacons (decisions 3).
func nativeKey(r *http.Request) string {
	if key := r.Header.Get("X-Service-Key"); key != "" {
		return key
	}
	return r.URL.Query().Get("key")
}

// keyOfDSN returns the key of a DSN, such as https://key@host/project.
func keyOfDSN(dsn string) string {
	parsed, err := url.Parse(dsn)
	if err != nil || parsed.User == nil {
		return ""
	}
	return parsed.User.Username()
}

// admitSender finds the project of the key. It checks that the path names this project, and that the page may send to it.
func (i *Ingest) admitSender(r *httpRequest, key string) (*knownProject, error) {
	project, err := i.findProject(r, key)
	if core.HasCode(err, core.Unauthorized) && key != "" {
		err = i.failures.RefuseCredential(r.Context())
	}
	if err != nil {
		return nil, err
	}
	r.project = project
	r.large.countFor(project.ID)
	return project, checkOrigin(r, project)
}

// findProject returns the project of the key. The path must name the same project.
func (i *Ingest) findProject(r *httpRequest, key string) (*knownProject, error) {
	project, err := i.projectsByKey.findProject(r.Context(), key)
	if err == nil && r.speaksSentry && r.projectInPath != strconv.FormatInt(project.ID, 10) {
		return nil, core.NewError(core.Unauthorized)
	}
	return project, err
}
