package manage

import (
	"net/http"

	"errand/core"
)

// ValidationFailed is the error of an input that the management API refuses.
const ValidationFailed core.Code = "validation_failed"

type messageMember struct {
	Message string `json:"message" doc:"What is wrong, for people."`
}

// validationMembers has both keys that clients look for (management API, 1.1).
type validationMembers struct {
	Message  string            `json:"message" doc:"All that is wrong, in one text."`
	Messages core.List[string] `json:"messages" doc:"What is wrong, one sentence each."`
}

// forms are the errors of /api/v1. An input that does not match its schema has the same error as one that breaks a rule.
var forms = core.ErrorForms{
	core.Unauthorized: {Status: http.StatusUnauthorized, Meaning: "The API key is missing, invalid or revoked.", Members: messageMember{}},
	core.Forbidden:    {Status: http.StatusForbidden, Meaning: "The API key lacks the permission.", Members: messageMember{}},
	core.NotFound:     {Status: http.StatusNotFound, Meaning: "There is no such thing.", Members: messageMember{}},
	core.MethodNotAllowed: {
		Status: http.StatusMethodNotAllowed, Meaning: "The path does not take the method.", Members: messageMember{},
	},
	ValidationFailed: {Status: http.StatusUnprocessableEntity, Meaning: "The input is invalid.", Members: validationMembers{}},
	core.InvalidRequest: {
		Status: http.StatusUnprocessableEntity, Members: validationMembers{},
		Meaning: "The input is invalid; it is answered as validation_failed.",
	},
	core.PayloadTooLarge: {Status: http.StatusRequestEntityTooLarge, Meaning: "The body is too large.", Members: messageMember{}},
	core.Limit:           {Status: http.StatusTooManyRequests, Meaning: "Too many calls without a valid key.", Members: messageMember{}},
	core.Internal:        {Status: http.StatusInternalServerError, Meaning: "The server failed.", Members: messageMember{}},
	core.Unavailable:     {Status: http.StatusServiceUnavailable, Meaning: "The database is away; try again.", Members: messageMember{}},
}

// RefuseInput makes the error for an input that breaks rules, one sentence each.
func RefuseInput(messages ...string) *core.Error {
	return core.NewError(ValidationFailed).With("messages", messages)
}

// RequirePermission returns nil when the actor has the permission, else forbidden. Operations that look up what their
// path names before they ask for the permission call it themselves (management API, 1.1).
func RequirePermission(actor core.Actor, permission core.Scope) error {
	if actor.Has(permission) {
		return nil
	}
	return core.NewError(core.Forbidden).With("required_scope", permission)
}
