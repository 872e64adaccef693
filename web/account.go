package web

import (
	"net/http"

	"errand/core"
)

// changedQuery is what the address of the account has after the password was changed.
const changedQuery = "changed"

// showAccount is the page of the person who is signed in.
func (s *Site) showAccount(w http.ResponseWriter, r *http.Request) error {
	p, err := s.findPerson(r)
	if core.HasCode(err, core.Unauthorized) {
		return redirect(w, r, signInFirst(r.URL.RequestURI()))
	}
	if err != nil {
		return err
	}
	notice := ""
	if r.URL.Query().Has(changedQuery) {
		notice = "The password is changed, and all your other sessions are ended."
	}
	return askAccount(w, http.StatusOK, pageData{Person: &p, Notice: notice})
}

func askAccount(w http.ResponseWriter, status int, data pageData) error {
	data.Title, data.Form = "Your account", rules
	return show(w, status, "account", data)
}

// takeNewPassword changes the password of who is signed in, and knows the present one. All sessions end; this one begins anew.
func (s *Site) takeNewPassword(w http.ResponseWriter, r *http.Request) error {
	p, err := s.findPerson(r)
	if core.HasCode(err, core.Unauthorized) {
		return redirect(w, r, signInFirst(accountPath))
	}
	if err != nil {
		return err
	}
	password, err := readNewPassword(r)
	if err != nil {
		return s.refuseNewPassword(w, r, p, err)
	}
	changed, err := s.Accounts.ChangePassword(r.Context(), s.readAttempt(r, p.EmailAddress, presentField), password)
	if err != nil {
		return s.refuseNewPassword(w, r, p, err)
	}
	return s.enterAfterPassword(w, r, changed, accountPath+"?"+changedQuery)
}

func (s *Site) refuseNewPassword(w http.ResponseWriter, r *http.Request, p core.Person, err error) error {
	isWrong := core.HasCode(err, core.Unauthorized)
	return s.refuseForm(w, r, err, func(status int, problem string) error {
		if isWrong {
			problem = "The present password is wrong."
		}
		return askAccount(w, status, pageData{Person: &p, Problem: problem})
	})
}

// takeSignOut ends the session of the request.
func (s *Site) takeSignOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.endSession(w, r); err != nil {
		return err
	}
	return redirect(w, r, signInPath)
}

// takeEndSessions ends all sessions of who is signed in, on every server.
func (s *Site) takeEndSessions(w http.ResponseWriter, r *http.Request) error {
	p, err := s.findPerson(r)
	if core.HasCode(err, core.Unauthorized) {
		return redirect(w, r, signInPath)
	}
	if err != nil {
		return err
	}
	if err := s.Accounts.EndSessions(r.Context(), p); err != nil {
		return err
	}
	return s.takeSignOut(w, r)
}
