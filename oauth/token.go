package oauth

import (
	"crypto/sha256"
	"net/http"
	"regexp"

	"errand/core"
)

const (
	grantType       = "authorization_code"
	challengeMethod = "S256"
	maxTokenForm    = 64 << 10 // bytes
)

// verifierForm is the form of a PKCE verifier (RFC 7636, 4.1).
var verifierForm = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

// issuedToken is the answer to a code. The token does not expire, and has no refresh token.
type issuedToken struct {
	AccessToken string `json:"access_token"`
	Type        string `json:"token_type"`
	Scope       string `json:"scope"`
}

// serveToken exchanges a code for a token.
func (s *server) serveToken(w http.ResponseWriter, r *http.Request) {
	if !allowMethod(w, r, http.MethodPost) {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxTokenForm)
	if err := r.ParseForm(); err != nil {
		writeJSON(w, http.StatusBadRequest, failure{"invalid_request", "the body must be a form (application/x-www-form-urlencoded)"})
		return
	}
	code, shown, refused := s.readExchange(r)
	if refused != nil {
		writeJSON(w, http.StatusBadRequest, refused)
		return
	}
	token, err := s.ExchangeConsent(r.Context(), code, shown)
	if core.HasCode(err, core.NotFound) || core.HasCode(err, core.ProjectNotFound) {
		writeJSON(w, http.StatusBadRequest, failure{"invalid_grant",
			"the code is unknown, expired (after a minute), used, or was made for another client, redirect_uri or code_challenge"})
		return
	}
	if core.HasCode(err, core.Limit) { // of the setup key behind the consent: waiting would not help
		writeJSON(w, http.StatusBadRequest, failure{"invalid_grant", "the setup key that allowed it has made all the tokens that it may"})
		return
	}
	if err != nil {
		s.writeFailure(w, r, "oauth token", err)
		return
	}
	w.Header().Set("Pragma", "no-cache")
	writeJSON(w, http.StatusOK, issuedToken{AccessToken: token.Value, Type: "Bearer", Scope: writeScopes(token.Scopes)})
}

// readExchange reads what a client shows for its token. The client is known only by its id: the verifier proves that
// it may have the token.
func (s *server) readExchange(r *http.Request) (code core.Secret, shown core.Consent, refused *failure) {
	form := r.PostForm
	id := form.Get("client_id")
	if user, _, hasBasic := r.BasicAuth(); id == "" && hasBasic {
		id = user
	}
	verifier := form.Get("code_verifier")
	_, isOurs := s.openClient(id)
	switch {
	case form.Get("grant_type") != grantType:
		refused = &failure{"unsupported_grant_type", "grant_type must be " + grantType}
	case !isOurs:
		refused = &failure{"invalid_client", "client_id must be one that " + registerPath + " of this server has answered"}
	case form.Get("code") == "":
		refused = &failure{"invalid_request", "code is missing"}
	case !verifierForm.MatchString(verifier):
		refused = &failure{"invalid_request", "code_verifier must have 43 to 128 characters of A-Z a-z 0-9 - . _ ~"}
	case form.Get("resource") != "" && !s.isResource(r, form.Get("resource")):
		refused = &failure{"invalid_target", "resource must be " + s.publicURL(r) + mcpPath}
	}
	if refused != nil {
		return "", core.Consent{}, refused
	}
	hash := sha256.Sum256([]byte(verifier))
	shown = core.Consent{ClientID: id, RedirectURI: form.Get("redirect_uri"), Challenge: encodeText(hash[:])}
	return core.Secret(form.Get("code")), shown, nil
}
