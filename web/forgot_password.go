package web

import (
	"net/http"

	"errand/core"
	"errand/wire"
)

// forgotForm is what the page shows: whether mails are sent here.
type forgotForm struct{ SendsMail bool }

func (s *Site) showForgotPassword(w http.ResponseWriter, r *http.Request) error {
	return s.askForgotten(w, r, http.StatusOK, pageData{})
}

func (s *Site) askForgotten(w http.ResponseWriter, r *http.Request, status int, data pageData) error {
	data.Title, data.Form = "Forgot your password?", forgotForm{s.Accounts.RequestPassword != nil}
	return show(w, r, status, "forgot_password", data)
}

// takeForgotPassword answers the same whether there is such a user or not.
func (s *Site) takeForgotPassword(w http.ResponseWriter, r *http.Request) error {
	if s.Accounts.RequestPassword == nil {
		return core.NewError(core.NotFound)
	}
	err := s.Accounts.RequestPassword(r.Context(), r.PostForm.Get(emailField), wire.NetworkOf(wire.ClientOf(r)))
	if err != nil {
		return s.refuseForm(w, r, err, func(status int, problem string) error {
			return s.askForgotten(w, r, status, pageData{Problem: problem})
		})
	}
	return s.askForgotten(w, r, http.StatusOK, pageData{
		Notice: "If there is a user with this address and a password, a mail with a link is on its way. The link works once, for an hour.",
	})
}
