// Package surfacetest serves the REST and MCP surfaces on a real database, for tests that speak HTTP to them. Packages
// that use it call storetest.Main in TestMain.
package surfacetest

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/blob"
	"errand/core"
	"errand/grouping"
	"errand/ingest"
	"errand/mcp"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
	"errand/tools"
)

// AdminToken is the bootstrap admin of every Surface.
const AdminToken = "the-admin-token-of-the-tests"

// Surface is a server for a single test.
type Surface struct {
	URL      string
	Registry *core.Registry
	Store    *store.Store
}

// Options are the parts of a Surface. Store must be set.
type Options struct {
	Store    *store.Store
	Random   io.Reader         // for ids and secrets; nil: crypto/rand
	Settings map[string]string // of the installation, by the names of their variables
	Blobs    blob.Store        // for source maps; nil for none
}

// lockedReader reads for one caller at a time: a source of random bytes that repeats itself needs that.
type lockedReader struct {
	mu   sync.Mutex
	from io.Reader
}

// Read reads from the source.
func (r *lockedReader) Read(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.from.Read(b)
}

// New serves both surfaces on a fresh database until the test ends.
func New(t testing.TB) *Surface {
	t.Helper()
	return ServeSurfaces(t, Options{Store: storetest.New(t)})
}

// ServeSurfaces serves both surfaces until the test ends.
func ServeSurfaces(t testing.TB, o Options) *Surface {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	server := httptest.NewUnstartedServer(nil)
	url := "http://" + server.Listener.Addr().String()
	if o.Settings != nil {
		storetest.SaveSettings(t, o.Store, o.Settings)
	}
	base := func() string { return cmp.Or(o.Settings["BASE_URL"], url) }
	events := ingest.New(ingest.Options{
		Store: o.Store, Clock: func() time.Time { return o.Store.Now().Time }, Random: rand.Reader, InstallKey: []byte("key"), Log: log,
	})
	t.Cleanup(events.Close)
	behaviour := tools.New(tools.Options{
		Store: o.Store, AdminToken: AdminToken, Random: &lockedReader{from: cmp.Or(o.Random, rand.Reader)},
		FindStoredType: grouping.FindStoredType, Blobs: o.Blobs, TakeTestEvent: events.TakeTestEvent,
	})
	registry, err := behaviour.Registry(log)
	require.NoError(t, err)
	server.Config.Handler = api.New(api.Options{
		Registry: registry, Authenticate: behaviour.Authenticate, Ready: o.Store.CheckServer, BaseURL: base, Version: "0.0.0", Log: log,
		MCP: mcp.New(mcp.Options{
			Registry: registry, Call: api.CallerOf, BaseURL: base, Version: "0.0.0", Log: log, NameClient: behaviour.NameClient,
		}),
	})
	server.Start()
	t.Cleanup(server.Close)
	return &Surface{URL: url, Registry: registry, Store: o.Store}
}

// Request is one HTTP request. An empty token is not sent.
type Request struct {
	Method, Path string
	Token        string
	Header       map[string]string
	Body         io.Reader
}

// Answer is the answer to a request.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// SendRequest sends a request, and checks that the answer has a request id, as every answer must.
func (s *Surface) SendRequest(t testing.TB, q Request) Answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), q.Method, s.URL+q.Path, q.Body)
	require.NoError(t, err)
	if q.Token != "" {
		request.Header.Set("Authorization", "Bearer "+q.Token)
	}
	for name, value := range q.Header {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NotEmpty(t, response.Header.Get("X-Request-Id"), "%s %s", q.Method, q.Path)
	return Answer{response.StatusCode, response.Header, string(body)}
}

// SendAsAdmin sends a request as the bootstrap admin.
func (s *Surface) SendAsAdmin(t testing.TB, method, path, body string) Answer {
	t.Helper()
	return s.SendRequest(t, Request{Method: method, Path: path, Token: AdminToken, Body: strings.NewReader(body)})
}

// SendMessage sends a JSON-RPC message to /mcp. Header may be nil.
func (s *Surface) SendMessage(t testing.TB, token, message string, header map[string]string) Answer {
	t.Helper()
	all := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
	maps.Copy(all, header)
	return s.SendRequest(t, Request{Method: http.MethodPost, Path: "/mcp", Token: token, Header: all, Body: strings.NewReader(message)})
}

// ToolResult is the result of a tool call.
type ToolResult struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	IsError           bool            `json:"isError"`
}

// ToolCall is the message that calls a tool with arguments as JSON.
func ToolCall(tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
}

// CallTool calls a tool with arguments as JSON.
func (s *Surface) CallTool(t testing.TB, token, tool, arguments string) ToolResult {
	t.Helper()
	return ResultOf(t, s.SendMessage(t, token, ToolCall(tool, arguments), nil))
}

// ResultOf reads the result of a tool call.
func ResultOf(t testing.TB, answer Answer) ToolResult {
	t.Helper()
	require.Equal(t, http.StatusOK, answer.Status, answer.Body)
	var response struct {
		Result *ToolResult     `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	require.NoError(t, json.Unmarshal([]byte(answer.Body), &response), answer.Body)
	require.NotNil(t, response.Result, answer.Body)
	return *response.Result
}

// CreateToken makes a token with the scopes.
func (s *Surface) CreateToken(t testing.TB, scopes ...core.Scope) string {
	t.Helper()
	return s.sendToken(t, map[string]any{"name": "agent", "scopes": scopes})
}

// CreateBoundToken makes a token that is bound to one project for deploys and source maps.
func (s *Surface) CreateBoundToken(t testing.TB, project int64, scopes ...core.Scope) string {
	t.Helper()
	return s.sendToken(t, map[string]any{"name": "agent", "scopes": scopes, "project": fmt.Sprint(project)})
}

func (s *Surface) sendToken(t testing.TB, input map[string]any) string {
	t.Helper()
	body, err := json.Marshal(input)
	require.NoError(t, err)
	answer := s.SendAsAdmin(t, http.MethodPost, "/v1/tokens", string(body))
	require.Equal(t, http.StatusCreated, answer.Status, answer.Body)
	var created core.Data[struct{ Token string }]
	require.NoError(t, json.Unmarshal([]byte(answer.Body), &created))
	return created.Data.Token
}

// CreateProject makes a project and returns its public id.
func (s *Surface) CreateProject(t testing.TB) int64 {
	t.Helper()
	answer := s.SendAsAdmin(t, http.MethodPost, "/v1/projects", `{"name":"Web shop"}`)
	require.Equal(t, http.StatusCreated, answer.Status, answer.Body)
	var created core.Data[struct{ ID int64 }]
	require.NoError(t, json.Unmarshal([]byte(answer.Body), &created))
	return created.Data.ID
}

// CreateIssue makes an issue with one event in a new project, and returns its id.
func (s *Surface) CreateIssue(t testing.TB) int64 {
	t.Helper()
	now := core.At(time.Now())
	added, err := s.Store.Intake.AddEvents(t.Context(), []intake.NewEvent{{
		ProjectID: s.CreateProject(t), EventID: [16]byte{1}, OccurredAt: now, ReceivedAt: now, Fingerprint: sha256.Sum256([]byte("pay")),
		Version: 1,
		Title:   "Error: <b>pay</b> & more", Type: "Error", Level: "error", Platform: "go", Source: core.SourceServer,
		Payload: intake.PackPlain([]byte(`{"event_id":"01000000000000000000000000000000","platform":"go","message":"pay"}`)),
	}})
	require.NoError(t, err)
	return added[0].IssueID
}
