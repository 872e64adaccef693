package tools_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
	"errand/tools"
)

// noon is when the tests happen; noonText is how the wire has it.
var noon = time.Date(2026, 3, 14, 12, 30, 0, 0, time.UTC)

const noonText = "2026-03-14T12:30:00.000Z"

const (
	shop       = 1_000_000_001 // the project of most tests
	shopKey    = "0123456789abcdef0123456789abcdef"
	shopDSN    = "https://0123456789abcdef0123456789abcdef@errors.example/1000000001"
	adminToken = "the token of the deployment"
)

// house is a store with the operations on it.
type house struct {
	*testing.T
	store    *store.Store
	tools    *tools.Tools
	registry *core.Registry
	now      time.Time
	log      bytes.Buffer
	events   int // how many happen has added
}

// open makes a house on an empty database.
func open(t *testing.T) *house { return openWith(t, storetest.URL(t), rand.Reader) }

// openShop makes a house that has the project shop.
func openShop(t *testing.T) *house {
	t.Helper()
	h := open(t)
	_, err := h.store.CreateProject(t.Context(), core.Bootstrap(), store.NewProject{ID: shop, Name: "Shop", Platform: "go", PublicKey: shopKey})
	require.NoError(t, err)
	return h
}

func openWith(t *testing.T, url string, random io.Reader) *house {
	t.Helper()
	h := &house{T: t, now: noon}
	h.store = storetest.OpenWith(t, store.Options{
		URL: url, Clock: func() time.Time { return h.now }, Settings: map[string]string{"BASE_URL": "https://errors.example"},
	})
	h.serve(random)
	return h
}

// openWithClock makes a house with the project shop whose store has a clock of its own.
func openWithClock(t *testing.T, clock core.Clock) *house {
	t.Helper()
	h := &house{T: t, now: noon, store: storetest.NewAt(t, clock)}
	h.serve(rand.Reader)
	_, err := h.store.CreateProject(t.Context(), core.Bootstrap(), store.NewProject{ID: shop, Name: "Shop", Platform: "go", PublicKey: shopKey})
	require.NoError(t, err)
	return h
}

// serve puts the operations on the store.
func (h *house) serve(random io.Reader) {
	h.Helper()
	h.tools = tools.New(tools.Options{Store: h.store, AdminToken: adminToken, Random: random})
	var err error
	h.registry, err = h.tools.Registry(slog.New(slog.NewTextHandler(&h.log, nil)))
	require.NoError(h, err)
}

// call makes a call with arguments as JSON.
func (h *house) call(a core.Actor, op *core.Operation, args string) (string, *core.Error) {
	h.Helper()
	decoded, err := core.DecodeArgs([]byte(args))
	require.NoError(h, err)
	body, failure := h.registry.Call(h.Context(), op, core.Call{Actor: a, RequestID: "request-1"}, decoded)
	return string(body), failure
}

// ok wants a call to succeed, and gives its answer.
func (h *house) ok(a core.Actor, op *core.Operation, args string) string {
	h.Helper()
	body, failure := h.call(a, op, args)
	require.Nil(h, failure, "%s %s: %v", op.Name, args, failure)
	return body
}

// data wants a call to succeed, and gives the object in its answer's data.
func (h *house) data(a core.Actor, op *core.Operation, args string) map[string]any {
	h.Helper()
	var answer struct{ Data map[string]any }
	require.NoError(h, json.Unmarshal([]byte(h.ok(a, op, args)), &answer))
	return answer.Data
}

// fails wants a call to fail, and gives the error's body.
func (h *house) fails(a core.Actor, op *core.Operation, args string) string {
	h.Helper()
	body, failure := h.call(a, op, args)
	require.NotNil(h, failure, "%s %s: %s", op.Name, args, body)
	require.Empty(h, body)
	text, err := json.Marshal(failure)
	require.NoError(h, err)
	return string(text)
}

// refuses wants a call to fail as invalid, because of one field.
func (h *house) refuses(op *core.Operation, args, field string) {
	h.Helper()
	_, failure := h.call(core.Bootstrap(), op, args)
	require.NotNil(h, failure, "%s %s", op.Name, args)
	require.Equal(h, core.InvalidRequest, failure.Code, "%s %s", op.Name, args)
	require.Len(h, failure.Details, 1, "%s %s", op.Name, args)
	require.Equal(h, field, failure.Details[0].Path, "%s %s", op.Name, args)
	require.NotEmpty(h, failure.Details[0].Message)
}

// is compares JSON with what it should be.
func (h *house) is(want any, body string) {
	h.Helper()
	text, err := json.Marshal(want)
	require.NoError(h, err)
	require.JSONEq(h, string(text), body)
}

// event makes the n-th event of a group, now.
func (h *house) event(group string, n int) intake.NewEvent {
	e := intake.NewEvent{
		ProjectID: shop, OccurredAt: core.At(h.now), ReceivedAt: core.At(h.now), Version: 1, Title: "Error: " + group, Culprit: "shop in pay",
		Type: "Error", Level: "error", Platform: "go", Release: "1.0", Environment: "production", Source: core.SourceServer,
		Fingerprint: sha256.Sum256([]byte(group)),
		Payload:     intake.Pack(fmt.Appendf(nil, `{"event_id":"%032x","platform":"go","message":"%s"}`, n, group)),
	}
	id := sha256.Sum256(fmt.Append(nil, group, n))
	copy(e.EventID[:], id[:])
	return e
}

// add adds events and gives the outcome of the last one.
func (h *house) add(events ...intake.NewEvent) intake.Added {
	h.Helper()
	added, err := h.store.Intake.AddEvents(h.Context(), events)
	require.NoError(h, err)
	return added[len(added)-1]
}

// change changes rows behind the operations' backs.
func (h *house) change(sql string, args ...any) {
	h.Helper()
	rows, err := storetest.SQL(h.Context(), h.store, sql, args...)
	require.NoError(h, err)
	rows.Close()
	require.NoError(h, rows.Err())
	require.Positive(h, rows.CommandTag().RowsAffected())
}

// column reads texts behind the operations' backs.
func column(h *house, sql string, args ...any) []string {
	h.Helper()
	rows, err := storetest.SQL(h.Context(), h.store, sql, args...)
	require.NoError(h, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(h, err)
	return list
}

// agent is an actor with a token.
func agent(id int, scopes ...core.Scope) core.Actor {
	return core.Actor{Type: core.ActorToken, ID: core.OptInt(id), Name: fmt.Sprint("agent-", id), Scopes: scopes}
}

var reader, writer = agent(1, core.IssuesRead), agent(2, core.IssuesWrite)

// object is a JSON object.
type object = map[string]any

// with gives the object with members changed or added.
func with(o object, changes object) object {
	o = maps.Clone(o)
	maps.Copy(o, changes)
	return o
}

// id writes the arguments of a call about one thing.
func id(n int64) string { return fmt.Sprintf(`{"id": %d}`, n) }

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

func decode(t *testing.T, body string, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(body), into))
}
