// Package oauth lets a client of MCP sign in by the URL of the server alone, as the authorization specification of
// MCP describes: it finds the metadata, registers itself, and sends its person to a consent page. The access token
// that it gets is an ordinary token, which is listed, limited by scopes and revoked like any other.
//
// Nothing is stored for a client before a person has consented: its id is its own registration, signed.
package oauth

import (
	"context"
	"net/http"

	"errand/core"
	"errand/wire"
)

// Options are what signing in works with. All must be set.
type Options struct {
	BaseURL func() string // the present public URL: the issuer
	Key     []byte        // signs registrations; the same on all servers
	Clock   core.Clock

	// StylePath and IconPath are the paths of the style sheet and the icon for all pages.
	StylePath, IconPath string

	// FindPerson returns the person who is signed in by the cookie of a request, or unauthorized; forbidden for a form of another site.
	FindPerson func(*http.Request) (core.Actor, error)
	// SignInPath returns where somebody signs in and then comes back to a path; empty where nobody can.
	SignInPath func(back string) string
	// MayAllow returns nil for an actor who may let a client in.
	MayAllow func(core.Actor) error
	// Authenticate returns the actor behind the credential of the person who consents, or unauthorized or limit.
	Authenticate func(context.Context, core.Secret) (core.Actor, error)
	// KeepConsent keeps a consent and returns its code. It returns forbidden for a credential that may not allow it.
	KeepConsent func(context.Context, core.Consent) (core.Secret, error)
	// ExchangeConsent makes the token for a code, once, or returns not_found.
	ExchangeConsent func(ctx context.Context, code core.Secret, shown core.Consent) (core.CreatedToken, error)
	// Failure turns any error into one that a client may see, and logs the rest.
	Failure   func(ctx context.Context, what, requestID string, err error) *core.Error
	RequestID func(context.Context) string
}

// The paths for signing in. Clients find all but the first two kinds in the metadata.
const (
	resourcePath  = "/.well-known/oauth-protected-resource"
	issuerPath    = "/.well-known/oauth-authorization-server"
	mcpPath       = "/mcp"
	registerPath  = "/oauth/register"
	authorizePath = "/oauth/authorize"
	tokenPath     = "/oauth/token"
)

// server holds what the handlers share.
type server struct{ Options }

// Routes returns the handler of each path, including the paths where clients of earlier versions of the specification
// look for the metadata and the endpoints.
func Routes(o Options) map[string]http.Handler {
	s := &server{o}
	resource, issuer := s.allowPages(s.serveResource), s.allowPages(s.serveIssuer)
	register, token := s.allowPages(s.serveRegister), s.allowPages(s.serveToken)
	authorize := http.HandlerFunc(s.serveAuthorize)
	return map[string]http.Handler{
		resourcePath: resource, resourcePath + mcpPath: resource,
		issuerPath: issuer, issuerPath + mcpPath: issuer,
		registerPath: register, "/register": register,
		authorizePath: authorize, "/authorize": authorize,
		tokenPath: token, "/token": token,
	}
}

// allowPages lets web pages of every origin call: clients may run in a browser, and nothing here depends on cookies.
func (s *server) allowPages(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", "*")
		if r.Method == http.MethodOptions {
			header.Set("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
			header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, MCP-Protocol-Version")
			header.Set("Access-Control-Max-Age", "3600")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next(w, r)
	})
}

// allowMethod reports whether the request has the method. If not, it refuses the request.
func allowMethod(w http.ResponseWriter, r *http.Request, method string) bool {
	if r.Method == method || method == http.MethodGet && r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", method)
	wire.RefuseRequest(w, r, core.NewError(core.MethodNotAllowed))
	return false
}
