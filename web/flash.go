package web

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"errand/core"
)

// flashCookie carries a message from a form to the next page.
const (
	flashCookie = "errand_flash"
	flashLasts  = time.Minute
)

// flash is a message that the next page shows once.
type flash struct {
	Kind string `json:"k,omitempty"` // of a badge: bad for what was refused, warn for what waits; empty for what was done
	Text string `json:"t"`
	Undo *undo  `json:"u,omitempty"`
}

// undo is a form that takes back what was done.
type undo struct {
	Path   string     `json:"p"`
	Fields url.Values `json:"f"`
}

// redirectWith redirects to a path of ours and has its page show a message.
func (v *visit) redirectWith(path string, said flash) error {
	text, err := json.Marshal(said)
	if err != nil {
		return err
	}
	value := base64.RawURLEncoding.EncodeToString(text)
	if len(value) > maxFlash && said.Undo != nil { // the browser would not keep it
		said.Undo = nil
		return v.redirectWith(path, said)
	}
	v.setCookie(v.w, flashCookie, value, flashLasts, http.SameSiteLaxMode)
	return redirect(v.w, v.r, path)
}

// maxFlash is how long the value of the cookie may be: browsers keep 4,096 bytes of a cookie, with its name and attributes.
const maxFlash = 3900

// takeFlash returns the message of the form before, once; nil without one.
func (v *visit) takeFlash() *flash {
	value := v.readCookie(v.r, flashCookie)
	if value == "" {
		return nil
	}
	v.setCookie(v.w, flashCookie, "", 0, http.SameSiteLaxMode)
	var said flash
	text, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || json.Unmarshal(text, &said) != nil || said.Text == "" {
		return nil
	}
	if said.Undo != nil && localPath(said.Undo.Path) != said.Undo.Path {
		said.Undo = nil
	}
	return &said
}

// waitsForApproval is what a page says of an action that is held.
const waitsForApproval = "It waits for the approval of a second admin."

// act runs an operation for a form and redirects to a path, where the page says whether it was done. Errors that another form cannot mend
// become a page.
func (v *visit) act(op *core.Operation, args map[string]any, path string, done flash) error {
	answer, err := v.call(op, args)
	return v.sayDone(answer, err, path, done)
}

// sayDone redirects to a path, where the page says what became of a call.
func (v *visit) sayDone(answer core.Answer, err error, path string, done flash) error {
	if err == nil && answer.IsHeld {
		return v.redirectWith(path, flash{Kind: "warn", Text: waitsForApproval})
	}
	if err == nil {
		return v.redirectWith(path, done)
	}
	failure := v.explainFailure(v.r, err)
	switch failure.Code {
	case core.Forbidden, core.NotFound, core.ProjectNotFound, core.Unavailable, core.Internal:
		return failure
	}
	return v.redirectWith(path, flash{Kind: "bad", Text: describeFailure(failure)})
}
