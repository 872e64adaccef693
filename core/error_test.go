package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The statuses come from the specification (Errors) and decisions 1: changing one breaks clients.
func TestStatusOfEachCode(t *testing.T) {
	t.Parallel()
	want := map[Code]int{
		InvalidRequest: 400,
		Unauthorized:   401, InvalidSignature: 401,
		Forbidden: 403, ForbiddenProject: 403, ForbiddenOrigin: 403, NotClaimHolder: 403,
		NotFound: 404, ProjectNotFound: 404,
		MethodNotAllowed: 405,
		LastKey:          409, Claimed: 409, ApprovalNotPending: 409, ApprovalFailed: 409,
		PayloadTooLarge: 413,
		Quota:           429, TooManyIssues: 429, Limit: 429,
		HeadersTooLarge: 431,
		Internal:        500,
		Unavailable:     503,
	}
	for code, status := range want {
		require.Equal(t, status, NewError(code).Status(), code)
	}
	snake := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	for code, info := range v1Errors {
		require.Regexp(t, snake, code)
		require.NotEmpty(t, http.StatusText(info.Status), code)
		require.GreaterOrEqual(t, info.Status, 400, code)
		require.Regexp(t, `^[A-Z].*\.$`, info.Meaning, code)
		require.Regexp(t, `^([A-Za-z].*\.)?$`, info.Hint, code)
	}
	for name, code := range map[string]Code{ // the codes themselves are part of the API
		"invalid_request": InvalidRequest, "unauthorized": Unauthorized, "invalid_signature": InvalidSignature, "forbidden": Forbidden,
		"forbidden_project": ForbiddenProject,
		"not_claim_holder":  NotClaimHolder, "not_found": NotFound, "project_not_found": ProjectNotFound, "last_key": LastKey,
		"claimed": Claimed, "payload_too_large": PayloadTooLarge, "quota": Quota, "internal": Internal, "unavailable": Unavailable,
		"method_not_allowed": MethodNotAllowed, "approval_not_pending": ApprovalNotPending,
		"approval_failed": ApprovalFailed, "limit": Limit, "headers_too_large": HeadersTooLarge,
	} {
		require.Equal(t, name, string(code))
	}
}

// A hint is useful only when it names operations that exist.
func TestHintsNameOperations(t *testing.T) {
	t.Parallel()
	call := regexp.MustCompile(`\b(list|get|create|delete|claim|release|revoke|add|resolve|ignore|unresolve)_[a-z_]+\b|\bwhoami\b`)
	names := map[string]bool{}
	for _, op := range V1.Operations() {
		names[op.Name] = true
	}
	for code, info := range v1Errors {
		for _, name := range call.FindAllString(info.Hint, -1) {
			require.True(t, names[name], "the hint of %s names %s", code, name)
		}
	}
}

func TestErrorOnTheWire(t *testing.T) {
	t.Parallel()
	cause := errors.New("pq: relation \"secret_table\" does not exist")
	type claim struct {
		Holder string `json:"holder"`
	}
	for _, c := range []struct {
		err         *Error
		body, agent string
	}{
		{NewError(Unauthorized), `{"error":"unauthorized"}`, `{"error":"unauthorized"}`},
		{NewError(Forbidden).With("required_scope", IssuesWrite),
			`{"error":"forbidden","required_scope":"issues:write"}`,
			`{"error":"forbidden","required_scope":"issues:write",` +
				`"hint":"Ask for a token with the scope in required_scope; whoami shows the scopes of this one."}`},
		{NewError(Claimed).With("claim", claim{"fixer"}).Because(cause),
			`{"error":"claimed","claim":{"holder":"fixer"}}`,
			`{"error":"claimed","claim":{"holder":"fixer"},"hint":"Take another issue: list_issues with claimed=false."}`},
		{RefuseField("scrub_patterns.0", "must have at most %d characters", 200).Because(cause),
			`{"error":"invalid_request","details":[{"path":"scrub_patterns.0","message":"must have at most 200 characters"}]}`,
			`{"error":"invalid_request","details":[{"path":"scrub_patterns.0","message":"must have at most 200 characters"}],` +
				`"hint":"Correct the fields in details and call again."}`},
		{AsError(cause), `{"error":"internal"}`, `{"error":"internal","hint":"Try again; if it stays, report the request_id."}`},
	} {
		body, err := json.Marshal(c.err)
		require.NoError(t, err)
		require.JSONEq(t, c.body, string(body))
		agent, err := c.err.ForAgent()
		require.NoError(t, err)
		require.JSONEq(t, c.agent, string(agent))
		require.NotContains(t, string(body)+string(agent), "secret_table")

		again, err := json.Marshal(c.err)
		require.NoError(t, err)
		require.Equal(t, string(body), string(again), "the hint did not stay in the error")
	}
}

// TestErrorSaysItsCodeOnce wraps a cause of the same code, as a readiness check does.
func TestErrorSaysItsCodeOnce(t *testing.T) {
	t.Parallel()
	inner := NewError(Unavailable).Because(errors.New("no route"))

	outer := NewError(Unavailable).Because(inner)

	require.EqualError(t, outer, "unavailable: no route")
}

func TestErrorKeepsItsCauseForTheLog(t *testing.T) {
	t.Parallel()
	cause := errors.New("connection refused")
	err := NewError(Unavailable).Because(fmt.Errorf("store: %w", cause))
	require.ErrorIs(t, err, cause)
	require.EqualError(t, err, "unavailable: store: connection refused")
	require.EqualError(t, RefuseField("name", "must not be blank"), "invalid_request; name: must not be blank")
	require.NoError(t, errors.Unwrap(NewError(NotFound)))

	for _, handler := range []func(*bytes.Buffer) slog.Handler{
		func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
		func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
	} {
		var log bytes.Buffer
		slog.New(handler(&log)).Error("failed", "error", err)
		require.Contains(t, log.String(), "unavailable: store: connection refused")
	}
}

func TestAsError(t *testing.T) {
	t.Parallel()
	known := NewError(NotFound).With("a", 1)
	require.Same(t, known, AsError(known))
	require.Same(t, known, AsError(fmt.Errorf("tools: %w", known)))
	require.Same(t, known, AsError(errors.Join(errors.New("first"), known)))

	foreign := errors.New("disk full")
	internal := AsError(foreign)
	require.Equal(t, Internal, internal.Code)
	require.ErrorIs(t, internal, foreign)
	require.Empty(t, internal.Details)
	require.Empty(t, internal.Extra)
}

func TestHasCode(t *testing.T) {
	t.Parallel()
	require.True(t, HasCode(NewError(NotFound), NotFound))
	require.True(t, HasCode(fmt.Errorf("tools: %w", NewError(NotFound)), NotFound))
	require.False(t, HasCode(NewError(NotFound), ProjectNotFound))
	require.False(t, HasCode(errors.New("not_found"), NotFound))
	require.False(t, HasCode(nil, NotFound))
}
