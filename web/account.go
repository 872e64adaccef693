package web

import (
	"net/http"

	"errand/core"
)

// changedQuery is what the address of the account has after the password was changed.
const changedQuery = "changed"

// accountForm is what the page of the account shows.
type accountForm struct {
	Rules   passwordRules
	Prefers preferences
}

// showAccount is the page of the person who is signed in.
func (s *Site) showAccount(v *visit) error {
	notice := ""
	if v.r.URL.Query().Has(changedQuery) {
		notice = "The password is changed, and all your other sessions are ended."
	}
	return v.askAccount(http.StatusOK, pageData{Notice: notice})
}

func (v *visit) askAccount(status int, data pageData) error {
	person, err := v.findPerson(v.r)
	if err != nil {
		return err
	}
	data.Title, data.Person, data.Form = "Your account", &person, accountForm{rules, v.prefers}
	data.Frame = v.newFrame()
	data.Frame.Flash = v.takeFlash()
	return show(v.w, v.r, status, "account", data)
}

// takeNewPassword changes the password of a signed-in person who knows the current one. All sessions end; this browser gets a
// new one.
func (s *Site) takeNewPassword(v *visit) error {
	password, err := readNewPassword(v.r)
	if err != nil {
		return v.refuseNewPassword(err)
	}
	changed, err := s.Accounts.ChangePassword(v.r.Context(), s.readAttempt(v.r, v.actor.Name, presentField), password)
	if err != nil {
		return v.refuseNewPassword(err)
	}
	return s.enterAfterPassword(v.w, v.r, changed, accountPath+"?"+changedQuery)
}

func (v *visit) refuseNewPassword(err error) error {
	isWrong := core.HasCode(err, core.Unauthorized)
	return v.refuseForm(v.w, v.r, err, func(status int, problem string) error {
		if isWrong {
			problem = "The current password is wrong."
		}
		return v.askAccount(status, pageData{Problem: problem})
	})
}

// takePreferences keeps how the person likes the pages.
func (s *Site) takePreferences(v *visit) error {
	s.keepPreferences(v.w, parsePreferences(v.r.PostForm))
	return v.redirectWith(accountPath, flash{Text: "This browser keeps it."})
}

// takeSignOut ends the session of the request.
func (s *Site) takeSignOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.endSession(w, r); err != nil {
		return err
	}
	return redirect(w, r, signInPath)
}

// takeEndSessions ends all sessions of who is signed in, on every server.
func (s *Site) takeEndSessions(v *visit) error {
	person, err := s.findPerson(v.r)
	if err != nil {
		return err
	}
	if err := s.Accounts.EndSessions(v.r.Context(), person); err != nil {
		return err
	}
	return s.takeSignOut(v.w, v.r)
}
