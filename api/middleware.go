package api

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"errand/core"
	"errand/wire"
)

type callKey struct{}

// CallerOf returns the id and the actor of the HTTP request that the context belongs to. Before the authentication the
// actor is empty; outside of a request both are.
func CallerOf(ctx context.Context) core.Call {
	call, _ := ctx.Value(callKey{}).(core.Call)
	return call
}

func withCaller(r *http.Request, call core.Call) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), callKey{}, call))
}

// identifyRequest makes an id for the request. It ignores a client's own X-Request-Id: ids appear in logs and errors, and
// nobody else may choose them. Answers are for one caller and one moment, so caches must not keep them.
func identifyRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := core.Call{RequestID: rand.Text()}
		w.Header().Set("X-Request-Id", call.RequestID)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		r = withCaller(r, call)
		if trace := traceID(r.Header); trace != "" {
			r = r.WithContext(context.WithValue(r.Context(), traceKey{}, trace))
		}
		next.ServeHTTP(w, r)
	})
}

// mayBeKept removes the header against caching, set by identifyRequest. Chromium permanently counts an answer with no-store against
// the 64 KB that a page may send with keepalive, which is how SDKs in pages send. No cache keeps answers to POST.
func mayBeKept(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Del("Cache-Control")
		next.ServeHTTP(w, r)
	})
}

// observeRequest logs each request at level debug, calls Observe, and turns a panic outside the registry into the error
// internal. The line has the route's pattern instead of the URL, since paths and queries can contain keys.
func (s *server) observeRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		recorded := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		defer func() {
			if p := recover(); p != nil {
				s.answerPanic(recorded, r, p)
			}
			took, route := time.Since(start), chi.RouteContext(r.Context()).RoutePattern()
			if s.Log.Enabled(r.Context(), slog.LevelDebug) {
				s.logRequest(r, route, recorded.Status(), took)
			}
			if s.Observe != nil && !slices.Contains(ingestRoutes, route) {
				s.Observe(r.Method, route, recorded.Status(), took)
			}
		}()
		next.ServeHTTP(recorded, r)
	})
}

func (s *server) logRequest(r *http.Request, route string, status int, took time.Duration) {
	s.Log.LogAttrs(r.Context(), slog.LevelDebug, "request",
		slog.String("method", r.Method), slog.String("route", route), slog.Int("status", status), slog.Duration("duration", took),
		slog.String("request_id", CallerOf(r.Context()).RequestID), slog.String("client", wire.WriteAddress(wire.ClientOf(r))))
}

// answerPanic answers internal; only the log has the panic's text. An answer that has begun is cut off instead.
func (s *server) answerPanic(w middleware.WrapResponseWriter, r *http.Request, p any) {
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(p)
	}
	id := CallerOf(r.Context()).RequestID
	s.Log.ErrorContext(r.Context(), "panic in a request", "request_id", id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if w.Status() != 0 {
		panic(http.ErrAbortHandler)
	}
	wire.WriteError(w, core.NewError(core.Internal).With("request_id", id))
}

// requireToken finds the actor behind the bearer token, or the person whom the cookie signs in. Without either the answer
// is 401, before the body is read (primary API, Authentication).
func (s *server) requireToken(next http.Handler) http.Handler {
	return s.authenticateBefore(next, s.findActorOrSession, wire.RefuseRequest)
}

// requireTokenOfClient is requireToken at /mcp. It tells a client without a token where to get one, and tells the
// person what to do if the client cannot.
func (s *server) requireTokenOfClient(next http.Handler) http.Handler {
	return s.authenticateBefore(next, s.findActor, func(w http.ResponseWriter, r *http.Request, failure *core.Error) {
		if failure.Code == core.Unauthorized && s.Challenge != nil {
			w.Header().Set("WWW-Authenticate", s.Challenge(r))
			failure = failure.With("hint", "sign in from the client, if it can; else send the header Authorization: Bearer <token>, "+
				"with a token of POST /v1/tokens")
		}
		wire.RefuseRequest(w, r, failure)
	})
}

func (s *server) authenticateBefore(
	next http.Handler, find func(*http.Request) (core.Actor, error), refuse func(http.ResponseWriter, *http.Request, *core.Error),
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := CallerOf(r.Context())
		actor, err := find(r)
		if err != nil {
			refuse(w, r, s.Registry.Failure(r.Context(), "authenticate", call.RequestID, err))
			return
		}
		call.Actor, call.Program = actor, core.ReadUserAgent(r.UserAgent())
		next.ServeHTTP(w, withCaller(r, call))
	})
}

func (s *server) findActor(r *http.Request) (core.Actor, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return core.Actor{}, core.NewError(core.Unauthorized)
	}
	return s.Authenticate(r.Context(), core.Secret(token))
}

// findActorOrSession finds the actor behind the bearer token, or without a header Authorization, the person who is signed in.
func (s *server) findActorOrSession(r *http.Request) (core.Actor, error) {
	if len(r.Header.Values("Authorization")) == 0 && s.AuthenticateSession != nil {
		return s.AuthenticateSession(r)
	}
	return s.findActor(r)
}
