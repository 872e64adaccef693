package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"errand/core"
	"errand/wire"
)

// guard protects mcp-go, which reads bodies without a limit, ignores origins, and in stateless mode lets one client
// cancel the calls of another.
type guard struct {
	baseURL func() string // web pages of its host may call
	origins map[string]bool
	next    http.Handler
}

func newGuard(baseURL func() string, origins []string, next http.Handler) *guard {
	g := &guard{baseURL: baseURL, origins: map[string]bool{}, next: next}
	for _, origin := range origins {
		g.origins[strings.ToLower(origin)] = true
	}
	return g
}

// ServeHTTP refuses requests that are not a message: 405 for all but POST, 403 for web pages of foreign origins, 413 above the limit, and
// the problems of findProblem. It lets no plain text of mcp-go through, which clients could not read.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		wire.RefuseRequest(w, r, core.NewError(core.MethodNotAllowed))
		return
	}
	if !g.allowsOrigin(r) {
		wire.RefuseRequest(w, r, core.NewError(core.ForbiddenOrigin))
		return
	}
	body, err := wire.ReadBody(w, r)
	if err != nil {
		wire.WriteError(w, core.AsError(err))
		return
	}
	if isCancellation(body) {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if problem := findProblem(r.Header, body); problem != nil {
		problem.writeTo(w, r)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if project := r.URL.Query().Get("project"); project != "" { // in the address that a person set in the client
		r = r.WithContext(context.WithValue(r.Context(), projectKey{}, core.ProjectRef(project)))
	}
	g.next.ServeHTTP(w, r)
}

type projectKey struct{}

// projectOf returns the project in the address of the request; empty for none.
func projectOf(ctx context.Context) core.ProjectRef {
	project, _ := ctx.Value(projectKey{}).(core.ProjectRef)
	return project
}

// allowsOrigin reports whether a web page of the origin may call. Programs send no origin.
func (g *guard) allowsOrigin(r *http.Request) bool {
	origin := strings.ToLower(r.Header.Get("Origin"))
	if origin == "" || g.origins[origin] {
		return true
	}
	host := hostOf(wire.PublicURL(g.baseURL(), r))
	return host != "" && hostOf(origin) == host
}

// hostOf returns the host and port of a URL in lower case; empty for a text that is not a URL, such as the origin null.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// isCancellation reports whether the message is notifications/cancelled. Clients choose the ids of requests, and without
// sessions two clients may use the same id. A cancel could hit the other's call, so it is dropped.
func isCancellation(body []byte) bool {
	var message struct {
		Method string `json:"method"`
	}
	return json.Unmarshal(body, &message) == nil && message.Method == "notifications/cancelled"
}
