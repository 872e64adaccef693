package web

import (
	"net/http"

	"errand/core"
)

const usedReset = "This link cannot be used: it has been used, is older than an hour, or the password was changed since."

// showResetPassword asks for a new password. Looking at the link does not use it up: mail programs do that, too.
func (s *Site) showResetPassword(w http.ResponseWriter, r *http.Request) error {
	return s.askNewPassword(w, r, http.StatusOK, "", r.URL.Query().Get(codeField))
}

func (s *Site) askNewPassword(w http.ResponseWriter, r *http.Request, status int, problem, code string) error {
	p, err := s.Accounts.CheckLink(r.Context(), core.Secret(code))
	if core.HasCode(err, core.NotFound) || err == nil && p.ID == 0 {
		return showUsedLink(w, r, usedReset)
	}
	if err != nil {
		return err
	}
	form := linkForm{Code: code, Email: p.EmailAddress, Rules: rules}
	return show(w, r, status, "reset_password", pageData{Title: "A new password", Problem: problem, Form: form})
}

func (s *Site) takeResetPassword(w http.ResponseWriter, r *http.Request) error {
	code := r.PostForm.Get(codeField)
	password, err := readNewPassword(r)
	var p core.Person
	if err == nil {
		p, err = s.Accounts.ResetPassword(r.Context(), core.Secret(code), password)
	}
	if core.HasCode(err, core.NotFound) {
		return showUsedLink(w, r, usedReset)
	}
	if err != nil {
		return s.refuseForm(w, r, err, func(status int, problem string) error { return s.askNewPassword(w, r, status, problem, code) })
	}
	return s.enterAfterPassword(w, r, p, issuesPath)
}
