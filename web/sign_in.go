package web

import (
	"net/http"
	"time"

	"errand/core"
	"errand/wire"
)

// The names of the fields of forms.
const (
	emailField    = "email"
	passwordField = "password"
	presentField  = "present_password"
	repeatedField = "repeated"
	codeField     = "code"
	returnField   = "return_to"
)

// deviceCookie is by what a browser shows that somebody has signed in with it before.
const (
	deviceCookie = "errand_device"
	keepDevice   = 180 * 24 * time.Hour
)

// signInForm is what the page of signing in shows.
type signInForm struct {
	Email, ReturnTo string
	HasSSO          bool
}

func (s *Site) showSignIn(w http.ResponseWriter, r *http.Request) error {
	back := localPath(r.URL.Query().Get(returnField))
	_, err := s.findPerson(r)
	switch {
	case err == nil:
		return redirect(w, r, back)
	case !core.HasCode(err, core.Unauthorized):
		return err
	}
	return s.askSignIn(w, r, http.StatusOK, "", signInForm{ReturnTo: back})
}

func (s *Site) askSignIn(w http.ResponseWriter, r *http.Request, status int, problem string, form signInForm) error {
	form.HasSSO = s.SSO != nil
	return show(w, r, status, "sign_in", pageData{Title: "Sign in", Problem: problem, Form: form})
}

// takeSignIn signs in with a password. Whatever is wrong with it, the answer is the same.
func (s *Site) takeSignIn(w http.ResponseWriter, r *http.Request) error {
	attempt := s.readAttempt(r, r.PostForm.Get(emailField), passwordField)
	back := localPath(r.PostForm.Get(returnField))
	p, err := s.Accounts.SignIn(r.Context(), attempt)
	if err != nil {
		return s.refuseForm(w, r, err, func(status int, problem string) error {
			return s.askSignIn(w, r, status, problem, signInForm{Email: attempt.EmailAddress, ReturnTo: back})
		})
	}
	return s.enterAfterPassword(w, r, p, back)
}

// enterAfterPassword signs in who has shown or set a password, and goes on to a path. The browser keeps that it was so.
func (s *Site) enterAfterPassword(w http.ResponseWriter, r *http.Request, p core.Person, path string) error {
	if err := s.beginSession(w, r, p); err != nil {
		return err
	}
	device, err := s.Accounts.SignDevice(p)
	if err != nil {
		return err
	}
	s.setCookie(w, deviceCookie, device.Reveal(), keepDevice, http.SameSiteStrictMode)
	return redirect(w, r, path)
}

// readAttempt reads what somebody shows for an address; the password stands in the named field.
func (s *Site) readAttempt(r *http.Request, emailAddress, field string) core.SignInAttempt {
	return core.SignInAttempt{
		EmailAddress: emailAddress, Password: core.Secret(r.PostForm.Get(field)), Client: wire.NetworkOf(wire.ClientOf(r)),
		Device: core.Secret(s.readCookie(r, deviceCookie)),
	}
}

// refuseForm shows a form again for an error that its sender can do something about, and returns any other.
func (s *Site) refuseForm(w http.ResponseWriter, r *http.Request, err error, ask func(status int, problem string) error) error {
	switch failure := s.explainFailure(r, err); failure.Code {
	case core.Unauthorized, core.InvalidRequest:
		return ask(http.StatusUnprocessableEntity, describeFailure(failure))
	case core.Limit:
		wire.SetErrorHeaders(w, failure)
		return ask(failure.Status(), describeFailure(failure))
	default:
		return failure
	}
}
