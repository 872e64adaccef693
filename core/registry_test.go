package core

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bindNothing binds the operation to a handler that does nothing.
func bindNothing(op *Operation) Handler {
	return Handler{op, func(context.Context, Call, map[string]any) (any, error) { return None{}, nil }}
}

// registryWith binds the handlers, and a trivial one to every other operation. It also returns the log.
func registryWith(t testing.TB, own ...Handler) (*Registry, *bytes.Buffer) {
	t.Helper()
	bound := map[string]bool{}
	for _, h := range own {
		bound[h.op.Name] = true
	}
	handlers := own
	for _, op := range V1.Operations() {
		if !bound[op.Name] && op.ServedBy == "" {
			handlers = append(handlers, bindNothing(op))
		}
	}
	log := &bytes.Buffer{}
	r, err := NewRegistry(V1, slog.New(slog.NewJSONHandler(log, nil)), handlers...)
	require.NoError(t, err)
	return r, log
}

// claimWith binds claim_issue to a function.
func claimWith(fn func(in ClaimIssueInput) (Data[ClaimedIssue], error)) Handler {
	return BindHandler(ClaimIssue, func(_ context.Context, _ Call, in ClaimIssueInput) (Data[ClaimedIssue], error) { return fn(in) })
}

func adminCall() Call { return Call{Actor: NewBootstrapActor(), RequestID: "req-1"} }

func requireBody(t *testing.T, want string, err *Error) {
	t.Helper()
	require.NotNil(t, err)
	body, marshalErr := json.Marshal(err)
	require.NoError(t, marshalErr)
	require.JSONEq(t, want, string(body))
}

func TestNewRegistryWantsOneHandlerForEachOperation(t *testing.T) {
	t.Parallel()
	var handlers []Handler
	for _, op := range V1.Operations() {
		if op.ServedBy == "" {
			handlers = append(handlers, bindNothing(op))
		}
	}
	r, err := NewRegistry(V1, slog.New(slog.DiscardHandler), handlers...)
	require.NoError(t, err)
	require.Len(t, r.Operations(), len(handlers))
	require.NotContains(t, r.Operations(), IngestEvent.Operation, "another package serves it")
	for i, op := range r.Operations() {
		require.Equal(t, handlers[i].op, op, "the order of the declarations")
	}

	_, err = NewRegistry(V1, slog.New(slog.DiscardHandler), append(handlers, bindNothing(ClaimIssue.Operation))...)
	require.EqualError(t, err, "core: operation claim_issue has two handlers")
	_, err = NewRegistry(V1, slog.New(slog.DiscardHandler), handlers[1:]...)
	require.EqualError(t, err, "core: operation "+handlers[0].op.Name+" has no handler")
	_, err = NewRegistry(V1, slog.New(slog.DiscardHandler))
	require.Error(t, err)
}

func TestCallRunsTheHandler(t *testing.T) {
	t.Parallel()
	r, log := registryWith(t, BindHandler(ClaimIssue, func(_ context.Context, call Call, in ClaimIssueInput) (Data[ClaimedIssue], error) {
		require.Equal(t, adminCall(), call)
		issue := Issue{ID: in.ID, Title: "<a> & b", Claim: &Claim{Holder: call.Actor.Name}, StoredEvents: in.Minutes}
		return Data[ClaimedIssue]{ClaimedIssue{IssueDetail: IssueDetail{Issue: issue}}}, nil
	}))
	answer, failure := r.Call(t.Context(), ClaimIssue.Operation, adminCall(), map[string]any{"id": "42"})
	require.Nil(t, failure)
	var got struct{ Data Issue }
	require.NoError(t, json.Unmarshal(answer.Body, &got))
	require.Equal(t, int64(42), got.Data.ID, "coerced")
	require.Equal(t, int64(120), got.Data.StoredEvents, "the default")
	require.Equal(t, "ADMIN_TOKEN", got.Data.Claim.Holder)
	require.Contains(t, string(answer.Body), `"<a> & b"`, "no escapes that JSON does not need")
	require.NotContains(t, string(answer.Body), "\n")
	require.Empty(t, log.String())
}

func TestCallWithoutArguments(t *testing.T) {
	t.Parallel()
	var got ListIssuesInput
	r, _ := registryWith(t, BindHandler(ListIssues, func(_ context.Context, _ Call, in ListIssuesInput) (IssuePage, error) {
		got = in
		return IssuePage{}, nil
	}))
	answer, failure := r.Call(t.Context(), ListIssues.Operation, adminCall(), nil)
	require.Nil(t, failure)
	require.Equal(t, 25, got.Limit)
	text, _, _ := strings.Cut(string(answer.Body), `,"untrusted":`)
	require.JSONEq(t, `{"data":[],"next_cursor":null,"ingest":{"state":"","events_24h":0,"last_event_at":null,"quota_used":0,"quota":null,
		"too_many_issues":false}}`, text+"}")
}

func TestCallGivesNoBodyForNone(t *testing.T) {
	t.Parallel()
	r, _ := registryWith(t)
	answer, failure := r.Call(t.Context(), RevokeToken.Operation, adminCall(), map[string]any{"id": json.Number("7")})
	require.Nil(t, failure)
	require.Nil(t, answer.Body)
}

// No faulty call reaches a handler.
func TestCallStopsBeforeTheHandler(t *testing.T) {
	t.Parallel()
	reader := Actor{Type: ActorToken, ID: 1, Name: "reader", Scopes: List[Scope]{IssuesRead}}
	r, log := registryWith(t, claimWith(func(ClaimIssueInput) (Data[ClaimedIssue], error) {
		t.Error("the handler ran")
		return Data[ClaimedIssue]{}, nil
	}))
	for name, c := range map[string]struct {
		actor Actor
		args  map[string]any
		want  string
	}{
		"nobody":         {Actor{}, map[string]any{"id": 1}, `{"error":"unauthorized"}`},
		"scope missing":  {reader, map[string]any{"id": 1}, `{"error":"forbidden","required_scope":"issues:write"}`},
		"scope is first": {reader, map[string]any{"what": 1}, `{"error":"forbidden","required_scope":"issues:write"}`},
		"field missing":  {NewBootstrapActor(), nil, `{"error":"invalid_request","details":[{"path":"id","message":"is required"}]}`},
		"out of range": {NewBootstrapActor(), map[string]any{"id": 1, "minutes": 0},
			`{"error":"invalid_request","details":[{"path":"minutes","message":"must be at least 1"}]}`},
		"unknown field": {NewBootstrapActor(), map[string]any{"id": 1, "minute": 5},
			`{"error":"invalid_request","details":[{"path":"minute","message":"is not a known field; allowed: id, minutes, worker"}]}`},
	} {
		answer, failure := r.Call(t.Context(), ClaimIssue.Operation, Call{Actor: c.actor}, c.args)
		require.Nil(t, answer.Body, name)
		requireBody(t, c.want, failure)
	}
	require.Empty(t, log.String(), "mistakes of callers are no news")
}

func TestCallRunsTheChecksOfInputs(t *testing.T) {
	t.Parallel()
	r, _ := registryWith(t, BindHandler(CreateToken, func(context.Context, Call, CreateTokenInput) (Data[CreatedToken], error) {
		t.Error("the handler ran")
		return Data[CreatedToken]{}, nil
	}))
	for message, args := range map[string]map[string]any{
		`{"error":"invalid_request","details":[{"path":"scopes","message":"must not name admin twice"}]}`: {"name": "x", "scopes": "admin,admin"},
		`{"error":"invalid_request","details":[{"path":"name","message":"must not be blank"}]}`:           {"name": "  ", "scopes": "admin"},
	} {
		_, failure := r.Call(t.Context(), CreateToken.Operation, adminCall(), args)
		requireBody(t, message, failure)
	}
}

func TestCallKeepsPanicsInside(t *testing.T) {
	t.Parallel()
	r, log := registryWith(t, claimWith(func(ClaimIssueInput) (Data[ClaimedIssue], error) { panic("hunter2 in the panic") }))
	answer, failure := r.Call(t.Context(), ClaimIssue.Operation, adminCall(), map[string]any{"id": 1})
	require.Nil(t, answer.Body)
	requireBody(t, `{"error":"internal","request_id":"req-1"}`, failure)
	require.NotContains(t, failure.Error(), "hunter2")

	var entry map[string]any
	require.NoError(t, json.Unmarshal(log.Bytes(), &entry), "one entry: %s", log)
	require.Equal(t, "ERROR", entry["level"])
	require.Equal(t, "claim_issue", entry["operation"])
	require.Equal(t, "req-1", entry["request_id"])
	require.Equal(t, "hunter2 in the panic", entry["panic"])
	require.Contains(t, entry["stack"], "registry_test.go")
}

func TestCallTurnsErrorsIntoAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err          error
		want, logged string
	}{
		"its own": {NewError(NotFound), `{"error":"not_found"}`, ""},
		"wrapped": {fmt.Errorf("tools: %w", NewError(Claimed).With("claim", 1)), `{"error":"claimed","claim":1}`, ""},
		"foreign": {errors.New("disk full at hunter2"), `{"error":"internal","request_id":"req-1"}`, "disk full at hunter2"},
		"its own inside": {NewError(Internal).With("secret", "x").Because(errors.New("hunter2")), `{"error":"internal","request_id":"req-1"}`,
			"hunter2"},
		"unavailable": {NewError(Unavailable).Because(errors.New("dial hunter2")), `{"error":"unavailable"}`, "dial hunter2"},
	} {
		r, log := registryWith(t, claimWith(func(ClaimIssueInput) (Data[ClaimedIssue], error) { return Data[ClaimedIssue]{}, c.err }))
		answer, failure := r.Call(t.Context(), ClaimIssue.Operation, adminCall(), map[string]any{"id": 1})
		require.Nil(t, answer.Body, name)
		requireBody(t, c.want, failure)
		if c.logged == "" {
			require.Empty(t, log.String(), name)
			continue
		}
		var entry map[string]any
		require.NoError(t, json.Unmarshal(log.Bytes(), &entry), "one entry: %s", log)
		require.Contains(t, entry["error"], c.logged, name)
		require.Equal(t, "req-1", entry["request_id"], name)
	}
}

// When the caller hangs up, every query fails. The log need not mention it.
func TestCallOfAGoneCallerIsNotLogged(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r, log := registryWith(t, claimWith(func(ClaimIssueInput) (Data[ClaimedIssue], error) {
		cancel()
		return Data[ClaimedIssue]{}, ctx.Err()
	}))
	_, failure := r.Call(ctx, ClaimIssue.Operation, adminCall(), map[string]any{"id": 1})
	require.Equal(t, Internal, failure.Code)
	require.Empty(t, log.String())
}

func TestCallOfAnOutputThatIsNoJSON(t *testing.T) {
	t.Parallel()
	r, log := registryWith(t, BindHandler(ListIssueActivity, func(context.Context, Call, ListIssueActivityInput) (Page[Activity], error) {
		return Page[Activity]{Data: List[Activity]{{Data: json.RawMessage(`{`)}}}, nil
	}))
	answer, failure := r.Call(t.Context(), ListIssueActivity.Operation, adminCall(), map[string]any{"id": 1})
	require.Nil(t, answer.Body)
	requireBody(t, `{"error":"internal","request_id":"req-1"}`, failure)
	require.Contains(t, log.String(), "list_issue_activity")
}

func TestCallOfAnOperationThatIsServedElsewhere(t *testing.T) {
	t.Parallel()
	r, _ := registryWith(t)
	_, failure := r.Call(t.Context(), IngestEvent.Operation, adminCall(), nil)
	requireBody(t, `{"error":"not_found"}`, failure)
}

// Calls share the compiled schema and the defaults. This test is for the race detector.
func TestCallsRunAtTheSameTime(t *testing.T) {
	t.Parallel()
	r, _ := registryWith(t, BindHandler(ListIssues, func(_ context.Context, _ Call, in ListIssuesInput) (IssuePage, error) {
		return IssuePage{Page: Page[ListedIssue]{NextCursor: Cursor(in.Search)}}, nil
	}))
	done := make(chan string)
	const callers = 8
	for i := range callers {
		go func() {
			answer, _ := r.Call(context.Background(), ListIssues.Operation, adminCall(), map[string]any{"search": fmt.Sprint("text", i)})
			var page IssuePage
			_ = json.Unmarshal(answer.Body, &page)
			done <- string(page.NextCursor)
		}()
	}
	got := map[string]bool{}
	for range callers {
		got[<-done] = true
	}
	require.Len(t, got, callers, "each caller got its own answer")
}

func BenchmarkCall(b *testing.B) {
	r, _ := registryWith(b, claimWith(func(in ClaimIssueInput) (Data[ClaimedIssue], error) {
		return Data[ClaimedIssue]{ClaimedIssue{IssueDetail: IssueDetail{Issue: Issue{ID: in.ID}}}}, nil
	}))
	b.ReportAllocs()
	for b.Loop() {
		if _, failure := r.Call(b.Context(), ClaimIssue.Operation, adminCall(), map[string]any{"id": "42"}); failure != nil {
			b.Fatal(failure)
		}
	}
}
