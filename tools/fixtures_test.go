package tools_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/blob"
	"errand/core"
	"errand/grouping"
	"errand/ingest"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
	"errand/tools"
)

// noon is the time of the tests, and noonText its form on the wire.
var noon = time.Date(2026, 3, 14, 12, 30, 0, 0, time.UTC)

const noonText = "2026-03-14T12:30:00.000Z"

const (
	shop       = 1_000_000_001 // the project of most tests
	shopKey    = "0123456789abcdef0123456789abcdef"
	shopDSN    = "https://0123456789abcdef0123456789abcdef@errors.example/1000000001"
	adminToken = "the token of the deployment"
)

// fixture is a store with the operations on top.
type fixture struct {
	*testing.T
	store    *store.Store
	tools    *tools.Tools
	registry *core.Registry
	blobs    blob.Store
	webhooks tools.WebhookOptions
	now      time.Time
	log      bytes.Buffer
	events   int                  // the number that addEvent has added
	describe tools.DescribeServer // nil for nothing
}

// openEmpty makes a fixture on an empty database.
func openEmpty(t *testing.T) *fixture { return openWith(t, storetest.NewURL(t), rand.Reader) }

// openShop makes a fixture with the project shop.
func openShop(t *testing.T) *fixture {
	t.Helper()
	h := openEmpty(t)
	_, err := h.store.CreateProject(t.Context(), core.NewBootstrapActor(),
		store.NewProject{ID: shop, Name: "Shop", Platform: "go", PublicKey: shopKey})
	require.NoError(t, err)
	return h
}

func openWith(t *testing.T, url string, random io.Reader) *fixture {
	t.Helper()
	h := &fixture{T: t, now: noon}
	h.store = storetest.OpenWith(t, store.Options{
		URL: url, Clock: func() time.Time { return h.now }, Settings: map[string]string{"BASE_URL": "https://errors.example"},
	})
	h.bindOperations(random)
	return h
}

// openWithClock makes a fixture with the project shop whose store has its own clock.
func openWithClock(t *testing.T, clock core.Clock) *fixture {
	t.Helper()
	h := &fixture{T: t, now: noon, store: storetest.NewAt(t, clock)}
	h.bindOperations(rand.Reader)
	_, err := h.store.CreateProject(t.Context(), core.NewBootstrapActor(),
		store.NewProject{ID: shop, Name: "Shop", Platform: "go", PublicKey: shopKey})
	require.NoError(t, err)
	return h
}

// bindOperations binds the operations to the store.
func (h *fixture) bindOperations(random io.Reader) {
	h.Helper()
	if h.webhooks.Guard == nil {
		h.webhooks = allWebhooks(h.T)
	}
	var err error
	h.blobs, err = blob.OpenStore("file://"+h.TempDir(), os.Getenv)
	require.NoError(h, err)
	h.Cleanup(func() { require.NoError(h, h.blobs.Close()) })
	h.tools = tools.New(tools.Options{
		Store: h.store, AdminToken: adminToken, Random: random, FindStoredType: grouping.FindStoredType, Blobs: h.blobs,
		Webhooks: h.webhooks, DescribeServer: h.describe,
		TakeTestEvent: h.takeTestEvent,
	})
	h.registry, err = h.tools.Registry(slog.New(slog.NewTextHandler(&h.log, nil)))
	require.NoError(h, err)
}

// takeTestEvent takes in a test event, as a server does.
func (h *fixture) takeTestEvent(ctx context.Context, project int64, event []byte) (core.Receipt, error) {
	events := ingest.New(ingest.Options{
		Store: h.store, Clock: func() time.Time { return h.now }, Random: rand.Reader, InstallKey: []byte("key"),
		Log: slog.New(slog.DiscardHandler),
	})
	defer events.Close()
	return events.TakeTestEvent(ctx, project, event)
}

// callOperation makes a call with arguments as JSON.
func (h *fixture) callOperation(a core.Actor, op *core.Operation, args string) (string, *core.Error) {
	h.Helper()
	decoded, err := core.DecodeArgs([]byte(args))
	require.NoError(h, err)
	call := core.Call{Actor: a, RequestID: "request-1"}
	if op.Body != nil {
		call.Body = &core.FileBody{Type: op.Body.Types[0], Reader: strings.NewReader(`{"version": 3, "sources": [], "mappings": ""}`)}
	}
	answer, failure := h.registry.Call(h.Context(), op, call, decoded)
	return string(answer.Body), failure
}

// mustCall requires a call to succeed, and returns its answer.
func (h *fixture) mustCall(a core.Actor, op *core.Operation, args string) string {
	h.Helper()
	body, failure := h.callOperation(a, op, args)
	require.Nil(h, failure, "%s %s: %v", op.Name, args, failure)
	return body
}

// callData requires a call to succeed, and returns the object in its answer's data.
func (h *fixture) callData(a core.Actor, op *core.Operation, args string) map[string]any {
	h.Helper()
	var answer struct{ Data map[string]any }
	require.NoError(h, json.Unmarshal([]byte(h.mustCall(a, op, args)), &answer))
	return answer.Data
}

// callList is callData for an operation that answers a list of objects.
func (h *fixture) callList(a core.Actor, op *core.Operation, args string) []object {
	h.Helper()
	var answer struct{ Data []object }
	require.NoError(h, json.Unmarshal([]byte(h.mustCall(a, op, args)), &answer))
	return answer.Data
}

// mustFail requires a call to fail, and returns the error's body.
func (h *fixture) mustFail(a core.Actor, op *core.Operation, args string) string {
	h.Helper()
	body, failure := h.callOperation(a, op, args)
	require.NotNil(h, failure, "%s %s: %s", op.Name, args, body)
	require.Empty(h, body)
	text, err := json.Marshal(failure)
	require.NoError(h, err)
	return string(text)
}

// adminFor is who may call an operation: the admin token, or a person for what is about people's own accounts.
func adminFor(op *core.Operation) core.Actor {
	if op.Scope == core.PersonScope {
		return core.NewUserActor(1, "ann@example.org", core.Rights{})
	}
	return core.NewBootstrapActor()
}

// mustRefuse requires a call to fail as invalid, because of one field.
func (h *fixture) mustRefuse(op *core.Operation, args, field string) {
	h.Helper()
	_, failure := h.callOperation(adminFor(op), op, args)
	require.NotNil(h, failure, "%s %s", op.Name, args)
	require.Equal(h, core.InvalidRequest, failure.Code, "%s %s", op.Name, args)
	require.Len(h, failure.Details, 1, "%s %s", op.Name, args)
	require.Equal(h, field, failure.Details[0].Path, "%s %s", op.Name, args)
	require.NotEmpty(h, failure.Details[0].Message)
}

// sameJSON compares JSON with the expected object, except for the mark of untrusted text, which TestEveryAnswerMarksTextOfTheApp covers.
func (h *fixture) sameJSON(want any, body string) {
	h.Helper()
	text, err := json.Marshal(want)
	require.NoError(h, err)
	if before, _, isMarked := strings.Cut(body, `,"untrusted":{"paths":`); isMarked {
		body = before + "}"
	}
	require.JSONEq(h, string(text), body)
}

// newEvent makes the n-th event of a group, at the present time.
func (h *fixture) newEvent(group string, n int) intake.NewEvent {
	e := intake.NewEvent{
		ProjectID: shop, OccurredAt: core.At(h.now), ReceivedAt: core.At(h.now), Version: 1, Title: "Error: " + group, Culprit: "shop in pay",
		Type: "Error", Level: "error", Platform: "go", Release: "1.0", Environment: "production", Source: core.SourceServer,
		Fingerprint: sha256.Sum256([]byte(group)),
		Payload:     intake.PackPlain(fmt.Appendf(nil, `{"event_id":"%032x","platform":"go","message":"%s"}`, n, group)),
	}
	id := sha256.Sum256(fmt.Append(nil, group, n))
	copy(e.EventID[:], id[:])
	return e
}

// addEvents adds events and returns the outcome of the last one.
func (h *fixture) addEvents(events ...intake.NewEvent) intake.Added {
	h.Helper()
	added, err := h.store.Intake.AddEvents(h.Context(), events)
	require.NoError(h, err)
	return added[len(added)-1]
}

// changeRows changes rows without the operations.
func (h *fixture) changeRows(sql string, args ...any) {
	h.Helper()
	rows, err := storetest.QuerySQL(h.Context(), h.store, sql, args...)
	require.NoError(h, err)
	rows.Close()
	require.NoError(h, rows.Err())
	require.Positive(h, rows.CommandTag().RowsAffected())
}

// queryTexts reads texts without the operations.
func queryTexts(h *fixture, sql string, args ...any) []string {
	h.Helper()
	rows, err := storetest.QuerySQL(h.Context(), h.store, sql, args...)
	require.NoError(h, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(h, err)
	return list
}

// newAgent makes an actor with a token.
func newAgent(id int, scopes ...core.Scope) core.Actor {
	return core.Actor{Type: core.ActorToken, ID: core.OptInt(id), Name: fmt.Sprint("agent-", id), Scopes: scopes}
}

var reader, writer = newAgent(1, core.IssuesRead), newAgent(2, core.IssuesWrite)

// object is a JSON object.
type object = map[string]any

// withChanges returns the object with members changed or added.
func withChanges(o object, changes object) object {
	o = maps.Clone(o)
	maps.Copy(o, changes)
	return o
}

// idArgs writes the arguments of a call that names one id.
func idArgs(n int64) string { return fmt.Sprintf(`{"id": %d}`, n) }

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

func decodeInto(t *testing.T, body string, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(body), into))
}
