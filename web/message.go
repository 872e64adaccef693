package web

import (
	"fmt"
	"net/http"

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

// showFailure answers with a page that says what went wrong.
func (s *Site) showFailure(w http.ResponseWriter, r *http.Request, failure *core.Error) {
	wire.SetErrorHeaders(w, failure)
	w.Header().Del("WWW-Authenticate") // it is no token that is missing
	if r.ContentLength != 0 && failure.Code == core.ForbiddenOrigin {
		w.Header().Set("Connection", "close") // the body was not read
	}
	if err := show(w, failure.Status(), "message", pageData{Title: titleOf(failure), Problem: describeFailure(failure)}); err != nil {
		wire.WriteError(w, core.NewError(core.Internal))
	}
}

// titleOf is the heading of the page of a failure.
func titleOf(failure *core.Error) string {
	if failure.Code == core.NotFound {
		return "Not found"
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
		return fmt.Sprintf("You were not signed in: %v.", failure.Extra["reason"])
	case core.NotFound:
		return "There is no such page here, or you may not see it."
	case core.MethodNotAllowed:
		return "This address takes no such request."
	case core.UnsupportedMedia:
		return "This address takes forms alone."
	case core.Unavailable:
		return "The server is too busy, or its database is away. Try again in a few seconds."
	case core.InvalidRequest:
		return describeDetails(failure)
	}
	return "Something went wrong in Errand; its log says what."
}

// describeDetails names the first field that is wrong. A message begins with "must", or is a sentence of its own.
func describeDetails(failure *core.Error) string {
	if len(failure.Details) == 0 {
		return "The form is not complete."
	}
	detail := failure.Details[0]
	switch detail.Path {
	case emailField:
		return "The e-mail address " + detail.Message + "."
	case passwordField:
		return "The new password " + detail.Message + "."
	}
	return "The form cannot be read: " + detail.Message + "."
}

// describeWait returns a time in words that fit a person.
func describeWait(seconds int) string {
	if seconds < 90 {
		return fmt.Sprintf("%d seconds", max(seconds, 1))
	}
	return fmt.Sprintf("%d minutes", (seconds+59)/60)
}
