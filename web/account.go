package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"errand/core"
)

// changedQuery is what the address of the account has after the password was changed.
const changedQuery = "changed"

// accountForm is what the page of the account shows.
type accountForm struct {
	core.Account
	Rules    passwordRules
	Keys     choice
	Frames   choice
	Sessions []sessionRow
	Others   int // sessions that are not this one
}

// sessionRow is a session on the page.
type sessionRow struct {
	ID            int64
	IsHere        bool
	Browser       string
	Address       core.Text
	Since, LastAt moment
}

// Badge marks the session of the request.
func (sessionRow) Badge() badge { return badge{kindGood, "this one"} }

// orderSuffix is what an order of frames ends with, but not in the form.
const orderSuffix = "_first"

// showAccount is the page of the person who is signed in.
func (s *Site) showAccount(v *visit) error {
	notice := ""
	if v.r.URL.Query().Has(changedQuery) {
		notice = "The password is changed, and all your other sessions are ended."
	}
	return v.askAccount(http.StatusOK, pageData{Notice: notice}, nil)
}

// askAccount shows the account. Preferences that were refused are shown as they were typed.
func (v *visit) askAccount(status int, data pageData, typed *core.Preferences) error {
	var account core.Data[core.Account]
	var sessions core.Data[core.List[core.Session]]
	err := runTogether(
		func() (err error) {
			account, err = callOperation(v, core.GetAccount, nil)
			return err
		},
		func() (err error) {
			sessions, err = callOperation(v, core.ListSessions, nil)
			return err
		},
	)
	if err != nil {
		return err
	}
	form := accountForm{Account: account.Data, Rules: rules}
	if typed != nil {
		form.Preferences = *typed
	}
	form.Keys = chooseFrom("keys", "Single keys", switchName(form.Preferences.SingleKeys),
		option{Value: "on", Text: "act"}, option{Value: "off", Text: "do nothing"})
	form.Frames = chooseFrom("frames", "Frames of a stack", strings.TrimSuffix(string(form.Preferences.Frames), orderSuffix),
		option{Value: "newest", Text: "the newest call first"}, option{Value: "oldest", Text: "the newest call last"})
	for _, session := range sessions.Data {
		if session.Current {
			form.Sessions = slices.Insert(form.Sessions, 0, v.makeSessionRow(session))
			continue
		}
		form.Sessions = append(form.Sessions, v.makeSessionRow(session))
		form.Others++
	}
	data.Title, data.Form = "Your account", form
	return v.answer("account", status, data)
}

func switchName(isOn bool) string {
	if isOn {
		return "on"
	}
	return "off"
}

func (v *visit) makeSessionRow(s core.Session) sessionRow {
	row := sessionRow{
		ID: s.ID, IsHere: s.Current, Browser: string(s.Browser), Address: s.Address, Since: v.at(s.CreatedAt), LastAt: v.at(s.SeenAt),
	}
	if row.Browser == "" {
		row.Browser = "A browser that does not say what it is"
	}
	return row
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
		return v.askAccount(status, pageData{Problem: problem}, nil)
	})
}

// takePreferences changes how the person likes the pages.
func (s *Site) takePreferences(v *visit) error {
	typed := readPreferences(v.r.PostForm)
	_, err := v.call(core.UpdateAccount.Operation, map[string]any{
		"single_keys": typed.SingleKeys, "frames": typed.Frames, "zone": string(typed.Zone),
	})
	if err != nil {
		return s.refuseForm(v.w, v.r, err, func(status int, problem string) error {
			return v.askAccount(status, pageData{Problem: problem}, &typed)
		})
	}
	return v.redirectWith(accountPath, flash{Text: "Kept for all your browsers."})
}

// readPreferences reads the form of the preferences.
func readPreferences(fields url.Values) core.Preferences {
	return core.Preferences{
		SingleKeys: fields.Get("keys") != "off", Frames: core.FrameOrder(cmp.Or(fields.Get("frames"), "newest") + orderSuffix),
		Zone: core.Text(fields.Get("zone")),
	}
}

// takeSignOut ends the session of the request.
func (s *Site) takeSignOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.endSession(w, r); err != nil {
		return err
	}
	return redirect(w, r, signInPath)
}

// takeEndSession ends a session of the person, or with others in place of an id all but this one.
func (s *Site) takeEndSession(v *visit) error {
	if v.r.PostForm.Get("id") == "others" {
		return v.act(core.EndOtherSessions.Operation, nil, accountPath, flash{Text: "You are signed in nowhere else now."})
	}
	id, err := strconv.ParseInt(v.r.PostForm.Get("id"), 10, 64)
	switch {
	case err != nil || id < 1:
		return core.NewError(core.NotFound)
	case id == v.actor.Session:
		return s.takeSignOut(v.w, v.r)
	}
	return v.act(core.EndSession.Operation, map[string]any{"id": id}, accountPath, flash{Text: "That browser is signed out."})
}

// takeEndSessions ends all sessions of who is signed in, on every server.
func (s *Site) takeEndSessions(v *visit) error {
	if _, err := v.call(core.EndOtherSessions.Operation, nil); err != nil {
		return err
	}
	return s.takeSignOut(v.w, v.r)
}
