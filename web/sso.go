package web

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"errand/core"
	"errand/web/sso"
	"errand/wire"
)

// visitCookie is what a browser keeps while its person is at the provider, for visitLasts.
const (
	visitCookie = "errand_sso"
	visitLasts  = 10 * time.Minute
)

// ssoVisit is what stands in the cookie. It is the browser's own: who sends another's cannot know the state that its provider has.
type ssoVisit struct {
	sso.Visit
	ReturnTo string `json:"return_to"`
}

// startSSO sends the browser to the provider.
func (s *Site) startSSO(w http.ResponseWriter, r *http.Request) error {
	back := localPath(r.URL.Query().Get(returnField))
	begun, target, err := s.SSO.Begin(r.Context())
	if err != nil {
		return s.refuseSSO(w, r, err, back)
	}
	text, err := json.Marshal(ssoVisit{begun, back})
	if err != nil {
		return err
	}
	s.setCookie(w, visitCookie, base64.RawURLEncoding.EncodeToString(text), visitLasts, http.SameSiteLaxMode)
	http.Redirect(w, r, target, http.StatusSeeOther)
	return nil
}

// finishSSO signs in who comes back from the provider. A visit ends with the first answer, whatever it is.
func (s *Site) finishSSO(w http.ResponseWriter, r *http.Request) error {
	var v ssoVisit
	if text, err := base64.RawURLEncoding.DecodeString(s.readCookie(r, visitCookie)); err == nil {
		_ = json.Unmarshal(text, &v) // what cannot be read is of no visit
	}
	s.setCookie(w, visitCookie, "", 0, http.SameSiteLaxMode)
	back, client := localPath(v.ReturnTo), wire.NetworkOf(wire.ClientOf(r))
	if err := s.Accounts.CountVisit(r.Context(), client); err != nil {
		return s.refuseSSO(w, r, err, back)
	}
	query := r.URL.Query()
	identity, err := s.SSO.Finish(r.Context(), v.Visit, query.Get("state"), query.Get("code"))
	if err != nil {
		return s.refuseSSO(w, r, err, back)
	}
	p, err := s.Accounts.SignInBy(r.Context(), identity, client)
	if err != nil {
		return s.refuseSSO(w, r, err, back)
	}
	if err := s.beginSession(w, r, p); err != nil {
		return err
	}
	return redirect(w, r, back)
}

// refuseSSO shows the page of signing in again, with what went wrong at the provider.
func (s *Site) refuseSSO(w http.ResponseWriter, r *http.Request, err error, back string) error {
	status, problem := http.StatusForbidden, ""
	switch {
	case errors.Is(err, sso.ErrAway):
		status, problem = http.StatusServiceUnavailable, "The provider of single sign-on does not answer. Try again in a minute."
		err = core.NewError(core.Unavailable).Because(err)
	case errors.Is(err, sso.ErrRefused):
		problem = "The provider of single sign-on did not sign you in. Begin again; if that does not help, the address that it has of you " +
			"may not be verified."
		s.Log.InfoContext(r.Context(), "single sign-on was refused", "reason", err, "request_id", s.RequestID(r.Context()))
		err = core.NewError(core.Forbidden)
	}
	failure := s.explainFailure(r, err)
	if problem == "" {
		status, problem = failure.Status(), describeFailure(failure)
	}
	wire.SetErrorHeaders(w, failure)
	return s.askSignIn(w, r, status, problem, signInForm{ReturnTo: back})
}
