package sentryapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"

	"errand/core"
	"errand/wire"
)

// maxBody is the largest JSON body in bytes: commits include the names of all files that they change.
const maxBody = 16 << 20

// request is an HTTP request with its caller.
type request struct {
	*http.Request
	writer http.ResponseWriter
	call   core.Call
}

// serve makes the handler of an endpoint: credential, scope, body, answer.
func (s *server) serve(e endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, httpRequest *http.Request) {
		call := core.Call{RequestID: s.RequestID(httpRequest.Context()), DeployedBy: core.DeployedBySentry}
		r := &request{Request: httpRequest, writer: w, call: call}
		if err := s.authorizeRequest(r, e.scope); err != nil {
			if r.ContentLength != 0 {
				w.Header().Set("Connection", "close") // the body is unread
			}
			s.writeFailure(r, err)
			return
		}
		status, body, err := e.handle(s, r)
		if err != nil {
			s.writeFailure(r, err)
			return
		}
		writeJSON(w, status, body)
	}
}

func (s *server) authorizeRequest(r *request, scope core.Scope) error {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return core.NewError(core.Unauthorized)
	}
	actor, err := s.Authenticate(r.Context(), core.Secret(token))
	if err != nil {
		return err
	}
	if !actor.Has(scope) {
		return core.NewError(core.Forbidden).With("required_scope", scope)
	}
	r.call.Actor = actor
	r.Request = r.WithContext(core.WithTokenReach(r.Context(), actor))
	return nil
}

// pathPart returns a part of the path, decoded. chi leaves it encoded if the path needs that.
func (r *request) pathPart(name string) string {
	part := chi.URLParam(r.Request, name)
	if r.URL.RawPath == "" {
		return part
	}
	if decoded, err := url.PathUnescape(part); err == nil {
		return decoded
	}
	return part
}

// readBody decodes the JSON body. It ignores unknown fields, since newer clients send more.
func (r *request) readBody(into any) error {
	body, err := io.ReadAll(http.MaxBytesReader(r.writer, r.Body, maxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return core.NewError(core.PayloadTooLarge).With("max_bytes", tooLarge.Limit)
	}
	if err != nil {
		return core.RefuseField("", "the body must be sent to its end").Because(err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return core.RefuseField("", "the body must be JSON as Sentry's API has it").Because(err)
	}
	return nil
}

// callOperation carries out an operation and decodes its answer.
func callOperation[Out any](s *server, r *request, op *core.Operation, args map[string]any) (out Out, err error) {
	answer, failure := s.Registry.Call(r.Context(), op, r.call, args)
	if failure != nil {
		return out, failure
	}
	return out, json.Unmarshal(answer.Body, &out)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := core.MarshalPlain(body)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"detail":"internal"}`)
	}
	wire.WriteJSON(w, status, text)
}

// writeFailure answers in the form of Sentry's errors. The person who runs sentry-cli sees the detail.
func (s *server) writeFailure(r *request, err error) {
	failure := s.Registry.Failure(r.Context(), "sentry's API", r.call.RequestID, err)
	wire.SetErrorHeaders(r.writer, failure)
	writeJSON(r.writer, failure.Status(), map[string]string{"detail": describeFailure(failure)})
}

// describeFailure says what is wrong, and what to do.
func describeFailure(failure *core.Error) string {
	switch failure.Code {
	case core.Unauthorized:
		return "The token is missing, invalid or revoked: SENTRY_AUTH_TOKEN must be a token of Errand (ck_...)."
	case core.Forbidden:
		return fmt.Sprintf("The token lacks the scope %v: make one with it and set it as SENTRY_AUTH_TOKEN.", failure.Extra["required_scope"])
	case core.ForbiddenProject:
		return fmt.Sprintf("SENTRY_PROJECT is another project than that of the token: %v.", failure.Extra["reason"])
	case core.ProjectNotFound:
		return "No project has this slug: SENTRY_PROJECT must be the slug or the id of a project; sentry-cli projects list shows them."
	case core.PayloadTooLarge:
		return fmt.Sprintf("The request is too large: at most %v bytes are taken.", failure.Extra["max_bytes"])
	case core.InvalidSourceMap:
		text := fmt.Sprintf("it is not a source map that can be used: %v", failure.Extra["reason"])
		if message, ok := failure.Extra["message"].(string); ok {
			text += " (" + message + ")"
		}
		return text + "."
	case core.Internal:
		return fmt.Sprintf("Something went wrong in Errand; its log says what, at request %v.", failure.Extra["request_id"])
	}
	if message, ok := failure.Extra["message"].(string); ok {
		return message + "."
	}
	if len(failure.Details) == 0 {
		return failure.Code.Info().Meaning
	}
	texts := make([]string, len(failure.Details))
	for i, d := range failure.Details {
		texts[i] = strings.TrimSpace(d.Path + " " + d.Message)
	}
	return strings.Join(texts, "; ") + "."
}

// serveNotFound names the available endpoints.
func (s *server) serveNotFound(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
	}
	status := http.StatusNotFound
	if strings.HasPrefix(r.URL.Path, "/api/0/organizations/") || strings.HasPrefix(r.URL.Path, "/api/0/projects/") {
		status = http.StatusBadRequest // sentry-cli reports a 404 as a missing project, without the text
	}
	writeJSON(w, status, map[string]string{"detail": "Errand does not have this part of Sentry's API. " +
		"With sentry-cli there are: info, releases new, finalize, set-commits, list and info, deploys new and list, " +
		"sourcemaps inject and upload, projects list, organizations list, send-event. " +
		"Errand's own API is explained at " + s.BaseURL() + "/docs."})
}
