package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
)

// Code names an error. Codes are part of the API: they are never renamed.
type Code string

// The error codes (primary API, Errors; decisions 1).
const (
	InvalidRequest     Code = "invalid_request"
	Unauthorized       Code = "unauthorized"
	Forbidden          Code = "forbidden"
	ForbiddenProject   Code = "forbidden_project"
	ForbiddenOrigin    Code = "forbidden_origin"
	NotClaimHolder     Code = "not_claim_holder"
	NotFound           Code = "not_found"
	ProjectNotFound    Code = "project_not_found"
	MethodNotAllowed   Code = "method_not_allowed"
	LastKey            Code = "last_key"
	Claimed            Code = "claimed"
	ApprovalRequired   Code = "approval_required"
	ApprovalNotPending Code = "approval_not_pending"
	ApprovalFailed     Code = "approval_failed"
	SimilarOff         Code = "similar_off"
	PayloadTooLarge    Code = "payload_too_large"
	UnsupportedMedia   Code = "unsupported_media_type"
	Quota              Code = "quota"
	Limit              Code = "limit"
	HeadersTooLarge    Code = "headers_too_large"
	Internal           Code = "internal"
	Unavailable        Code = "unavailable"
)

// CodeInfo is what a code means to a client.
type CodeInfo struct {
	Status  int    // of HTTP
	Meaning string // one line, for the API's documentation
	Hint    string // the next call that would work, for agents; empty where the error says it all
}

// codes is the one table from code to status.
var codes = map[Code]CodeInfo{
	ApprovalRequired:   {http.StatusAccepted, "The action waits for the approval of another admin; nothing has changed yet.", ""},
	InvalidRequest:     {http.StatusBadRequest, "The input is invalid; details name each field.", "Correct the fields in details and call again."},
	Unauthorized:       {http.StatusUnauthorized, "The token is missing, invalid or revoked.", ""},
	Forbidden:          {http.StatusForbidden, "The token lacks the required scope.", "Ask for a token with the scope in required_scope; whoami shows the scopes of this one."},
	ForbiddenProject:   {http.StatusForbidden, "The token is for another app.", "Use the token of that app; whoami shows the app of this one."},
	ForbiddenOrigin:    {http.StatusForbidden, "The request comes from a web page of a foreign origin.", ""},
	NotClaimHolder:     {http.StatusForbidden, "Only the holder of the claim or an admin may release it.", "Leave the claim to its holder, or wait until claim.expires_at."},
	NotFound:           {http.StatusNotFound, "There is no such thing, or it is a merged issue.", "list_issues shows the issues that exist."},
	ProjectNotFound:    {http.StatusNotFound, "No project has this id or slug.", "list_projects shows the projects with their ids and slugs."},
	MethodNotAllowed:   {http.StatusMethodNotAllowed, "The path does not take this method; see the Allow header.", ""},
	LastKey:            {http.StatusConflict, "It is the only active key of the project.", "Create another key with create_project_key first."},
	Claimed:            {http.StatusConflict, "Somebody else holds the claim.", "Take another issue: list_issues with claimed=false."},
	ApprovalNotPending: {http.StatusConflict, "The request is decided already, or expired.", "list_approvals shows what became of it."},
	ApprovalFailed:     {http.StatusConflict, "The action is not possible any more; reason tells why. The request is failed now.", ""},
	SimilarOff:         {http.StatusConflict, "Finding similar issues is switched off in this installation.", "Search by words: list_issues with search."},
	PayloadTooLarge:    {http.StatusRequestEntityTooLarge, "The body is larger than max_bytes.", "Send less in one call."},
	UnsupportedMedia:   {http.StatusUnsupportedMediaType, "The Content-Type is none of those in supported.", "Send one of the types in supported."},
	Quota:              {http.StatusTooManyRequests, "The project has used up its daily quota.", ""},
	Limit:              {http.StatusTooManyRequests, "This is done too often; message says what. Wait as long as Retry-After says.", ""},
	HeadersTooLarge:    {http.StatusRequestHeaderFieldsTooLarge, "The request has more than max_headers headers, or more than max_bytes of them.", ""},
	Internal:           {http.StatusInternalServerError, "Something went wrong inside; the log has it under request_id.", "Try again; if it stays, report the request_id."},
	Unavailable:        {http.StatusServiceUnavailable, "The database is away or takes no writes for the moment, or the server is busy.", "Try again in a few seconds."},
}

// Info gives the meaning of the code.
func (c Code) Info() CodeInfo { return codes[c] }

// Detail says what is wrong with one field of the input.
type Detail struct {
	Path    string `json:"path" doc:"The field, dotted, such as scrub_patterns.0; empty for the input as a whole."`
	Message string `json:"message" doc:"What is wrong and what is allowed."`
}

// Error is the one error type that reaches a client. Its cause goes to the log only.
type Error struct {
	Code    Code
	Details []Detail
	Extra   map[string]any // the code's members, such as required_scope
	cause   error

	RetryAfter int // seconds until it makes sense to try again, for the header Retry-After; 0 for none
}

// NewError makes an Error.
func NewError(code Code) *Error { return &Error{Code: code} }

// Invalid makes an invalid_request error about one field.
func Invalid(path, format string, args ...any) *Error {
	return &Error{Code: InvalidRequest, Details: []Detail{{path, fmt.Sprintf(format, args...)}}}
}

// With adds a member to the error's body. Those of each code are declared in members.
func (e *Error) With(name string, value any) *Error {
	if e.Extra == nil {
		e.Extra = map[string]any{}
	}
	e.Extra[name] = value
	return e
}

// Because notes the cause, for the log. Of a cause that is itself an error of the same code only its own cause is noted, so
// that the code is said once.
func (e *Error) Because(cause error) *Error {
	//nolint:errorlint // one that is wrapped has a text of its own before the code
	if same, ok := cause.(*Error); ok && same.Code == e.Code && len(same.Details) == 0 {
		cause = same.cause
	}
	e.cause = cause
	return e
}

// Error is for logs and tests: clients get MarshalJSON.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Code))
	for _, d := range e.Details {
		fmt.Fprintf(&b, "; %s: %s", d.Path, d.Message)
	}
	if e.cause != nil {
		fmt.Fprintf(&b, ": %v", e.cause)
	}
	return b.String()
}

// LogValue is Error: slog's JSON would take MarshalJSON, which leaves the cause out.
func (e *Error) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// Status is the HTTP status of the error.
func (e *Error) Status() int { return e.Code.Info().Status }

// MarshalJSON writes {error: code, details?, ...extra}: the body of the answer, without the cause. An action that is held
// did not fail: approval_required is {status: code, ...extra} (primary API, Errors).
func (e *Error) MarshalJSON() ([]byte, error) { return json.Marshal(e.body()) }

// ForAgent writes the same body with hint, the next call that would work.
func (e *Error) ForAgent() ([]byte, error) {
	body := e.body()
	if hint := e.Code.Info().Hint; hint != "" {
		body["hint"] = hint
	}
	return json.Marshal(body)
}

func (e *Error) body() map[string]any {
	body := map[string]any{codeMember(e.Code): e.Code}
	if len(e.Details) > 0 {
		body["details"] = e.Details
	}
	for name, value := range e.Extra {
		body[name] = value
	}
	return body
}

// AsError gives the Error that err is or wraps; anything else becomes internal, with err as its cause.
func AsError(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	return NewError(Internal).Because(err)
}

// HasCode tells whether err is or wraps an Error with the code.
func HasCode(err error, code Code) bool {
	var known *Error
	return errors.As(err, &known) && known.Code == code
}
