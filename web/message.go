package web

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"errand/core"
	"errand/wire"
)

// explainFailure makes an error one that a person may see; the log has the rest.
func (s *Site) explainFailure(r *http.Request, err error) *core.Error {
	if core.HasCode(err, core.Limit) {
		if more, due := s.limited.CountLine("limit", s.Clock()); due {
			s.Log.WarnContext(r.Context(), "too many attempts to sign in, or to have a new password sent", "path", r.URL.Path,
				"client", wire.WriteAddress(wire.ClientOf(r)), "more_since_the_last_line", more)
		}
	}
	return s.Failure(r.Context(), "page", s.RequestID(r.Context()), err)
}

// showFailure answers with a page that says what went wrong; around is nil for somebody who is not known.
func (s *Site) showFailure(w http.ResponseWriter, r *http.Request, around *frame, failure *core.Error) {
	wire.SetErrorHeaders(w, failure)
	w.Header().Del("WWW-Authenticate") // it is no token that is missing
	if r.ContentLength != 0 && failure.Code == core.ForbiddenOrigin {
		w.Header().Set("Connection", "close") // the body was not read
	}
	data := pageData{Title: titleOf(failure), Said: describeFailure(failure), Frame: around}
	if err := show(w, r, failure.Status(), "message", data); err != nil {
		wire.WriteError(w, core.NewError(core.Internal))
	}
}

// ServeUnknown answers a browser that asks for a page that is not there. Somebody who is signed in can go on from the top bar.
func (s *Site) ServeUnknown(w http.ResponseWriter, r *http.Request) {
	setHeaders(w)
	var around *frame
	if actor, err := s.FindActor(r); err == nil {
		around = s.newVisit(w, r, actor).newFrame()
	}
	s.showFailure(w, r, around, core.NewError(core.NotFound))
}

// titleOf is the heading of the page of a failure.
func titleOf(failure *core.Error) string {
	switch failure.Code {
	case core.NotFound, core.ProjectNotFound:
		return "Not found"
	case core.Forbidden:
		return "You may not do this"
	case core.Limit:
		return "Too many attempts"
	case core.Unavailable:
		return "Not available just now"
	}
	return "That did not work"
}

// describeFailure says to a person what went wrong.
func describeFailure(failure *core.Error) string {
	switch failure.Code {
	case core.Unauthorized:
		return "The e-mail address or the password is wrong."
	case core.Limit:
		return fmt.Sprintf("Too many attempts. Try again in %s.", describeWait(failure.RetryAfter))
	case core.ForbiddenOrigin:
		return "This form was sent from another site, so nothing was done. Open the page here and send it again."
	case core.Forbidden:
		return describeForbidden(failure)
	case core.NotFound, core.ProjectNotFound:
		return "There is no such page here, or you may not see it."
	case core.Claimed:
		return describeClaim("Somebody else works on it", failure)
	case core.NotClaimHolder:
		return describeClaim("Only who holds it, or an admin, may give it back", failure)
	case core.MethodNotAllowed:
		return "This address takes no such request."
	case core.UnsupportedMedia:
		return "This address takes forms alone."
	case core.Unavailable:
		return "The server is too busy, or its database is away. Try again in a few seconds."
	case core.InvalidRequest:
		return describeDetails(failure)
	case core.Internal:
		return describeInternal(failure)
	}
	return failure.Code.Info().Meaning
}

// describeInternal leads to the line of the log.
func describeInternal(failure *core.Error) string {
	if id, isKnown := failure.Extra["request_id"].(string); isKnown && id != "" {
		return fmt.Sprintf("Something went wrong in Errand; its log says what, under the request id %s.", id)
	}
	return "Something went wrong in Errand; its log says what."
}

// describeForbidden says which role is missing, and who can give it.
func describeForbidden(failure *core.Error) string {
	switch role := fmt.Sprint(cmp.Or(failure.Extra["required_role"], any(""))); role {
	case "":
		return fmt.Sprintf("You were not signed in: %v.", failure.Extra["reason"])
	case "site_admin":
		return "This needs a site admin. A site admin can make you one."
	default:
		return fmt.Sprintf("This needs at least the role %s in a team of the project. A site admin can give it to you.", role)
	}
}

// describeClaim adds who holds an issue.
func describeClaim(sentence string, failure *core.Error) string {
	if claim, isClaim := failure.Extra["claim"].(core.Claim); isClaim {
		return fmt.Sprintf("%s: %s.", sentence, plainText(holderOf(&claim)))
	}
	return sentence + "."
}

// describeDetails names the first field that is wrong. A message begins with "must", or is a sentence of its own.
func describeDetails(failure *core.Error) string {
	if len(failure.Details) == 0 {
		return "The form is not complete."
	}
	detail := failure.Details[0]
	switch detail.Path {
	case emailField, "email_address":
		return "The e-mail address " + detail.Message + "."
	case passwordField:
		return "The new password " + detail.Message + "."
	case "":
		return "The form cannot be read: " + detail.Message + "."
	}
	field := strings.ReplaceAll(plainText(detail.Path), "_", " ") // as the label of the form, or close to it
	return "The field " + field + " " + plainText(detail.Message) + "."
}

// describeWait returns a time in words that fit a person.
func describeWait(seconds int) string {
	if seconds < 90 {
		return fmt.Sprintf("%d seconds", max(seconds, 1))
	}
	return fmt.Sprintf("%d minutes", (seconds+59)/60)
}
