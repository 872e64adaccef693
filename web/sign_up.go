package web

import (
	"net/http"

	"errand/core"
)

// linkForm is what the pages show that a link opens.
type linkForm struct {
	Code  string
	Email string
	Rules passwordRules
}

// passwordRules are what a new password must be like.
type passwordRules struct{ MinCharacters, MaxBytes int }

var rules = passwordRules{core.MinPassword, core.MaxPasswordBytes}

const usedSignUp = "This link cannot be used: it has been used, is older than an hour, or another one has replaced it. The next start of " +
	"errand serve prints a new one, while there are no users."

// showSignUp asks for the first user. Looking at the link does not use it up.
func (s *Site) showSignUp(w http.ResponseWriter, r *http.Request) error {
	code := r.URL.Query().Get(codeField)
	p, err := s.Accounts.CheckLink(r.Context(), core.Secret(code))
	if core.HasCode(err, core.NotFound) || err == nil && p.ID != 0 {
		return showUsedLink(w, r, usedSignUp)
	}
	if err != nil {
		return err
	}
	return askSignUp(w, r, http.StatusOK, "", linkForm{Code: code})
}

func askSignUp(w http.ResponseWriter, r *http.Request, status int, problem string, form linkForm) error {
	form.Rules = rules
	return show(w, r, status, "sign_up", pageData{Title: "The first site admin", Problem: problem, Form: form})
}

func showUsedLink(w http.ResponseWriter, r *http.Request, problem string) error {
	return show(w, r, http.StatusNotFound, "message", pageData{Title: "The link cannot be used", Said: problem})
}

func (s *Site) takeSignUp(w http.ResponseWriter, r *http.Request) error {
	form := linkForm{Code: r.PostForm.Get(codeField), Email: r.PostForm.Get(emailField)}
	password, err := readNewPassword(r)
	var p core.Person
	if err == nil {
		p, err = s.Accounts.SignUp(r.Context(), core.Secret(form.Code), form.Email, password)
	}
	if core.HasCode(err, core.NotFound) {
		return showUsedLink(w, r, usedSignUp)
	}
	if err != nil {
		return s.refuseForm(w, r, err, func(status int, problem string) error { return askSignUp(w, r, status, problem, form) })
	}
	return s.enterAfterPassword(w, r, p, welcomePath)
}

// readNewPassword reads a new password, which was typed twice.
func readNewPassword(r *http.Request) (core.Secret, error) {
	password := r.PostForm.Get(passwordField)
	if password != r.PostForm.Get(repeatedField) {
		return "", core.RefuseField(passwordField, "must be the same in both fields")
	}
	return core.Secret(password), nil
}
