package oauth

import (
	"net/http"
	"net/url"
	"strings"

	"errand/core"
	"errand/wire"
)

// resourceMetadata says where the tokens for /mcp come from (RFC 9728).
type resourceMetadata struct {
	Resource             string       `json:"resource"`
	AuthorizationServers []string     `json:"authorization_servers"`
	ScopesSupported      []core.Scope `json:"scopes_supported"`
	BearerMethods        []string     `json:"bearer_methods_supported"`
	ResourceName         string       `json:"resource_name"`
	Documentation        string       `json:"resource_documentation"`
}

// issuerMetadata says how a client gets a token (RFC 8414).
type issuerMetadata struct {
	Issuer                string       `json:"issuer"`
	AuthorizationEndpoint string       `json:"authorization_endpoint"`
	TokenEndpoint         string       `json:"token_endpoint"`
	RegistrationEndpoint  string       `json:"registration_endpoint"`
	ScopesSupported       []core.Scope `json:"scopes_supported"`
	ResponseTypes         []string     `json:"response_types_supported"`
	ResponseModes         []string     `json:"response_modes_supported"`
	GrantTypes            []string     `json:"grant_types_supported"`
	ChallengeMethods      []string     `json:"code_challenge_methods_supported"`
	ClientAuthentication  []string     `json:"token_endpoint_auth_methods_supported"`
	AnswersWithIssuer     bool         `json:"authorization_response_iss_parameter_supported"`
	Documentation         string       `json:"service_documentation"`
}

func (s *server) serveResource(w http.ResponseWriter, r *http.Request) {
	if !allowMethod(w, r, http.MethodGet) {
		return
	}
	base := s.publicURL(r)
	writeJSON(w, http.StatusOK, resourceMetadata{
		Resource: base + mcpPath, AuthorizationServers: []string{base}, ScopesSupported: core.ConsentScopes,
		BearerMethods: []string{"header"}, ResourceName: "Errand", Documentation: base + "/docs",
	})
}

func (s *server) serveIssuer(w http.ResponseWriter, r *http.Request) {
	if !allowMethod(w, r, http.MethodGet) {
		return
	}
	base := s.publicURL(r)
	writeJSON(w, http.StatusOK, issuerMetadata{
		Issuer: base, AuthorizationEndpoint: base + authorizePath, TokenEndpoint: base + tokenPath, RegistrationEndpoint: base + registerPath,
		ScopesSupported: core.ConsentScopes, ResponseTypes: []string{"code"}, ResponseModes: []string{"query"},
		GrantTypes: []string{grantType}, ChallengeMethods: []string{challengeMethod}, ClientAuthentication: []string{"none"},
		AnswersWithIssuer: true, Documentation: base + "/docs",
	})
}

// publicURL returns the public URL under the name in the request.
func (s *server) publicURL(r *http.Request) string { return wire.PublicURL(s.BaseURL(), r) }

// NewChallenge returns a function that makes the header WWW-Authenticate of a 401 at /mcp: where a client can read
// how to get a token, and which scopes to ask for.
func NewChallenge(baseURL func() string) func(*http.Request) string {
	return func(r *http.Request) string {
		base := wire.PublicURL(baseURL(), r)
		return `Bearer resource_metadata="` + base + resourcePath + mcpPath + `", scope="` + writeScopes(defaultScopes) + `"`
	}
}

// isResource reports whether the client asks for a token for /mcp of this server. It names the URL that it is
// configured with, which may have a query.
func (s *server) isResource(r *http.Request, named string) bool {
	here, errHere := url.Parse(s.publicURL(r))
	asked, err := url.Parse(named)
	if err != nil || errHere != nil || asked.User != nil {
		return false
	}
	path := strings.TrimSuffix(asked.Path, "/")
	isPath := path == strings.TrimSuffix(here.Path, "/") || path == strings.TrimSuffix(here.Path, "/")+mcpPath
	return strings.EqualFold(asked.Scheme, here.Scheme) && strings.EqualFold(asked.Host, here.Host) && isPath
}

// writeJSON answers with a body and the headers of OAuth.
func writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := core.MarshalPlain(body)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":"server_error"}`)
	}
	wire.WriteJSON(w, status, text)
}

// failure is an error in the form of OAuth (RFC 6749, 5.2). Clients show the description to a person.
type failure struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

func (s *server) writeFailure(w http.ResponseWriter, r *http.Request, what string, err error) {
	known := s.Failure(r.Context(), what, s.RequestID(r.Context()), err)
	wire.SetErrorHeaders(w, known)
	code := "server_error"
	if known.Status() == http.StatusTooManyRequests || known.Status() == http.StatusServiceUnavailable {
		code = "temporarily_unavailable"
	}
	writeJSON(w, known.Status(), failure{code, known.Code.Info().Meaning})
}
