// Package api serves the registry as REST under /v1, with its OpenAPI document, a page that explains it, and the
// probes. It also puts the other HTTP surfaces (ingest, MCP) on their paths. It mirrors the registry and decides
// nothing: core defines what an operation takes, answers and allows.
package api

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"errand/core"
	"errand/wire"
)

// Options are the parts of the surface. All but MCP, SignIn, AuthenticateSession, Pages, Texts, Ingest, SCM,
// SentryAPI, Manage and Observe must be set.
type Options struct {
	Registry *core.Registry
	// Authenticate returns the actor behind a bearer token, or unauthorized. Any other error is answered as unavailable or internal.
	Authenticate func(context.Context, core.Secret) (core.Actor, error)
	Ready        func(context.Context) error // nil while requests can be served
	BaseURL      func() string               // the present public URL, for the examples of /docs
	Version      string                      // of Errand, for the OpenAPI document and /docs
	Log          *slog.Logger
	MCP          http.Handler // at /mcp, behind the authentication of /v1; nil for none
	// SignIn has the paths where clients of MCP get a token; nil for none. The Challenge in a 401 at /mcp then says where they are.
	SignIn    map[string]http.Handler
	Challenge func(*http.Request) string
	// AuthenticateSession returns the actor whom a cookie signs in, for requests to /v1 without the header
	// Authorization; nil for nobody. It has the errors of Authenticate, and forbidden.
	AuthenticateSession func(*http.Request) (core.Actor, error)
	// Pages are the pages for people, by path; nil for none.
	Pages map[string]http.Handler
	// UnknownPage answers a browser that asks for an unknown path; nil for the JSON that others get.
	UnknownPage http.HandlerFunc
	// Assets are for the pages that explain the API.
	Assets Assets
	// Texts are plain texts by path, which everybody may read; nil for none.
	Texts     map[string]func() string
	Ingest    http.Handler // at ingestRoutes, with its own keys; nil for none
	SCM       http.Handler // POST at scmRoute, with its own signatures; nil for none
	SentryAPI http.Handler // below sentryPath, with its own authentication; nil for none
	Manage    http.Handler // below managePath, with its own keys; nil for none
	// Observe is called after each request except those of Ingest, which counts its own; it may be nil. The route is
	// a pattern, empty for an unknown path, so that it contains nothing from the client.
	Observe func(method, route string, status int, took time.Duration)
	// WithoutOperations leaves out the paths below /v1, their document and their page.
	WithoutOperations bool
}

// Assets are the paths of the style sheet and the icon of all pages.
type Assets struct{ Style, Icon string }

// mcpRoutes are the paths of Options.MCP: people configure clients with and without the last slash.
var mcpRoutes = []string{"/mcp", "/mcp/"}

// sentryPath is where Sentry's own tools expect its API. No project has the id 0.
const sentryPath = "/api/0"

// managePath is the path of the management API. No project has the id v1.
const managePath = "/api/v1"

// ingestRoutes are the paths of Options.Ingest.
var ingestRoutes = []string{"/v1/ingest", "/ingest/v1/errors", "/v1/traces", "/v1/logs", "/v1/metrics", "/api/*"}

// scmRoute is the path of Options.SCM.
const scmRoute = "/hooks/scm"

// server holds what the handlers share.
type server struct {
	Options
}

// New makes the handler of the whole surface. Every answer has X-Request-Id. The documents are made when they are first
// asked for. They panic on an operation that cannot be documented, since that is a mistake in a declaration.
func New(o Options) http.Handler {
	s := &server{o}
	router := chi.NewRouter()
	router.Use(identifyRequest, s.observeRequest, middleware.GetHead)
	router.NotFound(s.refuseUnknown)
	router.MethodNotAllowed(methodNotAllowed(router))

	if !o.WithoutOperations {
		s.mountAPI(router)
	}
	if o.MCP != nil {
		for _, route := range mcpRoutes {
			router.With(s.requireTokenOfClient).Handle(route, o.MCP)
		}
	}
	for _, handlers := range []map[string]http.Handler{o.SignIn, o.Pages} {
		for path, handler := range handlers {
			router.Handle(path, handler)
		}
	}
	for path, text := range o.Texts {
		router.Get(path, s.serveText(text))
	}
	if o.SentryAPI != nil {
		router.Mount(sentryPath, o.SentryAPI)
	}
	if o.Manage != nil {
		router.Mount(managePath, o.Manage)
	}
	if o.Ingest != nil {
		for _, route := range ingestRoutes {
			router.With(mayBeKept).Handle(route, o.Ingest)
		}
	}
	if o.SCM != nil {
		router.Method(http.MethodPost, scmRoute, o.SCM)
	}
	router.Get("/healthz", serveHealth)
	router.Get("/readyz", s.serveReady)
	return router
}

// serveText answers with a text. A browser gets it as a page.
func (s *server) serveText(text func() string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		if !wire.WantsPage(r) {
			wire.WriteBody(w, http.StatusOK, "text/plain; charset=utf-8", []byte(text()))
			return
		}
		var page bytes.Buffer
		view := docsView{Style: s.Assets.Style, Icon: s.Assets.Icon, Title: "Connect an application or an agent", Text: text()}
		if err := docsTemplates().ExecuteTemplate(&page, "text", view); err != nil {
			wire.WriteError(w, core.NewError(core.Internal))
			return
		}
		w.Header().Set("Content-Security-Policy", docsPolicy)
		w.Header().Set("Referrer-Policy", "no-referrer")
		wire.WriteCompressed(w, r, http.StatusOK, "text/html; charset=utf-8", page.Bytes())
	}
}

// refuseUnknown answers a request for an unknown path.
func (s *server) refuseUnknown(w http.ResponseWriter, r *http.Request) {
	if s.UnknownPage != nil && wire.WantsPage(r) {
		s.UnknownPage(w, r)
		return
	}
	wire.RefuseRequest(w, r, core.NewError(core.NotFound))
}

// mountAPI serves the operations, with their document and their page.
func (s *server) mountAPI(router chi.Router) {
	v1 := newV1Dialect(s.Registry.Catalogue())
	router.Group(func(r chi.Router) {
		r.Use(s.requireToken)
		s.mountOperations(r)
	})
	openAPI := sync.OnceValue(func() []byte { return v1.describeAll(s.Version, v1.describeSCM()) }) // a start does not wait for it
	router.Get("/v1/openapi.json", func(w http.ResponseWriter, _ *http.Request) { wire.WriteJSON(w, http.StatusOK, openAPI()) })
	for _, of := range []*dialect{v1, newManagementDialect()} {
		docs := &docsPages{dialect: of, baseURL: s.BaseURL, version: s.Version, assets: s.Assets}
		router.Get(of.docsPath, docs.serveNewest)
		router.Get(of.docsPath+"/{part}", docs.serveNewest)
	}
	if s.Pages["/"] == nil {
		router.Get("/", http.RedirectHandler("/docs", http.StatusFound).ServeHTTP)
	}
}

// mountOperations serves the operations of the registry at each of their routes.
func (s *server) mountOperations(r chi.Router) {
	surface := humachi.New(r, huma.Config{OpenAPI: &huma.OpenAPI{}}) // no paths, so Huma adds no routes
	for _, op := range s.Registry.Operations() {
		for _, route := range routesOf(op) {
			surface.Adapter().Handle(&huma.Operation{Method: route.Method(), Path: route.Path()}, s.serveRoute(route))
		}
	}
}

// route is an operation at one of its paths. Under an alias, Route is the alias.
type route struct {
	*core.Operation
	declared *core.Operation // the operation in the registry
	id       string          // the operationId, which is different for an alias
}

// routesOf returns the operation at its own route and at each alias.
func routesOf(op *core.Operation) []route {
	routes := []route{{op, op, op.Name}}
	for _, alias := range op.Aliases {
		aliased := *op
		aliased.Route = alias
		routes = append(routes, route{&aliased, op, op.Name + "_alias"})
	}
	return routes
}

// serveRoute carries out one operation: scope, input, registry, answer. It checks the scope before it reads the body.
func (s *server) serveRoute(op route) func(huma.Context) {
	return func(request huma.Context) {
		r, w := humachi.Unwrap(request)
		call := CallerOf(r.Context())
		if err := op.AuthorizeActor(call.Actor); err != nil {
			wire.RefuseRequest(w, r, core.AsError(err))
			return
		}
		if op.Body != nil {
			call.Body = wire.OpenFileBody(w, r, op.Body.MaxBytes)
		}
		args, err := readInput(op.Operation, request)
		if err != nil {
			wire.WriteError(w, core.AsError(err))
			return
		}
		answer, failure := s.Registry.Call(r.Context(), op.declared, call, args)
		switch {
		case failure != nil && call.Body != nil: // unknown whether the body was read
			wire.RefuseRequest(w, r, failure)
			return
		case failure != nil:
			wire.WriteError(w, failure)
			return
		}
		wire.WriteJSON(w, answer.Status, answer.Body)
	}
}

// methodNotAllowed answers 405 with the methods of the path; a path without any is not found.
func methodNotAllowed(router chi.Routes) http.HandlerFunc {
	methods := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, method := range methods {
			if router.Match(chi.NewRouteContext(), method, r.URL.EscapedPath()) {
				allowed = append(allowed, method)
			}
		}
		if allowed == nil {
			wire.RefuseRequest(w, r, core.NewError(core.NotFound))
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		wire.RefuseRequest(w, r, core.NewError(core.MethodNotAllowed))
	}
}
