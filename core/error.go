package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
)

// Info returns what the code means in /v1.
func (c Code) Info() ErrorForm { return v1Errors[c] }

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
	told    map[string]any // what only models see
	cause   error

	RetryAfter int // seconds until it makes sense to try again, for the header Retry-After; 0 for none
}

// NewError makes an Error.
func NewError(code Code) *Error { return &Error{Code: code} }

// RefuseField makes an invalid_request error about one field.
func RefuseField(path, format string, args ...any) *Error {
	return &Error{Code: InvalidRequest, Details: []Detail{{path, fmt.Sprintf(format, args...)}}}
}

// With adds a member to the error's body. The ErrorForm of each code declares the members that it can have.
func (e *Error) With(name string, value any) *Error {
	if e.Extra == nil {
		e.Extra = map[string]any{}
	}
	e.Extra[name] = value
	return e
}

// Tell adds a member that only models see, beside the hint: what exists instead.
func (e *Error) Tell(name string, value any) *Error {
	if e.told == nil {
		e.told = map[string]any{}
	}
	e.told[name] = value
	return e
}

// MergedInto returns the issue that holds the events of a merged issue that was asked for; 0 otherwise.
func (e *Error) MergedInto() int64 {
	into, _ := e.told["merged_into"].(int64)
	return into
}

// Because keeps the cause, for the log. If the cause is an error of the same code, only that error's own cause is
// noted, so that the code appears once.
func (e *Error) Because(cause error) *Error {
	//nolint:errorlint // a wrapped error has its own text before the code
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

// LogValue is the text of Error. Without it slog would write MarshalJSON, which leaves the cause out.
func (e *Error) LogValue() slog.Value { return slog.StringValue(e.Error()) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Status is the HTTP status of the error.
func (e *Error) Status() int { return e.Code.Info().Status }

// MarshalJSON writes {error: code, details?, ...extra}: the body of the answer, without the cause (primary API, Errors).
func (e *Error) MarshalJSON() ([]byte, error) { return json.Marshal(e.bodyMembers()) }

// ForAgent writes the same body with hint, the next call that would work.
func (e *Error) ForAgent() ([]byte, error) {
	body := e.bodyMembers()
	if hint := e.Code.Info().Hint; hint != "" {
		body["hint"] = hint
	}
	maps.Copy(body, e.told)
	return json.Marshal(body)
}

func (e *Error) bodyMembers() map[string]any {
	body := map[string]any{"error": e.Code}
	if len(e.Details) > 0 {
		body["details"] = e.Details
	}
	for name, value := range e.Extra {
		body[name] = value
	}
	return body
}

// AsError returns the Error that err is or wraps; anything else becomes internal, with err as its cause.
func AsError(err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	return NewError(Internal).Because(err)
}

// HasCode reports whether err is or wraps an Error with the code.
func HasCode(err error, code Code) bool {
	var known *Error
	return errors.As(err, &known) && known.Code == code
}
