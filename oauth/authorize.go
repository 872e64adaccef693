package oauth

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"errand/core"
)

const (
	maxConsentForm = 64 << 10 // bytes
	maxState       = 4000     // bytes; clients use a few dozen
)

// accessDenied is the code for a person's refusal (RFC 6749, 4.1.2.1).
const accessDenied = "access_denied"

// challengeForm is the form of an S256 challenge: 32 bytes in base64url.
var challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// asking is a client's request to a person.
type asking struct {
	query    url.Values // as the client sent it
	client   registration
	redirect string
	scopes   []core.Scope
}

// serveAuthorize shows the consent page, and takes the answer. Before either, it checks everything that the client
// sends, from the query. The form of the page sends the query again.
func (s *server) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost && !allowMethod(w, r, http.MethodGet) {
		return
	}
	a, problem := s.readAsking(r)
	if problem != "" { // there is no known client to send a code or an error to
		s.showProblem(w, problem)
		return
	}
	if refused := s.checkAsking(r, &a); refused != nil {
		s.redirectFailure(w, r, a, *refused)
		return
	}
	if r.Method != http.MethodPost {
		s.showConsent(w, r, a, http.StatusOK, "")
		return
	}
	s.takeAnswer(w, r, a)
}

// readAsking finds out which client asks, and where it expects the answer.
func (s *server) readAsking(r *http.Request) (a asking, problem string) {
	a.query = r.URL.Query()
	client, isOurs := s.openClient(a.query.Get("client_id"))
	if !isOurs {
		return a, "The client is not known here. Remove the server from the client and add it again: it then registers anew."
	}
	a.client, a.redirect = client, a.query.Get("redirect_uri")
	if !isRegistered(client.Redirects, a.redirect) {
		return a, "The client wants the answer sent to an address that it has not registered, so nothing was done."
	}
	if checkRedirect(a.redirect) != nil { // registered under earlier rules
		return a, "The client wants the answer sent to an address of a kind that is not taken, so nothing was done."
	}
	return a, ""
}

// checkAsking checks the rest, and reads the scopes.
func (s *server) checkAsking(r *http.Request, a *asking) *failure {
	scopes, hasScopes := parseScopes(a.query.Get("scope"))
	a.scopes = scopes
	switch {
	case a.query.Get("response_type") != "code":
		return &failure{"unsupported_response_type", "response_type must be code"}
	case a.query.Get("code_challenge_method") != challengeMethod:
		return &failure{"invalid_request", "code_challenge_method must be S256"}
	case !challengeForm.MatchString(a.query.Get("code_challenge")):
		return &failure{"invalid_request", "code_challenge must be the SHA-256 of the verifier, in base64url without padding"}
	case a.query.Get("resource") != "" && !s.isResource(r, a.query.Get("resource")):
		return &failure{"invalid_target", "resource must be " + s.publicURL(r) + mcpPath}
	case len(a.query.Get("state")) > maxState:
		a.query.Del("state")
		return &failure{"invalid_request", "state is too long"}
	case !hasScopes:
		return &failure{"invalid_scope", "scope must name some of " + writeScopes(core.ConsentScopes)}
	}
	return nil
}

// takeAnswer carries out the person's decision.
func (s *server) takeAnswer(w http.ResponseWriter, r *http.Request, a asking) {
	r.Body = http.MaxBytesReader(w, r.Body, maxConsentForm)
	if err := r.ParseForm(); err != nil {
		s.showConsent(w, r, a, http.StatusBadRequest, "The form was not sent to its end. Send it again.")
		return
	}
	if r.PostForm.Get("decision") != "allow" {
		s.redirectFailure(w, r, a, failure{accessDenied, "the person has not allowed it"})
		return
	}
	allowed := slices.DeleteFunc(slices.Clone(a.scopes), func(scope core.Scope) bool {
		return !slices.Contains(r.PostForm["scope"], string(scope))
	})
	if len(allowed) == 0 {
		s.showConsent(w, r, a, http.StatusBadRequest, "Allow at least one thing, or refuse.")
		return
	}
	code, status, problem := s.makeCode(r, a, allowed)
	if problem != "" {
		s.showConsent(w, r, a, status, problem)
		return
	}
	s.redirectAnswer(w, r, a, url.Values{"code": {code.Reveal()}})
}

// makeCode keeps the consent of the person whose credential is in the form, or else of the one who is signed in. If it cannot, it
// returns a message for the person.
func (s *server) makeCode(r *http.Request, a asking, allowed []core.Scope) (code core.Secret, status int, problem string) {
	actor, err := s.findAllower(r)
	if err == nil {
		code, err = s.KeepConsent(r.Context(), core.Consent{
			By: actor, ClientID: a.query.Get("client_id"), ClientName: a.client.Name, RedirectURI: a.redirect,
			Challenge: a.query.Get("code_challenge"), Scopes: allowed,
			Project:     core.ProjectRef(strings.TrimSpace(r.PostForm.Get("project"))),
			OnlyProject: r.PostForm.Get("only_project") != "",
		})
	}
	if err == nil {
		return code, 0, ""
	}
	known := s.Failure(r.Context(), "oauth consent", s.RequestID(r.Context()), err)
	if r.PostForm.Get(credentialField) == "" && actor.Type == "" && known.Code != core.Unavailable {
		return "", known.Status(), describeNobody(known)
	}
	return "", known.Status(), describeRefusal(actor, known)
}

// credentialField is the field of the form for a token or setup key. Who is signed in leaves it empty.
const credentialField = "credential"

// findAllower returns the actor who allows what the form says. Only a form of our own page counts for a person who is signed in; who
// sends a credential has it, wherever the form is from.
func (s *server) findAllower(r *http.Request) (core.Actor, error) {
	if credential := r.PostForm.Get(credentialField); credential != "" {
		return s.Authenticate(r.Context(), core.Secret(credential))
	}
	return s.FindPerson(r)
}

// describeNobody says why a form without a credential allows nothing.
func describeNobody(refused *core.Error) string {
	switch refused.Code {
	case core.Forbidden:
		return "This form was sent from another site, so nothing was done. Look at what is asked, and send it from here."
	case core.Limit:
		return "Too many wrong attempts came from your address. Wait a minute and try again."
	}
	return "You are not signed in here, or no longer. Sign in, or show a token or setup key."
}

// describeRefusal tells a person why a credential or a session allows nothing. actor is empty if the credential is nobody's.
func describeRefusal(actor core.Actor, refused *core.Error) string {
	switch {
	case refused.Code == core.Unauthorized:
		return "This is not a valid token or setup key. It may have been revoked, have expired, or not have been copied whole."
	case refused.Code == core.Forbidden && actor.IsSetupKey:
		return fmt.Sprintf("Not allowed: %v.", refused.Extra["reason"])
	case refused.Code == core.Forbidden && actor.Type == core.ActorUser:
		return onlyAdminsAllow
	case refused.Code == core.Forbidden:
		return "This token may not allow it: it needs the scope admin. A setup key may, too."
	case refused.Code == core.Limit && actor.IsSetupKey:
		return fmt.Sprintf("Not allowed: %v. An admin makes another setup key.", refused.Extra["message"])
	case refused.Code == core.Limit:
		return "Too many wrong tokens came from your address. Wait a minute and try again."
	case refused.Code == core.ProjectNotFound:
		return "No project has this id or slug, or the setup key has not registered it."
	case refused.Code == core.InvalidRequest:
		return "Name the project, or leave the box beside it empty."
	case refused.Code == core.Unavailable:
		return "The database is away. Try again in a few seconds."
	}
	return "Something went wrong in Errand; its log says what."
}

// redirectFailure reports a failure to the client. A program on the person's machine is told directly. Everybody can
// register a client, with any site as its redirect, and a person who follows a link to this server must not end up
// there unasked. So for other clients a page names the site, with a button that leads there.
func (s *server) redirectFailure(w http.ResponseWriter, r *http.Request, a asking, refused failure) {
	answer := url.Values{"error": {refused.Code}, "error_description": {refused.Description}}
	if isOnThisMachine(a.redirect) {
		s.redirectAnswer(w, r, a, answer)
		return
	}
	target, err := s.answerURL(r, a, answer)
	if err != nil {
		s.showProblem(w, unreadableTarget)
		return
	}
	s.showFailure(w, a, refused, target)
}

// unreadableTarget should never be seen, since only URIs are registered.
const unreadableTarget = "The address of the client cannot be read."

// answerURL returns the address for an answer to a client. iss names the issuer (RFC 9207).
func (s *server) answerURL(r *http.Request, a asking, answer url.Values) (string, error) {
	target, err := url.Parse(a.redirect)
	if err != nil {
		return "", err
	}
	query := target.Query()
	for name, values := range answer {
		query[name] = values
	}
	if state := a.query.Get("state"); state != "" {
		query.Set("state", state)
	}
	query.Set("iss", s.publicURL(r))
	target.RawQuery = query.Encode()
	return target.String(), nil
}

// redirectAnswer sends the person's browser back to the client.
func (s *server) redirectAnswer(w http.ResponseWriter, r *http.Request, a asking, answer url.Values) {
	target, err := s.answerURL(r, a, answer)
	if err != nil {
		s.showProblem(w, unreadableTarget)
		return
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, target, http.StatusSeeOther)
}
