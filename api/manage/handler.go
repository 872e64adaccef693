// Package manage is the dialect of the management API at /api/v1: a key in its own header, bodies wrapped or flat,
// unknown fields dropped, and errors with a message. core/manage defines what an operation takes, answers and allows.
package manage

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"errand/core"
	"errand/core/manage"
	"errand/wire"
)

// Options are the parts of the surface. All must be set.
type Options struct {
	Registry *core.Registry // of manage.V1
	// Authenticate returns the actor behind an API key, or unauthorized.
	Authenticate func(context.Context, core.Secret) (core.Actor, error)
	// Authorize makes the checks that some operations need before their input: that what the path names exists, and then the permission.
	Authorize func(ctx context.Context, actor core.Actor, op *core.Operation, path map[string]string) error
	RequestID func(context.Context) string
	// Document is the OpenAPI document, which everybody may read.
	Document func() []byte
}

type server struct{ Options }

// New makes the handler of all paths below Path.
func New(o Options) http.Handler {
	s := &server{o}
	router := chi.NewRouter()
	for _, op := range o.Registry.Operations() {
		handler := s.serveOperation(op)
		for _, route := range append([]string{op.Route}, op.Aliases...) {
			method, path, _ := strings.Cut(route, " ")
			router.Method(method, strings.TrimPrefix(path, manage.Path), handler)
		}
	}
	router.Get("/openapi.json", func(w http.ResponseWriter, _ *http.Request) { wire.WriteJSON(w, http.StatusOK, o.Document()) })
	router.NotFound(s.refuseUnknown(core.NotFound))
	router.MethodNotAllowed(s.refuseUnknown(core.MethodNotAllowed))
	return router
}

// refuseUnknown answers requests without an operation. Without a key the answer is 401, so that nobody can probe for paths.
func (s *server) refuseUnknown(code core.Code) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if _, err := s.findActor(r); err != nil {
			s.writeFailure(w, r, nil, err)
			return
		}
		s.writeFailure(w, r, nil, core.NewError(code))
	}
}

// serveOperation answers one call: key, then what the path names and the permission, then the input (management API, 1.1).
func (s *server) serveOperation(op *core.Operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		actor := core.Actor{Type: core.ActorSystem, Scopes: core.List[core.Scope]{core.NoToken}}
		if op.Scope != core.NoToken {
			var err error
			if actor, err = s.findActor(r); err != nil {
				s.writeFailure(w, r, op, err)
				return
			}
		}
		path, err := readPath(r, op)
		if err != nil {
			s.writeFailure(w, r, op, err)
			return
		}
		if err = s.checkFirst(ctx, actor, op, path); err != nil {
			s.writeFailure(w, r, op, err)
			return
		}
		args, err := readInput(w, r, op, path)
		if err != nil {
			s.writeFailure(w, r, op, err)
			return
		}
		answer, failure := s.Registry.Call(ctx, op, core.Call{Actor: actor, RequestID: s.RequestID(ctx)}, args)
		if failure != nil {
			s.writeFailure(w, r, op, failure)
			return
		}
		wire.WriteJSON(w, answer.Status, answer.Body)
	}
}

// checkFirst makes the checks before the body is read.
func (s *server) checkFirst(ctx context.Context, actor core.Actor, op *core.Operation, path map[string]string) error {
	if err := op.AuthorizeActor(actor); err != nil {
		return err
	}
	return s.Authorize(ctx, actor, op, path)
}

// findActor finds the caller by the header for keys.
func (s *server) findActor(r *http.Request) (core.Actor, error) {
	key := r.Header.Get(manage.KeyHeader)
	if key == "" {
		return core.Actor{}, core.NewError(core.Unauthorized).With("message", "Missing API key")
	}
	return s.Authenticate(r.Context(), core.Secret(key))
}

// writeFailure answers with an error in the words of the management API. The operation is nil for an unknown path.
func (s *server) writeFailure(w http.ResponseWriter, r *http.Request, op *core.Operation, err error) {
	name := "management API"
	if op != nil {
		name = op.Name
	}
	failure := s.Registry.Failure(r.Context(), name, s.RequestID(r.Context()), err)
	if r.ContentLength != 0 && failure.Code != core.InvalidRequest && failure.Code != manage.ValidationFailed {
		w.Header().Set("Connection", "close") // the body may not have been read
	}
	writeError(w, op, failure)
}
